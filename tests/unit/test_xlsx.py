# ruff: noqa: DTZ001 - local times have no zone
"""A workbook's cells are what the rows hold, or say so: read back by two readers that are not ours."""

import io
import subprocess
import sys
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import openpyxl
import pytest

from outlast.errors import ExportFailedError, FailureCode
from outlast.formats import Column, Kind, Page
from outlast.formats.xlsx import encoder as xlsx
from tests.support.encoders import encoder, written
from tests.support.workbooks import by_calamine, by_openpyxl, cells, looks, parts

EAST = timezone(timedelta(hours=5, minutes=30))


class Colour(Enum):
    RED = "red"


def one(value: object, **options: Any) -> bytes:
    return written(encoder("xlsx", ["v"], **options), [(value,)])


def cell(value: object, **options: Any) -> tuple[str | None, str]:
    return cells(one(value, **options))["A2"]


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (7, 7),
        (-(2**53), -(2**53)),
        (1.1, 1.1),
        (5e300, 5e300),
        (Decimal("12.50"), 12.5),
        (Decimal("0.00000012345678901234"), 1.2345678901234e-7),
        (Decimal("0E+999"), 0),
        (True, True),
        (False, False),
        (date(2026, 3, 1), datetime(2026, 3, 1)),
        (date(1900, 3, 1), datetime(1900, 3, 1)),
        (date(9999, 12, 31), datetime(9999, 12, 31)),
        (datetime(2026, 3, 1, 9, 30), datetime(2026, 3, 1, 9, 30)),
        (datetime(2026, 3, 1, 9, 30, 0, 123_000), datetime(2026, 3, 1, 9, 30, 0, 123_000)),
        (datetime(9999, 12, 31, 23, 59, 59), datetime(9999, 12, 31, 23, 59, 59)),
        (datetime(2026, 3, 1, 9, 30, tzinfo=UTC), datetime(2026, 3, 1, 9, 30)),
        (datetime(2026, 3, 1, 9, 30, tzinfo=EAST), datetime(2026, 3, 1, 4, 0)),
        (time(9, 30), time(9, 30)),
        (time(0, 0), time(0, 0)),
        (time(23, 59, 59, 999_000), time(23, 59, 59, 999_000)),
    ],
)
def test_what_a_cell_can_hold_is_typed(value: object, read: object) -> None:
    file = one(value)

    assert by_openpyxl(file)[1] == [read]
    assert type(by_openpyxl(file)[1][0]) is type(read)
    assert by_calamine(file)[1] == [read.date() if type(value) is date and isinstance(read, datetime) else read]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("=1+1", "=1+1"),
        ("00123", "00123"),
        ("1e5", "1e5"),
        ("https://example.com", "https://example.com"),
        ("TRUE", "TRUE"),
        ("", ""),
        (" \tedges\n", " \tedges\n"),
        ("a\r\nb\rc", "a\r\nb\rc"),
        ("_x0041_", "_x0041_"),
        ("_x000D\r", "_x000D\r"),
        ("<&>\"'", "<&>\"'"),
        ("日本 \U0001f600 \N{SNOWMAN}", "日本 \U0001f600 \N{SNOWMAN}"),
        (b"\x00\xff", "00ff"),
        (UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        (Colour.RED, "red"),
        ({"a": [1, None, "\x01"]}, '{"a":[1,null,"\\u0001"]}'),
        ([1, 2], "[1,2]"),
        (timedelta(days=1, seconds=3), "P1DT3S"),
    ],
)
def test_text_is_text_and_what_has_no_type_in_a_sheet_is_text(value: object, text: str) -> None:
    file = one(value)

    assert cells(file)["A2"][0] == "inlineStr"
    assert by_openpyxl(file)[1] == by_openpyxl(file, read_only=True)[1] == [text]
    assert by_calamine(file)[1] == [text]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2**53 + 1, "9007199254740993"),
        (-(2**53) - 1, "-9007199254740993"),
        (Decimal("1234567890.123456"), "1234567890.123456"),
        (Decimal("1E+400"), "1" + "0" * 400),
        (Decimal("1E-5000"), "1E-5000"),
        (5e-324, "5e-324"),
        (date(1900, 2, 28), "1900-02-28"),
        (date(1, 1, 1), "0001-01-01"),
        (datetime(1899, 12, 31, 12), "1899-12-31T12:00:00"),
        (datetime(2300, 1, 1, 0, 0, 0, 1), "2300-01-01T00:00:00.000001"),
        (datetime(1, 1, 1, tzinfo=EAST), "0001-01-01T00:00:00+05:30"),
        (time(23, 59, 59, 999_999), "23:59:59.999999"),
        (time(9, 30, tzinfo=EAST), "09:30:00+05:30"),
    ],
)
def test_what_a_cell_would_show_as_something_else_is_exact_text_and_counted(value: object, text: str) -> None:
    made = encoder("xlsx", ["n", "v"])
    file = written(made, [(1, None), (2, value)])

    assert by_openpyxl(file)[2] == [2, text]
    assert made.warnings == ({"code": "as_text", "column": "v", "count": 1, "first_rows": [2]},)


