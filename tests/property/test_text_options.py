"""Whatever options are chosen, independent readers get every value back, and every way gives the same bytes."""

import csv
import io
import json
import re
from base64 import b64decode
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from unittest.mock import patch
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from outlast.formats import FORMATS, Column, FileOptions, Shape
from outlast.formats.text import TextEncoder
from tests.support.csv_reader import fields
from tests.support.encoders import written

TEXT_FORMATS = ("csv", "tsv", "jsonl", "json")
TELLING = st.sampled_from(
    ["", " ", "=1+1", " =x", "+", "-2", "@a", "\tx", "\r", "\n=", "\uff1d1", "¦", "¦=", 'a"b', "\0", ";"]
)
TEXT = TELLING | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
ZONE = ZoneInfo("Europe/Berlin")
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False)
MOMENTS = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1))  # noqa: DTZ001 - local, or in the zone that is drawn
INSTANTS = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=st.sampled_from([UTC, ZONE]))  # noqa: DTZ001
COLUMNS: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXT,
    "integer": st.integers() | st.integers(-(2**53) - 2, 2**53 + 2),
    "float": FLOATS,
    "decimal": DECIMALS,
    "boolean": st.booleans(),
    "date": st.dates(),
    "moment": MOMENTS,
    "instant": INSTANTS,
    "bytes": st.binary(max_size=4),
    "interval": st.timedeltas(),
    "uuid": st.uuids(),
    "mixed": TEXT | st.integers() | FLOATS | st.dates() | st.lists(TEXT, max_size=2),
}
NAMES = tuple(COLUMNS)
ROWS = st.lists(st.tuples(*(st.none() | cell for cell in COLUMNS.values())), max_size=6) | st.lists(
    st.tuples(*COLUMNS.values()), max_size=6
)
DIALECTS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "unencodable": st.just("replace"),
        "csv_dialect": st.sampled_from(["rfc4180", "excel"]),
        "csv_quoting": st.sampled_from(["all", "minimal"]),
        "csv_delimiter": st.sampled_from([";", "\t", "|"]),
        "csv_decimal_mark": st.sampled_from([".", ","]),
        "formulas": st.sampled_from([None, "guard", "keep"]),
        "time_zone": st.sampled_from([None, "Europe/Berlin"]),
        "binary": st.sampled_from(["hex", "base64"]),
        "json_numbers": st.sampled_from(["exact", "text"]),
    }
)
FORMULA_STARTS = {"=", "+", "-", "@", "\t", "\r", "\n", "\0", "\uff1d", "\uff0b", "\uff0d", "\uff20"}
INTERVAL = re.compile(r"P(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d+(?:\.\d+)?)S)?)?")
SPELLINGS = st.sampled_from(["python", "sqlite", "postgresql"])


def make(name: str, options: dict[str, Any], floats: Any = "python") -> TextEncoder:  # noqa: ANN401 - a literal
    encoder = FORMATS[name].encoder(Shape(tuple(map(Column, NAMES)), floats), FileOptions(**options))
    assert isinstance(encoder, TextEncoder)
    return encoder


@given(ROWS, DIALECTS, SPELLINGS, st.sampled_from(TEXT_FORMATS))
def test_the_quick_way_gives_what_the_careful_one_gives(
    rows: Sequence[Sequence[object]], options: dict[str, Any], floats: str, name: str
) -> None:
    quick, careful = make(name, options, floats), make(name, options, floats)

    with patch.object(careful, "_encode_quickly", side_effect=UnicodeError):
        expected = written(careful, rows)

    assert written(quick, rows) == expected
    assert quick.warnings == careful.warnings


@given(ROWS, DIALECTS, SPELLINGS, st.sampled_from(TEXT_FORMATS), st.integers(0, 6))
def test_batches_cut_anywhere_give_the_same_bytes(
    rows: Sequence[Sequence[object]], options: dict[str, Any], floats: str, name: str, cut: int
) -> None:
    whole, parts = make(name, options, floats), make(name, options, floats)

    assert written(whole, rows) == written(parts, rows[:cut], [], rows[cut:])
    assert whole.warnings == parts.warnings


