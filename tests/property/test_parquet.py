"""Whatever typed rows hold, pyarrow and DuckDB read exactly the same values back, from values and from CSV alike."""

import csv
import io
import json
import math
import tempfile
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from outlast.formats import Column, Kind, Page, RawJson
from outlast.formats.times import duration, time_cells
from tests.support.encoders import encoder, written

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
OFFSETS = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
CELLS: dict[Kind, st.SearchStrategy[Any]] = {
    Kind.INTEGER: st.integers(-(2**63), 2**63 - 1),
    Kind.FLOAT: st.floats(),
    Kind.DECIMAL: st.decimals(-(10**20), 10**20, places=7, allow_nan=False),
    Kind.BOOLEAN: st.booleans(),
    Kind.TEXT: TEXT,
    Kind.BYTES: st.binary(),
    Kind.DATE: st.dates(),
    Kind.TIME: st.times(),
    Kind.DATETIME: st.datetimes(),
    Kind.INSTANT: st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=OFFSETS),  # noqa: DTZ001 - it has one
    Kind.INTERVAL: st.timedeltas(),
    Kind.UUID: st.uuids(),
    Kind.JSON: st.dictionaries(TEXT, st.none() | st.integers() | TEXT, max_size=3).map(
        lambda value: RawJson(json.dumps(value))
    ),
    Kind.ARRAY: st.lists(st.integers() | TEXT, max_size=3).map(lambda value: RawJson(json.dumps(value))),
}
COLUMNS = [Column(kind.value, kind) for kind in CELLS]
PRECISE = [Column(kind.value, kind, *((30, 7) if kind is Kind.DECIMAL else ())) for kind in CELLS]
ROWS = st.lists(st.tuples(*(st.none() | cell for cell in CELLS.values())), max_size=8)
FORMATS = ("parquet", "arrow")
SQL = time_cells("sql")


def read(name: str, data: bytes) -> pa.Table:
    """Read the file by pyarrow, and see that it is whole."""
    table = pq.read_table(io.BytesIO(data)) if name == "parquet" else pa.ipc.open_file(io.BytesIO(data)).read_all()
    table.validate(full=True)
    return table


def expected(column: Column, value: Any) -> Any:  # noqa: ANN401 - any cell
    """What a reader gets for a value: text for what Arrow has no type for, floats by their bits."""
    if value is None:
        return None
    if column.kind is Kind.INTERVAL:
        return duration(value)
    if column.kind is Kind.DECIMAL and column.precision is None:
        return format(value, "f")
    return bits(value) if column.kind is Kind.FLOAT else value


def wanted(rows: Sequence[Sequence[Any]], columns: Sequence[Column]) -> dict[str, list[Any]]:
    """What a reader gets, by columns."""
    return {column.name: [expected(column, row[at]) for row in rows] for at, column in enumerate(columns)}


def values(table: pa.Table, columns: Sequence[Column]) -> dict[str, list[Any]]:
    """What the reader got, by columns."""
    found = {column.name: table.column(at).to_pylist() for at, column in enumerate(columns)}
    return {name: list(map(bits, cells)) if name == Kind.FLOAT else cells for name, cells in found.items()}


def bits(value: float | None) -> Any:  # noqa: ANN401 - a float, told apart as == doesn't
    """Tell zeros apart, and NaN from nothing."""
    return value if value is None else "NaN" if math.isnan(value) else (math.copysign(1, value), value)


def line(row: Sequence[Any]) -> str:
    """Write a row as a database does; independent of the encoders."""
    return ",".join(field(value) for value in row) + "\n"


def field(value: Any) -> str:  # noqa: ANN401, PLR0911 - a table of types
    """Write a field."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float() if math.isfinite(value):
            return repr(value)
        case float():
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        case Decimal():
            return format(value, "f")
        case bytes():
            return f'"{value.hex()}"'
        case date() | time() | timedelta():
            return f'"{SQL[type(value)](value)}"'
        case _:
            doubled = str(value).replace('"', '""')
            return f'"{doubled}"'


@pytest.mark.parametrize("columns", [COLUMNS, PRECISE], ids=["undeclared", "declared"])
@pytest.mark.parametrize("name", FORMATS)
@given(rows=ROWS, cut=st.integers(0, 8))
@example(rows=[(None,) * len(CELLS)], cut=0)
def test_values_and_text_give_the_same_table_and_every_value_back(
    name: str, columns: list[Column], rows: list[tuple[Any, ...]], cut: int
) -> None:
    first, rest = rows[:cut], rows[cut:]
    page = Page("".join(map(line, rest)).encode(), len(rest))
    by_values = encoder(name, columns)
    by_text = encoder(name, columns)
    table = read(name, written(by_values, first, rest))
    other = read(name, written(by_text, first, page))
    assert other.schema.equals(table.schema, check_metadata=True)
    assert values(other, columns) == values(table, columns) == wanted(rows, columns)
    assert by_values.warnings == by_text.warnings == ()


@given(rows=ROWS)
def test_duckdb_reads_the_same_values(rows: list[tuple[Any, ...]]) -> None:
    data = written(encoder("parquet", PRECISE), rows)
    with tempfile.TemporaryDirectory() as directory, duckdb.connect() as connection:
        path = Path(directory, "rows.parquet")
        path.write_bytes(data)
        # Instants as microseconds: DuckDB's Python wants a further library for the time zone.
        found = connection.execute(f"SELECT * REPLACE (epoch_us(instant) AS instant) FROM '{path}'").fetchall()  # noqa: S608
    assert len(found) == len(rows)
    for row, back in zip(rows, found, strict=True):
        for column, value, seen in zip(PRECISE, row, back, strict=True):
            due = expected(column, value)
            if column.kind is Kind.INSTANT and value is not None:
                due = (value - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
            assert (bits(seen) if column.kind is Kind.FLOAT else seen) == due, column.name


@pytest.mark.parametrize("name", FORMATS)
@given(rows=st.lists(st.tuples(*(st.none() | cell for cell in CELLS.values())), min_size=1, max_size=8))
def test_columns_of_unknown_kind_hold_their_values_in_a_type_that_fits(name: str, rows: list[tuple[Any, ...]]) -> None:
    table = read(name, written(encoder(name, [kind.value for kind in CELLS]), rows))
    assert values(table, COLUMNS) == wanted(rows, COLUMNS)


@given(values=st.lists(st.none() | st.integers() | TEXT | st.booleans() | st.binary() | st.dates(), max_size=8))
def test_mixed_values_are_text_or_what_they_are(values: list[Any]) -> None:
    table = read("parquet", written(encoder("parquet", ["mixed"], unencodable="fail"), [(value,) for value in values]))
    found = table.column(0).to_pylist()
    if table.schema.field(0).type == pa.string():
        assert found == [None if value is None else as_csv_reads(value) for value in values]
    else:
        assert found == values
        assert [type(value) for value in found] == [type(value) for value in values]


def as_csv_reads(value: Any) -> str:  # noqa: ANN401 - any cell
    """Give the text of the value's field in CSV."""
    (row,) = csv.reader(io.StringIO(field(value) + "\n", newline=""))
    return row[0] if row else ""