def test_an_integer_longer_than_python_prints_is_whole() -> None:
    assert cell(10**5000) == ("inlineStr", "1" + "0" * 5000)


def test_null_is_no_cell_and_empty_text_is_one() -> None:
    found = cells(written(encoder("xlsx", ["a", "b"]), [(None, "")]))

    assert "A2" not in found
    assert found["B2"] == ("inlineStr", "")


def test_a_local_time_that_the_clocks_show_twice_is_text_with_its_offset() -> None:
    instants = [datetime(2026, 10, 25, hour, 30, tzinfo=UTC) for hour in range(4)]
    made = encoder("xlsx", ["at"], time_zone="Europe/Berlin")
    file = written(made, [(instant,) for instant in instants])

    assert [value for (value,) in by_openpyxl(file)[1:]] == [
        "2026-10-25T02:30:00+02:00",
        "2026-10-25T02:30:00+01:00",
        datetime(2026, 10, 25, 3, 30),
        datetime(2026, 10, 25, 4, 30),
    ]
    assert made.warnings == ({"code": "as_text", "column": "at", "count": 2, "first_rows": [1, 2]},)


def test_each_microsecond_is_in_the_file_although_readers_round() -> None:
    at = datetime(2026, 3, 1, 9, 30, 0, 123_457)
    kind, text = cell(at)

    assert kind is None
    assert round(float(text) * 86_400_000_000) == (at - datetime(1899, 12, 30)) // timedelta(microseconds=1)


def test_a_moment_that_would_be_shown_on_the_next_day_is_text() -> None:
    late = datetime(2026, 12, 31, 23, 59, 59, 999_500)
    file = written(made := encoder("xlsx", ["at"]), [(late,), (late.replace(microsecond=999_499),)])

    for reading in (by_openpyxl(file), by_calamine(file)):
        assert reading[1] == ["2026-12-31T23:59:59.9995"]
        assert reading[2][0].date() == late.date()
    assert made.warnings == ({"code": "as_text", "column": "at", "count": 1, "first_rows": [1]},)


@pytest.mark.parametrize(
    ("policy", "expected"), [("text", [["NaN"], ["Infinity"], ["-Infinity"], ["NaN"]]), ("null", [[None]] * 4)]
)
def test_numbers_that_are_not_finite_become_what_the_policy_says(policy: str, expected: list[list[object]]) -> None:
    made = encoder("xlsx", ["v"], non_finite=policy)
    file = written(made, [(float("nan"),), (float("inf"),), (float("-inf"),), (Decimal("NaN"),), (1.5,)])

    assert by_openpyxl(file)[1:] == [*expected, [1.5]]
    assert made.warnings == ({"code": f"non_finite_{policy}", "column": "v", "count": 4, "first_rows": [1, 2, 3, 4]},)


