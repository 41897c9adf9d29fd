"""Files read back by readers that aren't ours, every value of every row beside what its database holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import orjson
import psycopg
from python_calamine import CalamineWorkbook

BATCH_ROWS = 10_000
Row: TypeAlias = tuple[Any, ...]
_CSV_TYPES = {"id": "BIGINT", "amount": "DOUBLE", "ratio": "DOUBLE"}
_NOT_IN_SHEETS = {"created"}
"""A sheet's times have no offset; what becomes of them is for the tests to say."""


def check_csv(path: Path, source: str, statement: str, columns: Sequence[str]) -> None:
    """By DuckDB. Raises AssertionError at the first row that differs."""
    types = {name: _CSV_TYPES.get(name, "VARCHAR") for name in columns}
    if "://" in source:
        types["amount"] = "VARCHAR"  # every digit counts
    options = (
        "header = true, quote = '\"', escape = '\"', nullstr = '', allow_quoted_nulls = false, auto_detect = false"
    )
    relation = f"SELECT * FROM read_csv('{path}', columns = {types}, delim = ',', {options}) ORDER BY id"  # noqa: S608
    _compare(_duckdb(relation), _stored(source, statement, columns, _csv_text))


def check_parquet(path: Path, source: str, statement: str, columns: Sequence[str]) -> None:
    """By DuckDB. Raises AssertionError at the first row that differs."""
    spelled = {
        "created": "epoch_us(created)", "born": "CAST(born AS VARCHAR)", "uid": "CAST(uid AS VARCHAR)",
    }  # fmt: skip
    picked = ", ".join(spelled.get(name, name) for name in columns)
    relation = f"SELECT {picked} FROM read_parquet('{path}') ORDER BY id"  # noqa: S608
    _compare(_duckdb(relation), _stored(source, statement, columns, _parquet_value))


def check_jsonl(path: Path, source: str, statement: str, columns: Sequence[str]) -> None:
    """By orjson. Raises AssertionError at the first row that differs."""
    with path.open("rb") as lines:
        found = (tuple(orjson.loads(line).values()) for line in lines)
        _compare(found, _stored(source, statement, columns, _json_value))


def check_xlsx(path: Path, source: str, statement: str, columns: Sequence[str]) -> None:
    """By calamine. Raises AssertionError at the first row that differs."""
    with path.open("rb") as file:
        rows = CalamineWorkbook.from_filelike(file).get_sheet_by_index(0).to_python()
    kept = [index for index, name in enumerate(columns) if name not in _NOT_IN_SHEETS]
    names = [columns[index] for index in kept]
    assert [rows[0][index] for index in kept] == names
    _compare((tuple(row[index] for index in kept) for row in rows[1:]), _stored(source, statement, names, _sheet_value))


def _compare(found: Iterable[Row], expected: Iterable[Row]) -> None:
    count = 0
    for count, (got, wanted) in enumerate(zip(found, expected, strict=True), 1):
        assert got == wanted, f"row {count}: {_differences(got, wanted)}"
    assert count, "nothing was read back"


def _differences(got: Row, wanted: Row) -> str:
    assert len(got) == len(wanted), "another number of columns"
    return ", ".join(f"{one!r} is not {other!r}" for one, other in zip(got, wanted, strict=True) if one != other)


def _duckdb(relation: str) -> Iterator[Row]:
    with duckdb.connect() as connection:
        result = connection.execute(relation)
        while rows := result.fetchmany(BATCH_ROWS):
            yield from rows


def _stored(source: str, statement: str, columns: Sequence[str], spell: Callable[[str, Any], Any]) -> Iterator[Row]:
    """Give what the database holds, in the order of the ids, each value as a reader of the file should give it."""
    ordered = f"SELECT {', '.join(columns)} FROM ({statement}) AS every ORDER BY id"  # noqa: S608
    for row in _rows(source, ordered):
        yield tuple(spell(name, value) for name, value in zip(columns, row, strict=True))


def _rows(source: str, statement: str) -> Iterator[Row]:
    if "://" not in source:
        with closing(sqlite3.connect(source)) as connection:
            yield from connection.execute(statement)
        return
    with psycopg.connect(source) as server, server.cursor("readback") as rows:
        rows.itersize = BATCH_ROWS
        rows.execute(statement.encode())
        yield from rows


def _csv_text(name: str, value: Any) -> Any:  # noqa: ANN401 - whatever the column holds
    if name == "active":
        return "true" if value else "false"
    if name == "created":
        moment = _moment(value).strftime("%Y-%m-%d %H:%M:%S.%f").rstrip("0").rstrip(".")
        return f"{moment}+00"
    if isinstance(value, float | int) or value is None:
        return value
    return str(value)


def _json_value(name: str, value: Any) -> Any:  # noqa: ANN401
    if name == "active":
        return bool(value)
    return _csv_text(name, value).replace(" ", "T") + ":00" if name == "created" else value


def _parquet_value(name: str, value: Any) -> Any:  # noqa: ANN401
    if name == "active":
        return bool(value)
    if name == "created":
        gone = _moment(value) - datetime(1970, 1, 1, tzinfo=UTC)
        return (gone.days * 86_400 + gone.seconds) * 1_000_000 + gone.microseconds
    return value if isinstance(value, int | float | Decimal | None) else str(value)


def _sheet_value(name: str, value: Any) -> Any:  # noqa: ANN401
    if name == "active":
        return bool(value)
    if name == "born":
        return date.fromisoformat(value)
    return "" if value is None else value


def _moment(value: str | datetime) -> datetime:
    if isinstance(value, datetime):
        return value.astimezone(UTC)
    return datetime.fromisoformat(value).replace(tzinfo=UTC)
