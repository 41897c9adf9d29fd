"""What each option of a text format changes, and that the result counts what was changed."""

import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from outlast.errors import ExportFailedError
from outlast.formats import FORMATS, CsvText, FileOptions, JsonText, Page, Piece, RawJson
from tests.support.encoders import encoder, written


def cell(name: str, value: object, **options: Any) -> str:
    """Give the one cell of a file of one row, without its line's end."""
    header, row = written(encoder(name, ["a"], **options), [(value,)]).decode().split("\n", 1)
    assert header.lstrip("\ufeff").rstrip("\r").strip('"') == "a"
    return row.removesuffix("\n").removesuffix("\r")


def test_excel_has_a_bom_and_crlf_and_its_own_delimiter_and_mark() -> None:
    options = {"csv_dialect": "excel", "csv_delimiter": ";", "csv_decimal_mark": ","}
    rows = [(1.5, Decimal("-0.10"), 7, "a;b"), (float("nan"), None, True, "")]

    data = written(encoder("csv", "wxyz", **options), rows)

    assert data.decode() == '\ufeff"w";"x";"y";"z"\r\n1,5;-0,10;7;"a;b"\r\nNaN;;true;""\r\n'


def test_tsv_is_csv_with_tabs_whatever_the_delimiter() -> None:
    assert written(encoder("tsv", ["a", "b"], csv_delimiter=";"), [("x\ty", None), (1, 'q"')]) == (
        b'"a"\t"b"\n"x\ty"\t\n1\t"q"""\n'
    )


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@a", "\t1", "\r1", "\n1", "\0", "  =1", "\uff1d1", "\uff20a"])
def test_what_a_spreadsheet_would_run_is_guarded(text: str) -> None:
    assert cell("csv", text, formulas="guard") == f'"\'{text}"'
    assert cell("csv", text) == f'"{text}"'
    assert cell("tsv", text, formulas="guard") == f'"\'{text}"'


@pytest.mark.parametrize("value", [-1, -1.5, Decimal(-1), True, None, timedelta(seconds=-1)])
def test_what_is_no_text_is_never_guarded(value: object) -> None:
    assert "'" not in cell("csv", value, formulas="guard")


@pytest.mark.parametrize("text", ["", "a=1", "'=1", " a", "1-1", "a@b"])
def test_other_text_is_never_guarded(text: str) -> None:
    guarded = encoder("csv", ["a"], formulas="guard")

    assert written(guarded, [(text,)]) == f'"a"\n"{text}"\n'.encode()
    assert guarded.warnings == ()


def test_guarded_cells_are_counted_with_their_first_rows() -> None:
    guarded = encoder("csv", ["=a", "b"], csv_dialect="excel")
    pieces: list[Piece] = [[("=1", "x"), (None, "-"), ("+", "@")], Page(b"1,2\r\n", 1), [("\t", 1), ("=", "=")]]

    lines = written(guarded, *pieces).decode().split("\r\n")

    assert lines == ['\ufeff"\'=a","b"', '"\'=1","x"', ',"\'-"', '"\'+","\'@"', "1,2", '"\'\t",1', '"\'=","\'="', ""]
    assert guarded.warnings == (
        {"code": "guarded", "column": "=a", "count": 5, "first_rows": [0, 1, 3, 5, 6]},
        {"code": "guarded", "column": "b", "count": 3, "first_rows": [2, 3, 6]},
    )


def test_excel_judges_what_a_spreadsheet_cannot_hold() -> None:
    with pytest.raises(ExportFailedError, match="row 2, column 'a': a character that a spreadsheet can't hold"):
        written(encoder("csv", ["a"], csv_dialect="excel"), [("fine\t\r\n\x7f",), ("a\0",)])

    replaced = encoder("csv", ["a"], csv_dialect="excel", unencodable="replace")
    assert written(replaced, [("a\0\x1b",)]).decode() == '\ufeff"a"\r\n"a\ufffd\ufffd"\r\n'
    assert replaced.warnings == ({"code": "replaced", "column": "a", "count": 1, "first_rows": [1]},)
    assert cell("csv", "a\0", csv_dialect="excel", unencodable="hex") == '"6100"'
    assert cell("csv", {"k": "\0"}, csv_dialect="excel") == '"{""k"":""\\u0000""}"'