@pytest.mark.parametrize("value", ["\x01", "\x00", "\udcff", "\uffff", float("nan"), Decimal("Infinity"), object()])
def test_what_no_cell_can_hold_fails_and_names_its_place(value: object) -> None:
    with pytest.raises(ExportFailedError) as failed:
        written(encoder("xlsx", ["n", "v"]), [(1, "fine"), (2, "fine")], [(3, value)])

    assert failed.value.code is FailureCode.UNENCODABLE_VALUE
    assert "row 3, column 'v'" in str(failed.value.detail)


@pytest.mark.parametrize(
    ("policy", "code", "texts"),
    [
        ("replace", "replaced", ["a\N{REPLACEMENT CHARACTER}", "\N{REPLACEMENT CHARACTER}b"]),
        ("hex", "hex", ["6100", "ff62"]),
    ],
)
def test_forbidden_characters_become_what_the_policy_says(policy: str, code: str, texts: list[str]) -> None:
    made = encoder("xlsx", ["v"], unencodable=policy)
    file = written(made, [("fine",), ("a\0",), ("\udcffb",)])

    assert [value for (value,) in by_openpyxl(file)[1:]] == ["fine", *texts]
    assert made.warnings == ({"code": code, "column": "v", "count": 2, "first_rows": [2, 3]},)


def test_text_with_troubles_of_two_kinds_is_counted_once() -> None:
    made = encoder("xlsx", ["v"], unencodable="replace")
    file = written(made, [("\udcff\0",)])

    assert by_openpyxl(file)[1:] == [["\N{REPLACEMENT CHARACTER}" * 2]]
    assert made.warnings == ({"code": "replaced", "column": "v", "count": 1, "first_rows": [1]},)


def test_text_longer_than_a_cell_fails_or_is_cut_between_characters() -> None:
    long = "\U0001f600" * 16_384
    with pytest.raises(ExportFailedError, match="more than 32767 characters"):
        one(long)
    made = encoder("xlsx", ["v"], unencodable="hex")
    file = written(made, [("x" * 32_767,), (long,)])

    assert by_openpyxl(file)[1:] == [["x" * 32_767], ["\U0001f600" * 16_383]]
    assert made.warnings == ({"code": "cut", "column": "v", "count": 1, "first_rows": [2]},)


def test_rows_past_a_sheets_end_go_on_in_a_further_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "SHEET_ROWS", 1001)
    rows = [(number, f"text {number}") for number in range(2500)]
    file = written(encoder("xlsx", ["a", "b"]), rows[:700], rows[700:])

    book = openpyxl.load_workbook(io.BytesIO(file))
    assert book.sheetnames == ["Export", "Export (2)", "Export (3)"]
    assert [sheet.freeze_panes for sheet in book.worksheets] == ["A2"] * 3
    assert sum(sheet.sheet_view.tabSelected or False for sheet in book.worksheets) == 1
    found = [by_calamine(file, sheet) for sheet in range(3)]
    assert [sheet[0] for sheet in found] == [["a", "b"]] * 3
    assert [len(sheet) for sheet in found] == [1001, 1001, 501]
    assert [tuple(row) for sheet in found for row in sheet[1:]] == rows


def test_rows_that_fill_a_sheet_exactly_need_no_further_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "SHEET_ROWS", 1001)
    file = written(encoder("xlsx", ["a"], sheet_overflow="fail"), [(number,) for number in range(1000)], [])

    assert openpyxl.load_workbook(io.BytesIO(file)).sheetnames == ["Export"]


def test_rows_past_a_sheets_end_fail_where_that_was_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "SHEET_ROWS", 1001)
    with pytest.raises(ExportFailedError, match="ends with row 1000") as failed:
        written(encoder("xlsx", ["a"], sheet_overflow="fail"), [(number,) for number in range(1001)])

    assert failed.value.code is FailureCode.RESULT_TOO_LARGE


