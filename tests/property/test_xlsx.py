# ruff: noqa: DTZ001 - local times have no zone
"""Whatever the rows hold, two readers that are not ours get the same values back, and the workbook is valid."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from itertools import zip_longest
from math import isfinite
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from openpyxl.utils.escape import unescape

from outlast.formats import Column, FileOptions, Kind, Shape
from outlast.formats.json_cells import json_cells
from outlast.formats.policy import Strict
from outlast.formats.report import Report
from outlast.formats.xlsx.cells import CellWriters
from outlast.formats.xlsx.columns import ColumnWriter, quick_writers
from outlast.formats.xlsx.places import Place
from outlast.formats.xlsx.styles import styles_of
from tests.support.encoders import encoder, written
from tests.support.workbooks import by_calamine, by_openpyxl, cells, parts


class Own(str):
    """Text of a type of its own, which says something else of itself."""

    __slots__ = ()

    def __str__(self) -> str:
        return "something else"


FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
NO_XML = [*map(chr, (*range(9), 11, 12, *range(14, 32))), "\ufffe", "\uffff"]
# What escapes, edges and marks are made of comes often enough to meet itself.
PIECES = st.sampled_from(
    ["_x", "_x0041_", "_x005F_", "000D", "_", "\r", "\n", "\t", " ", "\xa0", "☃", "&", "<", "]]>", "=1+1"]
)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=NO_XML)) | st.lists(PIECES).map("".join)
WILD_TEXT = st.text() | st.lists(PIECES | st.sampled_from(["\0", "\ud800", "\udcff", "\x1f"])).map("".join)
NUMBERS = st.integers() | st.integers(10**10, 10**17) | st.integers(-(2**53) - 3, -(2**53) + 3)
UTC_ALONE: st.SearchStrategy[tzinfo] = st.just(UTC)
INSTANTS = st.datetimes(
    min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1),
    timezones=st.just(UTC) | st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)  # fmt: skip
MODERN = datetime(1890, 1, 1), datetime(2090, 1, 1)
CELLS: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXT,
    "integer": NUMBERS,
    "boolean": st.booleans(),
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "decimal": st.decimals(allow_nan=False, allow_infinity=False) | st.decimals(-(10**9), 10**9, places=2),
    "date": st.dates(),
    "local": st.datetimes() | st.datetimes(*MODERN),
    "instant": INSTANTS | st.datetimes(*MODERN, timezones=UTC_ALONE),
    "time": st.times(),
    "uuid": st.uuids(),
    "bytes": st.binary(),
    "document": st.dictionaries(st.text(st.characters(exclude_categories=["Cs", "Cn"])), st.integers(), max_size=3),
    "own text": TEXT.map(Own),
    "mixed": TEXT | NUMBERS | st.booleans() | st.dates(),
}
COLUMNS = tuple(CELLS)
ROWS = st.lists(st.tuples(*(st.none() | cell for cell in CELLS.values())), max_size=12)
MILLISECOND = timedelta(milliseconds=1)


def same(value: Any, found: Any) -> bool:  # noqa: ANN401 - any cell
    """Say whether a reader found the value: as what it is, or as exact text where a cell can't hold it."""
    if value is None or value == "":
        return found is None or found == ""
    if isinstance(found, str) and isinstance(value, date | time):
        return bool(type(value).fromisoformat(found) == value)
    return _as_text(value) == found if isinstance(found, str) else _same_typed(value, found)


def _as_text(value: Any) -> str | None:  # noqa: ANN401 - any cell
    if isinstance(value, bool | float) and not (isinstance(value, float) and 0 < abs(value) < 2.3e-308):
        return None
    if isinstance(value, int) and abs(value) <= 2**53:
        return None
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return json_cells(Strict())[dict](value)
    return (
        format(value, "f")
        if isinstance(value, Decimal)
        else str.__str__(value)
        if isinstance(value, str)
        else str(value)
    )


