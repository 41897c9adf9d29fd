"""Times, and the SQL functions that the two databases spell differently.

Times are `Instant` columns: aware UTC datetimes in Python, milliseconds since the epoch on SQLite, `timestamptz` on
PostgreSQL. `now()` is the database's clock, and `later(instant, seconds)` adds to it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, DateTime, Table, cast, literal_column, select
from sqlalchemy import types as sqltypes
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ColumnElement
from sqlalchemy.sql.functions import FunctionElement

SCHEMA = "outlast"
"""Where our tables live on PostgreSQL."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class Instant(sqltypes.TypeDecorator[datetime]):
    """A point in time: aware and in UTC in Python, exact to the millisecond."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> sqltypes.TypeEngine[Any]:
        """Integers on SQLite, which has no time type."""
        if dialect.name == "sqlite":
            return dialect.type_descriptor(BigInteger())
        return dialect.type_descriptor(DateTime(timezone=True))

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any] | None:
        """To milliseconds on SQLite; elsewhere to text, which a JSON array of parameters can hold too."""
        return _to_milliseconds if dialect.name == "sqlite" else _to_text

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:  # noqa: ARG002
        """From milliseconds on SQLite; into UTC elsewhere."""
        return _from_milliseconds if dialect.name == "sqlite" else _to_utc


def _to_milliseconds(value: datetime | None) -> int | None:
    return None if value is None else (value - _EPOCH) // _MILLISECOND


def _to_text(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat()


def _from_milliseconds(value: int | None) -> datetime | None:
    return None if value is None else datetime.fromtimestamp(value / 1000, UTC)


def _to_utc(value: datetime | None) -> datetime | None:
    return None if value is None else value.astimezone(UTC)


class _Spelled(FunctionElement[Any]):
    """A function that each database spells in its own way; {0}, {1} and so on are its arguments."""

    inherit_cache = True
    sqlite: str
    postgresql: str


class now(_Spelled):  # noqa: N801 - reads as the SQL function that it is
    """The database's clock, the same throughout one statement; an engine may have another expression for it."""

    inherit_cache = True
    type = Instant()
    # 3.40 has no unixepoch('subsec'); a julian day in a double is exact to 0.05 ms.
    sqlite = "CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)"
    # Of the statement rather than the transaction, and the same wherever it stands in it; stable, so that a range
    # condition can use an index. A statement that waits for a lock judges by the time before: see locking.py.
    postgresql = "date_trunc('milliseconds', statement_timestamp())"


class later(_Spelled):  # noqa: N801
    """`later(instant, seconds)`: the instant so many seconds on."""

    inherit_cache = True
    type = Instant()
    sqlite = "({0} + CAST(round({1} * 1000.0) AS INTEGER))"
    postgresql = "({0} + round(CAST({1} AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond')"


class least(_Spelled):  # noqa: N801
    """The earlier of two instants."""

    inherit_cache = True
    type = Instant()
    sqlite = "min({0}, {1})"
    postgresql = "LEAST({0}, {1})"


class greatest(_Spelled):  # noqa: N801
    """The larger of two numbers."""

    inherit_cache = True
    type = BigInteger()
    sqlite = "max({0}, {1})"
    postgresql = "GREATEST({0}, {1})"


class _seconds_between(_Spelled):  # noqa: N801
    inherit_cache = True
    type = sqltypes.Float()
    sqlite = "(({0} - {1}) / 1000.0)"
    postgresql = "CAST(extract(epoch FROM {0} - {1}) AS DOUBLE PRECISION)"


class unindexed(_Spelled):  # noqa: N801
    """`unindexed(column)`: the same value, by which SQLite chooses no index, and none with a condition on it."""

    inherit_cache = True
    type = sqltypes.String()
    sqlite = "+{0}"
    postgresql = "{0}"


class turn_lock(_Spelled):  # noqa: N801
    """`turn_lock(number)`: wait until no other transaction has the number; SQLite's writers hold everything anyway."""

    inherit_cache = True
    sqlite = "({0} IS NULL)"
    postgresql = "pg_advisory_xact_lock({0})"


class free_turn_lock(_Spelled):  # noqa: N801
    """As `turn_lock`, without a wait: false when another transaction has the number."""

    inherit_cache = True
    type = sqltypes.Boolean()
    sqlite = "({0} IS NOT NULL)"
    postgresql = "pg_try_advisory_xact_lock({0})"


class items(_Spelled):  # noqa: N801
    """`items(json)`: the texts in a JSON array, as rows of one column `value`."""

    inherit_cache = True
    name = "items"
    sqlite = "json_each({0})"
    postgresql = "jsonb_array_elements_text(CAST({0} AS jsonb))"


class records(_Spelled):  # noqa: N801
    """`records(json)`: the arrays in a JSON array, as rows of one column `value`; see `member`."""

    inherit_cache = True
    name = "records"
    sqlite = "json_each({0})"
    postgresql = "jsonb_array_elements(CAST({0} AS jsonb))"


@compiles(_Spelled, "sqlite")
@compiles(_Spelled, "postgresql")
def _spelled(element: _Spelled, compiler: SQLCompiler, **kw: Any) -> str:
    clock = getattr(compiler.dialect, "outlast_clock", None)
    if clock and isinstance(element, now):
        return str(clock)
    text: str = getattr(element, compiler.dialect.name)
    return text.format(*(compiler.process(argument, **kw) for argument in element.clauses))


def schema_of(dialect: Dialect) -> str | None:
    """The schema in which our tables live; None where there are no schemas."""
    return SCHEMA if dialect.name == "postgresql" else None


def seconds_since(instant: ColumnElement[datetime]) -> ColumnElement[float]:
    """How many seconds ago it was, by the database's clock."""
    return _seconds_between(now(), instant)


def member(record: ColumnElement[str], position: int, kind: sqltypes.TypeEngine[Any]) -> ColumnElement[Any]:
    """One of a record's members, counted from 0, as the type that it is kept in."""
    return cast(record.op("->>")(literal_column(str(position))), kind)


def among(member: ColumnElement[str], array: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether the text is one of those in a JSON array, so that any number of them is one parameter."""
    return member.in_(select(items(array).table_valued("value").c.value))


def insert_or_ignore(table: Table, *key: str) -> Insert:
    """An INSERT that changes nothing when the key is taken; every other violation stays an error."""
    return insert(table).on_conflict_do_nothing(index_elements=[table.c[name] for name in key])