def test_a_sheet_ends_before_its_xml_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "SHEET_BYTES", 100_000)
    rows = [(number, "x" * 50) for number in range(5000)]
    file = written(encoder("xlsx", ["a", "b"]), *(rows[start : start + 500] for start in range(0, 5000, 500)))

    count = len(openpyxl.load_workbook(io.BytesIO(file)).sheetnames)
    assert count > 2
    assert [tuple(row) for sheet in range(count) for row in by_calamine(file, sheet)[1:]] == rows


def test_more_columns_than_a_sheet_has_are_refused() -> None:
    names = [f"c{number}" for number in range(16_385)]
    with pytest.raises(ExportFailedError, match="16385 columns") as failed:
        written(encoder("xlsx", names), [])

    assert failed.value.code is FailureCode.RESULT_TOO_LARGE


def test_no_rows_are_a_workbook_with_its_header() -> None:
    file = written(encoder("xlsx", ["a", " b & <c>", "_x0041_"]))

    assert by_openpyxl(file) == by_calamine(file) == [["a", " b & <c>", "_x0041_"]]


def test_the_header_is_bold_and_frozen_and_columns_are_as_wide_as_they_need() -> None:
    rows = [(1, "x" * 30, "y" * 5000)]
    sheet = openpyxl.load_workbook(io.BytesIO(written(encoder("xlsx", ["a", "b", "c"]), rows))).worksheets[0]

    assert all(sheet.cell(1, column).font.bold for column in (1, 2, 3))
    assert not sheet.cell(2, 2).font.bold
    assert sheet.freeze_panes == "A2"
    widths = [sheet.column_dimensions[letter].width for letter in "ABC"]
    assert 8 <= widths[0] < 10
    assert 30 < widths[1] < 35
    assert 60 <= widths[2] < 62


def test_numbers_look_as_their_types_do() -> None:
    columns = [*map(Column, "iafbt"), Column("d", Kind.DECIMAL, 10, 2)]
    at = datetime(2026, 3, 1, 9)
    row = (10**12, at, at.replace(microsecond=5000), at.date(), at.time(), Decimal("12.50"))

    found = looks(written(encoder("xlsx", columns), [row]))
    assert [found[f"{letter}2"] for letter in "ABCDEF"] == [
        "0", "yyyy-mm-dd hh:mm:ss", "yyyy-mm-dd hh:mm:ss.000", "yyyy-mm-dd", "hh:mm:ss", "0.00",
    ]  # fmt: skip


def test_the_same_rows_are_the_same_bytes() -> None:
    rows = [(number, "text", datetime(2026, 3, 1)) for number in range(1000)]

    assert written(encoder("xlsx", ["a", "b", "c"]), rows) == written(encoder("xlsx", ["a", "b", "c"]), rows)
    assert b"1980-01-01T00:00:00Z" in parts(written(encoder("xlsx", ["a"]), []))["docProps/core.xml"]


def test_without_isal_the_workbook_is_the_same_one(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(number, f"text {number}") for number in range(3000)]
    quick = written(encoder("xlsx", ["a", "b"]), rows)
    monkeypatch.setitem(sys.modules, "isal.isal_zlib", None)

    assert parts(written(encoder("xlsx", ["a", "b"]), rows)) == parts(quick)


def test_bytes_come_while_rows_are_still_to_come() -> None:
    taken = 0

    def batches() -> Any:  # noqa: ANN401 - an iterator of rows
        nonlocal taken
        for taken in range(1, 200):  # noqa: B007 - it is asked for outside
            yield [(number * 7919 % 1_000_003, f"{number * 104_729 % 999_983:x}") for number in range(500)]

    stream = encoder("xlsx", ["a", "b"]).stream(batches())
    first = next(piece for piece in stream if len(piece) > 10_000)
    assert first
    assert taken < 50


def test_a_databases_text_is_never_taken_for_rows() -> None:
    with pytest.raises(TypeError):
        written(encoder("xlsx", ["a"]), Page(b"1\n", 1))


def test_who_writes_no_workbook_imports_nothing_for_it() -> None:
    code = "import outlast.formats, sys; assert not {'xlsxwriter', 'stream_zip'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