@given(ROWS, DIALECTS, st.sampled_from(["csv", "tsv"]))
def test_csv_of_every_dialect_brings_every_value_back(
    rows: Sequence[Sequence[Any]], options: dict[str, Any], name: str
) -> None:
    rows = [row[:-1] for row in rows]
    text = written(FORMATS[name].encoder(Shape(tuple(map(Column, NAMES[:-1]))), FileOptions(**options)), rows).decode()
    delimiter = "\t" if name == "tsv" else options["csv_delimiter"]
    excel = options["csv_dialect"] == "excel"
    assert text.startswith("\ufeff") == excel

    header, *records = fields(text.removeprefix("\ufeff"), delimiter, "\r\n" if excel else "\n")

    assert tuple(header) == NAMES[:-1]
    assert [list(map(str, map(_or_empty, record))) for record in records] == list(
        csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    )[1:]
    assert [_read(record, options) for record in records] == [_expected(row, options) for row in rows]


@given(ROWS, st.sampled_from(["jsonl", "json"]), SPELLINGS, st.sampled_from(["exact", "text"]))
def test_json_brings_every_value_back(rows: Sequence[Sequence[Any]], name: str, floats: str, json_numbers: str) -> None:
    text = written(make(name, {"json_numbers": json_numbers}, floats), rows).decode()

    found = (
        json.loads(text, parse_float=Decimal, parse_constant=_refuse) if name == "json"
        else [json.loads(line, parse_float=Decimal, parse_constant=_refuse) for line in text.split("\n")[:-1]]
    )  # fmt: skip

    assert [tuple(row) for row in found] == [NAMES] * len(rows)
    for row, (text_, integer, float_, decimal, boolean, *_) in zip(found, rows, strict=True):
        assert (row["text"], row["boolean"]) == (text_, boolean)
        assert row["float"] is None if float_ is None else float(row["float"]) == float_
        assert row["decimal"] is None if decimal is None else Decimal(row["decimal"]) == decimal
        assert row["integer"] is None if integer is None else int(row["integer"]) == integer
        if json_numbers == "text" and integer is not None:
            assert isinstance(row["integer"], str) == (abs(integer) >= 2**53)
        if json_numbers == "text" and isinstance(row["decimal"], Decimal | int):
            assert Decimal(repr(float(decimal))) == decimal, "a reader of doubles would have rounded it"


def _or_empty(field: str | None) -> str:
    return field or ""


def _expected(row: Sequence[Any], options: dict[str, Any]) -> list[Any]:
    text, *others, interval, uuid = row
    guards = options["formulas"] == "guard" or (options["formulas"] is None and options["csv_dialect"] == "excel")
    if text is not None and options["csv_dialect"] == "excel":
        text = "".join("\ufffd" if _unheld(character) else character for character in text)
    if text is not None and guards and text.lstrip(" ")[:1] in FORMULA_STARTS:
        text = f"'{text}"
    return [text, *others, interval, uuid and str(uuid)]


def _unheld(character: str) -> bool:
    return (character < " " and character not in "\t\n\r") or character in "\ufffe\uffff"


def _read(record: Sequence[str | None], options: dict[str, Any]) -> list[Any]:
    text, integer, float_, decimal, boolean, day, moment, instant, data, interval, uuid = record
    mark = options["csv_decimal_mark"]
    return [
        text,
        integer and int(integer),
        float_ and float(float_.replace(mark, ".")),
        decimal and Decimal(decimal.replace(mark, ".")),
        boolean and {"true": True, "false": False}[boolean],
        day and date.fromisoformat(day),
        moment and datetime.fromisoformat(moment),
        instant and datetime.fromisoformat(instant),
        None if data is None else _bytes(data, options),
        interval and _interval(interval),
        uuid,
    ]


def _bytes(text: str, options: dict[str, Any]) -> bytes:
    return b64decode(text.removeprefix("'"), validate=True) if options["binary"] == "base64" else bytes.fromhex(text)


def _interval(text: str) -> timedelta:
    match = INTERVAL.fullmatch(text)
    assert match is not None
    days, hours, minutes = (int(number or 0) for number in match.groups()[:3])
    microseconds = int(Decimal(match[4] or 0) * 1_000_000)
    return timedelta(days=days, hours=hours, minutes=minutes, microseconds=microseconds)


def _refuse(word: str) -> None:
    message = f"{word} is not JSON"
    raise ValueError(message)
