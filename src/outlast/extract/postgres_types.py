"""What a statement's columns hold, as PostgreSQL describes its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import Connection
from psycopg.postgres import types
from sqlalchemy import Dialect, TextClause, TypeDecorator, Uuid
from sqlalchemy.types import ARRAY, Enum, TypeEngine

from outlast.extract.kinds import Process
from outlast.extract.statement import Statement
from outlast.formats import Column, Kind

_KINDS = {
    types[name].oid: kind
    for name, kind in (
        ("int2", Kind.INTEGER), ("int4", Kind.INTEGER), ("int8", Kind.INTEGER), ("oid", Kind.INTEGER),
        ("float4", Kind.FLOAT), ("float8", Kind.FLOAT), ("numeric", Kind.DECIMAL), ("bool", Kind.BOOLEAN),
        ("bytea", Kind.BYTES), ("date", Kind.DATE), ("time", Kind.TIME), ("timestamp", Kind.DATETIME),
        ("timestamptz", Kind.INSTANT), ("interval", Kind.INTERVAL), ("uuid", Kind.UUID), ("json", Kind.JSON),
        ("jsonb", Kind.JSON),
    )
}  # fmt: skip
"""Whatever else there is, is text, as its type's output function writes it."""

_CASTS = {
    Kind.INTEGER: "int8",
    Kind.FLOAT: "float8",
    Kind.DECIMAL: "numeric",
    Kind.BOOLEAN: "bool",
    Kind.TEXT: "text",
    Kind.BYTES: "bytea",
    Kind.DATE: "date",
    Kind.TIME: "time",
    Kind.DATETIME: "timestamp",
    Kind.INSTANT: "timestamptz",
    Kind.INTERVAL: "interval",
    Kind.UUID: "uuid",
    Kind.JSON: "json",
}
"""What a column is cast to that was declared to be of another kind than it is."""

FLOAT4, JSON, BPCHAR = types["float4"].oid, types["json"].oid, types["bpchar"].oid
TEXTS = frozenset(types[name].oid for name in ("text", "varchar", "bpchar", "name"))


@dataclass(frozen=True, slots=True)
class Stored:
    """A column of the statement, which SQL knows as the expression `sql`; `process` is the application's own type's."""

    column: Column
    oid: int
    sql: str
    process: Process | None = None


@dataclass(frozen=True, slots=True)
class Described:
    """A result's column: its name there, its type's OID, and the digits that a numeric is declared to have."""

    name: str
    oid: int
    precision: int | None
    scale: int | None


def describe(driver: Connection[Any], sql: bytes) -> list[Described]:
    """Give the statement's columns; it is planned and not run."""
    cursor = driver.execute(b"SELECT * FROM (" + sql + b"\n) AS q LIMIT 0", prepare=False)
    return [Described(found.name, found.type_code, found.precision, found.scale) for found in cursor.description or ()]


def stored_columns(
    driver: Connection[Any], found: Sequence[Described], names: Sequence[str], declared: Mapping[str, Kind]
) -> list[Stored]:
    """Give the columns, called `names` in Python and c0, c1 and so on in SQL, of their own kinds or `declared` ones."""
    arrays = _arrays(driver, {column.oid for column in found} - _KINDS.keys() - TEXTS)
    return [
        _stored(column, name, f"c{at}", Kind.ARRAY if column.oid in arrays else None, declared.get(name))
        for at, (column, name) in enumerate(zip(found, names, strict=True))
    ]


def _stored(column: Described, name: str, sql: str, known: Kind | None, declared: Kind | None) -> Stored:
    kind = known or _KINDS.get(column.oid, Kind.TEXT)
    cast = _CASTS.get(declared) if declared not in {None, kind} and declared is not None else None
    if cast is not None and declared is not None:
        return Stored(Column(name, declared), types[cast].oid, f"{sql}::{cast}")
    digits = (column.precision, column.scale) if kind is Kind.DECIMAL else (None, None)
    return Stored(Column(name, kind, *digits), column.oid, sql)


def _arrays(driver: Connection[Any], oids: set[int]) -> set[int]:
    if not oids:
        return set()
    wanted = ",".join(map(str, oids))
    query = f"SELECT oid::int8 FROM pg_catalog.pg_type WHERE typcategory = 'A' AND oid IN ({wanted})"  # noqa: S608 - numbers
    return {oid for (oid,) in driver.execute(query.encode(), prepare=False)}


def own_processes(statement: Statement, dialect: Dialect) -> list[Process | None]:
    """Give what the application's own types make of a value: type decorators, enums, and whatever isn't SQLAlchemy's.

    Of SQL in text there are none.
    """
    if isinstance(statement, TextClause):
        return []
    return [_process(column.type, dialect) for column in statement.selected_columns]


def _process(type_: TypeEngine[Any], dialect: Dialect) -> Process | None:
    own = type_.dialect_impl(dialect)
    if not _is_own(own):
        return None
    return own.result_processor(dialect, None) or _unchanged


def _is_own(type_: TypeEngine[Any]) -> bool:
    if isinstance(type_, ARRAY):
        return _is_own(type_.item_type)
    if isinstance(type_, Uuid):
        return not type_.native_uuid
    ours = type(type_).__module__.startswith("sqlalchemy.")
    return not ours or isinstance(type_, TypeDecorator | Enum)


def _unchanged(value: Any) -> Any:  # noqa: ANN401 - whatever the driver gives
    return value