@pytest.mark.parametrize("text", ["", " ", " a", "a ", "\ta", "a\t", "a,b", 'a"b', "a\nb", "a\rb", ",", '"'])
def test_minimal_quoting_quotes_what_must_be(text: str) -> None:
    escaped = text.replace('"', '""')
    assert cell("csv", text, csv_quoting="minimal") == f'"{escaped}"'


@pytest.mark.parametrize("value", ["a b", "a;b", "é", "1", "null", datetime(2026, 3, 1, tzinfo=UTC), b"\xff"])
def test_minimal_quoting_leaves_the_rest_bare(value: object) -> None:
    assert '"' not in cell("csv", value, csv_quoting="minimal")


@pytest.mark.parametrize(
    ("instant", "csv", "json_"),
    [
        (datetime(2026, 1, 1, 0, 0, 0, 500_000, UTC), "2026-01-01 01:00:00.5+01", "2026-01-01T01:00:00.5+01:00"),
        (datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "2026-10-25 02:30:00+02", "2026-10-25T02:30:00+02:00"),
        (datetime(2026, 10, 25, 1, 30, tzinfo=UTC), "2026-10-25 02:30:00+01", "2026-10-25T02:30:00+01:00"),
        (datetime(1890, 1, 1, tzinfo=UTC), "1890-01-01 00:53:28+00:53:28", "1890-01-01T00:00:00+00:00"),
        (datetime(2026, 3, 1, 9, 30), "2026-03-01 09:30:00", "2026-03-01T09:30:00"),  # noqa: DTZ001
    ],
)
def test_instants_are_written_in_the_zone_that_was_chosen(instant: datetime, csv: str, json_: str) -> None:
    assert cell("csv", instant, time_zone="Europe/Berlin") == f'"{csv}"'
    assert json.loads(cell_of_json(instant, time_zone="Europe/Berlin")) == json_


def test_offsets_have_minutes_where_they_need_them() -> None:
    assert cell("csv", datetime(2026, 1, 1, tzinfo=UTC), time_zone="Asia/Kolkata") == '"2026-01-01 05:30:00+05:30"'
    assert cell("csv", datetime(2026, 1, 1, tzinfo=UTC), time_zone="Pacific/Marquesas") == '"2025-12-31 14:30:00-09:30"'
    of_the_time = datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=1))).timetz()
    assert (cell("csv", of_the_time), cell_of_json(of_the_time)) == ('"12:00:00+01"', '"12:00:00+01:00"')


def test_a_local_time_that_repeats_is_two_instants_in_utc() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert [cell("csv", datetime(2026, 10, 25, 2, 30, fold=fold, tzinfo=berlin)) for fold in (0, 1)] == [
        '"2026-10-25 00:30:00+00"', '"2026-10-25 01:30:00+00"',
    ]  # fmt: skip


def test_bytes_may_be_base64() -> None:
    assert cell("csv", b"\xfb\xff", binary="base64") == '"+/8="'
    assert cell("csv", b"\xfb\xff", binary="base64", formulas="guard") == '"\'+/8="'
    assert cell_of_json([b"\0"], binary="base64") == '["AA=="]'


