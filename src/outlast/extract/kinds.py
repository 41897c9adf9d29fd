"""What SQLAlchemy's types say about a statement's columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, TypeAlias, cast

from sqlalchemy import CompoundSelect, Dialect, Select, TextClause, TextualSelect, types
from sqlalchemy.dialects import sqlite
from sqlalchemy.types import TypeEngine

from outlast.formats import Column, Kind

Process: TypeAlias = Callable[[Any], Any]

_SIMPLE: tuple[tuple[type[TypeEngine[Any]], Kind], ...] = (
    (types.Boolean, Kind.BOOLEAN),
    (types.Integer, Kind.INTEGER),
    (types.String, Kind.TEXT),
    (types.LargeBinary, Kind.BYTES),
    (types.BINARY, Kind.BYTES),
    (types.VARBINARY, Kind.BYTES),
    (types.Date, Kind.DATE),
    (types.Time, Kind.TIME),
    (types.Uuid, Kind.UUID),
    (types.JSON, Kind.JSON),
    (types.ARRAY, Kind.ARRAY),
)
_STORED = {
    sqlite.DATETIME: (datetime(2001, 2, 3, 4, 5, 6, 7), "2001-02-03 04:05:06.000007"),  # noqa: DTZ001 - a local time
    sqlite.DATE: (date(2001, 2, 3), "2001-02-03"),
    sqlite.TIME: (time(4, 5, 6, 7), "04:05:06.000007"),
}
"""What SQLAlchemy's own storage formats make of a value."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A column, and what SQLAlchemy's type itself makes of a stored value, where the kind alone doesn't say it.

    A statement with any `process` can't be written by the database.
    """

    column: Column
    process: Process | None = None


def typed_columns(
    statement: Select[*tuple[Any, ...]] | CompoundSelect[*tuple[Any, ...]] | TextualSelect | TextClause,
    names: Sequence[str],
    dialect: Dialect,
    declared: Mapping[str, Kind],
) -> tuple[Typed, ...]:
    """Give the statement's columns, in its order, called `names`; of SQL in text only `declared` kinds are known."""
    if isinstance(statement, TextClause):
        return tuple(Typed(Column(name, declared.get(name, Kind.UNKNOWN))) for name in names)
    return tuple(
        Typed(Column(name, declared[name])) if name in declared else typed(name, column.type, dialect)
        for name, column in zip(names, statement.selected_columns, strict=True)
    )


def typed(name: str, type_: TypeEngine[Any], dialect: Dialect) -> Typed:
    """Tell what a column of that type holds."""
    own = type_.dialect_impl(dialect)
    kind = _kind(own)
    if kind is Kind.UNKNOWN:
        interval = isinstance(own, types.Interval)
        column = Column(name, Kind.INTERVAL if interval else Kind.UNKNOWN)
        return Typed(column, own.result_processor(dialect, None))
    if kind is Kind.DECIMAL:
        number = cast("types.Numeric[Any]", own)
        return Typed(Column(name, kind, number.precision, getattr(number, "scale", None)))
    return Typed(Column(name, kind))


def _kind(type_: TypeEngine[Any]) -> Kind:
    if not type(type_).__module__.startswith("sqlalchemy.") or isinstance(type_, types.TypeDecorator | types.Enum):
        return Kind.UNKNOWN
    if type(type_) in _STORED and not _stored_as_usual(type_):
        return Kind.UNKNOWN
    if isinstance(type_, types.DateTime):
        return Kind.INSTANT if type_.timezone else Kind.DATETIME
    if isinstance(type_, types.Numeric | types.Float):
        return Kind.DECIMAL if type_.asdecimal else Kind.FLOAT
    return next((kind for known, kind in _SIMPLE if isinstance(type_, known)), Kind.UNKNOWN)


def _stored_as_usual(type_: TypeEngine[Any]) -> bool:
    """Whether dates have no storage_format of the application's own."""
    value, usual = _STORED[type(type_)]
    bind = type_.bind_processor(sqlite.dialect())
    return bind is not None and bind(value) == usual
