"""Readers that are none of ours, and whether what they found is the value that lay in the table."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import orjson

from tests.corpus.values import Document, Rows
from tests.support.workbooks import by_calamine, by_openpyxl

_MILLISECOND = timedelta(milliseconds=1)


def csv_by_python(data: bytes, delimiter: str = ",") -> Rows:
    """Read CSV, the header first; it can't tell NULL from the empty string, nor from an empty line."""
    with io.StringIO(data.decode("utf-8-sig"), newline="") as file:
        return [row or [""] for row in csv.reader(file, delimiter=delimiter, strict=True)]


def csv_by_duckdb(data: bytes, delimiter: str = ",") -> Rows:
    """Read CSV, the header first; NULL is None."""
    columns = {f"c{at}": "VARCHAR" for at, _ in enumerate(csv_by_python(data, delimiter)[0])}
    with _duckdb_reading(data) as (connection, path):
        found = connection.read_csv(
            path, header=False, sep=delimiter, quotechar='"', escapechar='"', na_values="",
            allow_quoted_nulls=False, columns=columns, auto_detect=False,
        )  # fmt: skip
        return [list(row) for row in found.fetchall()]


def lines_by_duckdb(data: bytes, names: Sequence[str], rows: Rows) -> Rows:
    """Read JSON Lines into columns of the types that the values have, decimals as floats; the names first."""
    columns = {name: _duckdb_type([row[at] for row in rows]) for at, name in enumerate(names)}
    with _duckdb_reading(data) as (connection, path):
        found = connection.read_json(path, format="newline_delimited", columns=columns)
        return [list(names), *map(list, found.fetchall())]


def json_by_python(format_: str, data: bytes) -> Rows:
    """Read JSON exactly, the members' names first."""
    return _members([json.loads(text, parse_float=Decimal, parse_int=Decimal) for text in _documents(format_, data)])


def json_by_orjson(format_: str, data: bytes) -> Rows:
    """Read JSON with floats for all that has a fraction, the members' names first."""
    return _members([orjson.loads(text) for text in _documents(format_, data)])


def workbook_readings(data: bytes) -> list[Rows]:
    """Read a workbook by two readers."""
    return [by_openpyxl(data), by_calamine(data)]


def _documents(format_: str, data: bytes) -> list[bytes]:
    return [data] if format_ == "json" else data.splitlines()


def _members(found: list[Any]) -> Rows:
    objects = found[0] if found and isinstance(found[0], list) else found
    return [list(objects[0]), *(list(row.values()) for row in objects)]


@contextmanager
def _duckdb_reading(data: bytes) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
    with TemporaryDirectory() as folder:
        path = Path(folder, "file")
        path.write_bytes(data)
        yield _duckdb(), str(path)


@cache
def _duckdb() -> duckdb.DuckDBPyConnection:
    """Open it once: that takes longer than to read a file."""
    return duckdb.connect(config={"threads": 1})


def _duckdb_type(values: Sequence[Any]) -> str:
    kinds = {type(value) for value in values if value is not None}
    known = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", Decimal: "DOUBLE"}
    return known.get(kinds.pop(), "VARCHAR") if len(kinds) == 1 else "VARCHAR"


def same(value: Any, found: Any) -> bool:  # noqa: ANN401 - any cell
    """Say whether a reader found the value exactly, be it typed or as text."""
    if value is None or found is None:
        return value is found
    if isinstance(value, Document):
        return value == (Document.of(found) if isinstance(found, str) else Document(found))
    return _from_text(value, found) if isinstance(found, str) else _typed(value, found)


def same_member(value: Any, found: Any) -> bool:  # noqa: ANN401 - any cell
    """Say whether a parser of JSON found the value, documents parsed."""
    return value == Document(found) if isinstance(value, Document) else same(value, found)


def same_rounded(value: Any, found: Any) -> bool:  # noqa: ANN401 - any cell
    """Say the same of one that makes floats of decimals, and integers of `-0`."""
    return found == 0 if isinstance(value, float) and value == 0 else same_member(value, found)


def _from_text(value: Any, text: str) -> bool:  # noqa: ANN401 - any cell
    match value:
        case bool():
            return text == ("true" if value else "false")
        case float():
            return _same_float(value, float(text))
        case Decimal():
            return Decimal(text) == value or (value.is_nan() and text == "NaN")
        case date() | time():
            return bool(type(value).fromisoformat(text) == value)
        case _:
            return text == (value.hex() if isinstance(value, bytes) else str(value))


def _typed(value: Any, found: Any) -> bool:  # noqa: ANN401 - any cell
    if isinstance(value, bool) or isinstance(found, bool):
        return value is found
    if isinstance(value, float):
        return _same_float(value, float(found))
    if isinstance(value, Decimal) and isinstance(found, float):
        return found == float(value)
    return bool(found == value)


def _same_float(value: float, found: float) -> bool:
    if math.isnan(value):
        return math.isnan(found)
    return value == found and math.copysign(1, value) == math.copysign(1, found)


def same_cell(value: Any, found: Any) -> bool:  # noqa: ANN401 - any cell
    """Say whether a cell of a workbook holds the value: typed, or as exact text; readers round to milliseconds."""
    if value is None or value in ("", b""):
        return found is None or found == ""
    if isinstance(found, str):
        return same(value, found)
    if isinstance(value, datetime):
        local = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
        return abs(_moment(found) - local) <= _MILLISECOND
    if isinstance(value, date):
        return _moment(found) == datetime.combine(value, time())
    if isinstance(value, time):
        return abs(datetime.combine(date.min, found) - datetime.combine(date.min, value)) <= _MILLISECOND
    return bool(Decimal(repr(found)) == value) if isinstance(value, Decimal) else bool(found == value)


def _moment(found: Any) -> datetime:  # noqa: ANN401 - a date or a datetime
    return found if isinstance(found, datetime) else datetime.combine(found, time())