@pytest.mark.parametrize(
    ("policy", "value", "expected", "code"),
    [
        ("text", float("nan"), '"NaN"', "non_finite_text"),
        ("text", [Decimal("-Infinity")], '["-Infinity"]', "non_finite_text"),
        ("null", float("inf"), "null", "non_finite_null"),
        ("null", {"k": float("inf")}, '{"k":null}', "non_finite_null"),
    ],
)
def test_numbers_that_json_does_not_know_are_written_by_policy_and_counted(
    policy: str, value: object, expected: str, code: str
) -> None:
    by_policy = encoder("jsonl", ["a"], non_finite=policy)

    assert written(by_policy, [(1.5,), (value,)]).decode() == f'{{"a":1.5}}\n{{"a":{expected}}}\n'
    assert by_policy.warnings == ({"code": code, "column": "a", "count": 1, "first_rows": [2]},)


@pytest.mark.parametrize(
    ("value", "is_text"),
    [
        (2**53 - 1, False), (-(2**53) + 1, False), (2**53, True), (-(2**53), True), (True, False), (1e300, False),
        (Decimal("123456789012.345"), False), (Decimal("0.000000123456789012345"), False),
        (Decimal("1234567890123.456"), True), (Decimal("1E+15"), True), (Decimal("1.000000000000000"), True),
        (Decimal(0), False), (Decimal("1E-301"), True),
    ],
)  # fmt: skip
def test_numbers_that_readers_round_may_be_strings(value: object, is_text: bool) -> None:
    exact, cautious = cell_of_json(value), cell_of_json(value, json_numbers="text")

    assert cautious == (f'"{exact}"' if is_text else exact)
    assert cell_of_json([value], json_numbers="text") == f"[{exact}]"


def test_json_that_a_database_wrote_stays_as_it_is_but_on_one_line() -> None:
    document = RawJson('{"n": 1.10,\r\n "t": "\\n"}')

    assert cell_of_json(document) == '{"n": 1.10,   "t": "\\n"}'
    assert cell("csv", document, formulas="guard") == '"{""n"": 1.10,\r\n ""t"": ""\\n""}"'
    assert cell_of_json([RawJson("1e400"), "x"]) == '[1e400,"x"]'


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([], "[]\n"),
        ([[]], "[]\n"),
        ([[(1,)]], '[\n{"a":1}\n]\n'),
        ([Page(b'{"a":1},\n{"a":2},\n', 2), Page(b"", 0), [(3,)], [], [(4,), (5,)], Page(b'{"a":6},\n', 1)],
         "[\n" + ",\n".join(f'{{"a":{n}}}' for n in range(1, 7)) + "\n]\n"),
    ],
)  # fmt: skip
def test_a_json_array_is_whole_whatever_it_is_made_of(pieces: list[Any], expected: str) -> None:
    text = written(encoder("json", ["a"]), *pieces).decode()

    assert text == expected
    assert [row["a"] for row in json.loads(text)] == list(range(1, len(json.loads(text)) + 1))


@pytest.mark.parametrize(
    ("name", "content_type", "extension"),
    [
        ("csv", "text/csv; charset=utf-8; header=present", "csv"),
        ("tsv", "text/tab-separated-values; charset=utf-8", "tsv"),
        ("jsonl", "application/jsonl", "jsonl"),
        ("json", "application/json", "json"),
    ],
)
def test_each_format_has_its_media_type_and_ending(name: str, content_type: str, extension: str) -> None:
    made = encoder(name, ["a"])
    assert (made.content_type, made.extension) == (content_type, extension)


def test_a_database_is_told_how_a_row_is_written() -> None:
    options = FileOptions(csv_dialect="excel", csv_delimiter=";", csv_decimal_mark=",", csv_quoting="minimal")

    assert FORMATS["csv"].text(options) == CsvText(options, ";", "\r\n", "minimal", ",", guard_formulas=True)
    assert FORMATS["tsv"].text(FileOptions()) == CsvText(FileOptions(), "\t")
    assert FORMATS["json"].text(options) == JsonText(options, ",\n")


def cell_of_json(value: object, **options: Any) -> str:
    line = written(encoder("jsonl", ["a"], **options), [(value,)]).decode()
    assert line.startswith('{"a":')
    assert line.endswith("}\n")
    return line[len('{"a":') : -2]