def _same_typed(value: Any, found: Any) -> bool:  # noqa: ANN401 - any cell
    if isinstance(value, Decimal):
        return Decimal(repr(found)) == value
    if isinstance(value, datetime):
        local = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
        at = (
            found if isinstance(found, datetime) else datetime.combine(found, time())
        )  # to calamine, midnight is a date
        return abs(at - local) <= MILLISECOND
    if isinstance(value, date):
        return bool(found in {value, datetime(value.year, value.month, value.day)})
    if isinstance(value, time):
        return isinstance(found, time) and abs(_since_midnight(found) - _since_midnight(value)) <= MILLISECOND
    return bool(found == value) and isinstance(found, bool) == isinstance(value, bool)


def _since_midnight(value: time) -> timedelta:
    return datetime.combine(date.min, value) - datetime.combine(date.min, time())


@given(ROWS)
def test_two_readers_find_every_value(rows: Sequence[Sequence[object]]) -> None:
    file = written(encoder("xlsx", COLUMNS), rows)

    parts(file)
    readings = (by_openpyxl(file), by_openpyxl(file, read_only=True), by_calamine(file))
    for header, *found in readings:
        assert tuple(header) == COLUMNS
        for row, read in zip_longest(rows, found, fillvalue=()):  # a row of NULLs alone may be none to a reader
            for value, cell in zip_longest(row, read):
                assert same(value, cell), (value, cell)


@given(
    st.sampled_from(COLUMNS).flatmap(lambda kind: st.lists(st.none() | CELLS[kind], min_size=1)),
    st.sampled_from([None, "Europe/Berlin"]),
)
def test_the_quick_way_and_the_careful_one_write_the_same(values: Sequence[object], zone: str | None) -> None:
    assert _column(values, zone, quick=True) == _column(values, zone, quick=False)


def _column(values: Sequence[object], zone: str | None, *, quick: bool) -> list[str]:
    column, options = Column("v", Kind.DECIMAL, 12, 2), FileOptions(time_zone=zone)
    place = Place(options, Report())
    numbers = {name: number for number, name in enumerate(styles_of(Shape((column,))))}
    writers = quick_writers(column, options, numbers) if quick else {}
    writer = ColumnWriter("v", "A", writers, CellWriters(options, place, numbers, "python").of(column))
    template, inserts = writer.write(values, [str(row) for row in range(2, len(values) + 2)], place)
    return [template % inserted for inserted in zip(*inserts, strict=True)]


@given(ROWS, st.integers(0, 12))
def test_how_rows_are_batched_changes_nothing(rows: Sequence[Sequence[object]], cut: int) -> None:
    whole = written(encoder("xlsx", COLUMNS), rows)

    assert parts(whole) == parts(written(encoder("xlsx", COLUMNS), rows[:cut], [], rows[cut:]))


@given(
    st.lists(
        st.tuples(st.none() | WILD_TEXT, st.floats() | st.decimals(), st.none() | st.lists(WILD_TEXT, max_size=2))
    ),
    st.sampled_from(["replace", "hex"]),
    st.sampled_from(["text", "null"]),
)
def test_under_a_policy_every_row_is_written_and_changes_are_counted(
    rows: Sequence[Sequence[Any]], unencodable: str, non_finite: str
) -> None:
    made = encoder("xlsx", ["t", "n", "d"], unencodable=unencodable, non_finite=non_finite)
    file = written(made, rows)

    parts(file)
    counts = {(warning["code"], warning["column"]): warning["count"] for warning in made.warnings}
    troubled = sum(1 for text, _, _ in rows if text is not None and FORBIDDEN.search(text))
    unbounded = sum(
        1 for _, number, _ in rows if not (number.is_finite() if isinstance(number, Decimal) else isfinite(number))
    )
    assert counts.get(("hex" if unencodable == "hex" else "replaced", "t"), 0) == troubled
    assert counts.get((f"non_finite_{non_finite}", "n"), 0) == unbounded
    for number, (text, *_) in enumerate(rows, 2):
        if text is not None and not FORBIDDEN.search(text):
            assert unescape(cells(file)[f"A{number}"][1]) == text
