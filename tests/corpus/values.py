"""What lies in the corpus's tables, past all of Outlast: by sqlite3 alone, and by PostgreSQL's own text."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg
import sqlalchemy as sa
from psycopg import sql

from tests.corpus.exporting import Database
from tests.corpus.tables import SQLITE_TABLES

Rows = list[list[Any]]


@dataclass(frozen=True)
class Document:
    """JSON by what it says: numbers exactly."""

    value: Any

    @classmethod
    def of(cls, text: str) -> Document:
        """Read JSON text."""
        return cls(json.loads(text, parse_float=Decimal, parse_int=Decimal, parse_constant=_refuse))


def _refuse(word: str) -> None:
    message = f"{word} is not JSON"
    raise ValueError(message)


def values_of(database: Database, table: str) -> tuple[list[str], Rows]:
    """Give a table's columns, and its rows in order, as values of Python that say what lies there exactly."""
    return _of_sqlite(database.url, table) if database.name == "sqlite" else _of_postgresql(database.url, table)


def _of_sqlite(url: str, table: str) -> tuple[list[str], Rows]:
    columns = SQLITE_TABLES[table].columns
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        stored = connection.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall()  # noqa: S608 - ours
    reads = [_reader(column) for column in columns]
    return [column.name for column in columns], [
        [None if value is None else read(value) for value, read in zip(row, reads, strict=True)] for row in stored
    ]


def _reader(column: sa.Column[Any]) -> Callable[[Any], Any]:
    if column.name == "a":  # declared an array
        return Document.of
    if isinstance(column.type, sa.DateTime) and column.type.timezone:
        return _instant
    return next((read for type_, read in _SQLITE.items() if isinstance(column.type, type_)), lambda value: value)


def _instant(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


_SQLITE: Mapping[type[Any], Callable[[Any], Any]] = {
    sa.Boolean: bool,
    sa.Double: float,
    sa.Numeric: lambda value: Decimal(str(value)),
    sa.Date: date.fromisoformat,
    sa.Time: time.fromisoformat,
    sa.DateTime: datetime.fromisoformat,
    sa.Uuid: UUID,
    sa.JSON: Document.of,
}


def _of_postgresql(url: str, table: str) -> tuple[list[str], Rows]:
    """Read the text that the server gives for each value, unconverted."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("SET TimeZone = 'UTC'; SET IntervalStyle = iso_8601; SET extra_float_digits = 1")
        types: list[tuple[str, str]] = connection.execute(
            "SELECT column_name::text, udt_name::text FROM information_schema.columns WHERE table_name = %s"
            " ORDER BY ordinal_position",
            [table],
        ).fetchall()
        fields = [
            sql.SQL("to_json({})" if kind.startswith("_") else "{}").format(sql.Identifier(name))
            for name, kind in types
        ]
        query = sql.SQL("SELECT {} FROM {} ORDER BY 1").format(sql.SQL(",").join(fields), sql.Identifier(table))
        result = connection.execute(query).pgresult
        assert result is not None
        texts = [[result.get_value(row, at) for at in range(result.nfields)] for row in range(result.ntuples)]
    return [name for name, _ in types], [
        [None if text is None else _value(kind, text.decode()) for text, (_, kind) in zip(row, types, strict=True)]
        for row in texts
    ]


def _value(kind: str, text: str) -> Any:  # noqa: ANN401 - any value
    read = _POSTGRESQL.get("_" if kind.startswith("_") else kind, str)
    try:
        return read(text)
    except ValueError:
        assert kind in {"date", "time", "timestamp", "timestamptz"}, kind
        return text  # a time that Python doesn't know


_POSTGRESQL: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys(("int2", "int4", "int8"), int),
    **dict.fromkeys(("float4", "float8"), float),
    **dict.fromkeys(("json", "jsonb", "_"), Document.of),
    **dict.fromkeys(("timestamp", "timestamptz"), datetime.fromisoformat),
    "numeric": Decimal,
    "bool": {"t": True, "f": False}.__getitem__,
    "bytea": lambda text: bytes.fromhex(text.removeprefix("\\x")),
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "uuid": UUID,
}
