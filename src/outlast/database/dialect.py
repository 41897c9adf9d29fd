"""What SQLite and PostgreSQL really do differently, and nothing else. No other module asks which database it is.

Times are `Instant` columns: aware UTC datetimes in Python, milliseconds since the epoch on SQLite, `timestamptz` on
PostgreSQL. `now()` is the database's clock, and `later(instant, seconds)` adds to it.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from sqlalchemy import BigInteger, DateTime, Engine, Table, cast, create_engine, event, literal_column, select
from sqlalchemy import types as sqltypes
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.engine import URL, Connection, Dialect, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import QueuePool
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ColumnElement
from sqlalchemy.sql.functions import FunctionElement

from outlast.errors import DefinitionError

DRIVER_ERRORS = (DBAPIError, PoolTimeoutError, sqlite3.Error)
"""What a statement may raise: statements run on the driver itself, transactions through SQLAlchemy."""

OLDEST_SQLITE = (3, 40, 0)
BUSY_WAIT_SECONDS = 0.25
"""How long one BEGIN IMMEDIATE waits; the writer repeats it, so that callers can give up in between."""
POOL_WAIT_SECONDS = 5.0
"""How long a reader waits for a free connection."""

COARSE_SECONDS = 0.1
"""How long after a write a file's time may not tell it from the next write; some file systems are this coarse."""

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
        """To milliseconds on SQLite."""
        return _to_milliseconds if dialect.name == "sqlite" else None

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:  # noqa: ARG002
        """From milliseconds on SQLite; into UTC elsewhere."""
        return _from_milliseconds if dialect.name == "sqlite" else _to_utc


def _to_milliseconds(value: datetime | None) -> int | None:
    return None if value is None else (value - _EPOCH) // _MILLISECOND


def _from_milliseconds(value: int | None) -> datetime | None:
    return None if value is None else datetime.fromtimestamp(value / 1000, UTC)


def _to_utc(value: datetime | None) -> datetime | None:
    return None if value is None else value.astimezone(UTC)


class now(FunctionElement[datetime]):  # noqa: N801 - reads as the SQL function that it is
    """The database's clock, the same throughout one statement."""

    type = Instant()
    inherit_cache = True


class later(FunctionElement[datetime]):  # noqa: N801
    """`later(instant, seconds)`: the instant so many seconds on."""

    type = Instant()
    inherit_cache = True


class least(FunctionElement[datetime]):  # noqa: N801
    """The earlier of two instants."""

    type = Instant()
    inherit_cache = True


class greatest(FunctionElement[int]):  # noqa: N801
    """The larger of two numbers."""

    type = BigInteger()
    inherit_cache = True


class seconds_since(FunctionElement[float]):  # noqa: N801
    """`seconds_since(instant)`: how many seconds ago it was, by the database's clock."""

    type = sqltypes.Float()
    inherit_cache = True


class items(FunctionElement[str]):  # noqa: N801
    """`items(json)`: the texts in a JSON array, as rows of one column `value`."""

    name = "items"
    inherit_cache = True


class records(FunctionElement[str]):  # noqa: N801
    """`records(json)`: the arrays in a JSON array, as rows of one column `value`; see `member`."""

    name = "records"
    inherit_cache = True


class unindexed(FunctionElement[str]):  # noqa: N801
    """`unindexed(column)`: the same value, by which SQLite chooses no index, and none with a condition on it."""

    type = sqltypes.String()
    inherit_cache = True


@compiles(now, "sqlite")
def _now_sqlite(_element: now, compiler: SQLCompiler, **_kw: Any) -> str:
    # 3.40 has no unixepoch('subsec'); a julian day in a double is exact to 0.05 ms.
    default = "CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)"
    return getattr(compiler.dialect, "outlast_clock", None) or default


@compiles(now, "postgresql")
def _now_postgresql(_element: now, compiler: SQLCompiler, **_kw: Any) -> str:
    # As a scalar subquery it is evaluated once, so a range condition can use an index.
    return getattr(compiler.dialect, "outlast_clock", None) or "(SELECT clock_timestamp())"


@compiles(later, "sqlite")
def _later_sqlite(element: later, compiler: SQLCompiler, **kw: Any) -> str:
    instant, seconds = list(element.clauses)
    return f"({compiler.process(instant, **kw)} + CAST(round({compiler.process(seconds, **kw)} * 1000.0) AS INTEGER))"


@compiles(later, "postgresql")
def _later_postgresql(element: later, compiler: SQLCompiler, **kw: Any) -> str:
    instant, seconds = list(element.clauses)
    return f"({compiler.process(instant, **kw)} + {compiler.process(seconds, **kw)} * interval '1 second')"


@compiles(least, "sqlite")
def _least_sqlite(element: least, compiler: SQLCompiler, **kw: Any) -> str:
    return f"min({compiler.process(element.clauses, **kw)})"


@compiles(least, "postgresql")
def _least_postgresql(element: least, compiler: SQLCompiler, **kw: Any) -> str:
    return f"LEAST({compiler.process(element.clauses, **kw)})"


@compiles(greatest, "sqlite")
def _greatest_sqlite(element: greatest, compiler: SQLCompiler, **kw: Any) -> str:
    return f"max({compiler.process(element.clauses, **kw)})"


@compiles(greatest, "postgresql")
def _greatest_postgresql(element: greatest, compiler: SQLCompiler, **kw: Any) -> str:
    return f"GREATEST({compiler.process(element.clauses, **kw)})"


@compiles(seconds_since, "sqlite")
def _since_sqlite(element: seconds_since, compiler: SQLCompiler, **kw: Any) -> str:
    return f"(({compiler.process(now(), **kw)} - {compiler.process(element.clauses, **kw)}) / 1000.0)"


@compiles(seconds_since, "postgresql")
def _since_postgresql(element: seconds_since, compiler: SQLCompiler, **kw: Any) -> str:
    return f"extract(epoch FROM {compiler.process(now(), **kw)} - {compiler.process(element.clauses, **kw)})"


@compiles(unindexed, "sqlite")
def _unindexed_sqlite(element: unindexed, compiler: SQLCompiler, **kw: Any) -> str:
    return f"+{compiler.process(element.clauses, **kw)}"


@compiles(unindexed, "postgresql")
def _unindexed_postgresql(element: unindexed, compiler: SQLCompiler, **kw: Any) -> str:
    return compiler.process(element.clauses, **kw)


@compiles(items, "sqlite")
def _items_sqlite(element: items, compiler: SQLCompiler, **kw: Any) -> str:
    return f"json_each({compiler.process(element.clauses, **kw)})"


@compiles(items, "postgresql")
def _items_postgresql(element: items, compiler: SQLCompiler, **kw: Any) -> str:
    return f"jsonb_array_elements_text(CAST({compiler.process(element.clauses, **kw)} AS jsonb))"


@compiles(records, "sqlite")
def _records_sqlite(element: records, compiler: SQLCompiler, **kw: Any) -> str:
    return f"json_each({compiler.process(element.clauses, **kw)})"


@compiles(records, "postgresql")
def _records_postgresql(element: records, compiler: SQLCompiler, **kw: Any) -> str:
    return f"jsonb_array_elements(CAST({compiler.process(element.clauses, **kw)} AS jsonb))"


def member(record: ColumnElement[str], position: int, kind: sqltypes.TypeEngine[Any]) -> ColumnElement[Any]:
    """One of a record's members, counted from 0, as the type that it is kept in."""
    return cast(record.op("->>")(literal_column(str(position))), kind)


def among(member: ColumnElement[str], array: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether the text is one of those in a JSON array, so that any number of them is one parameter."""
    return member.in_(select(items(array).table_valued("value").c.value))


def insert_or_ignore(table: Table, *key: str) -> Insert:
    """An INSERT that changes nothing when the key is taken; every other violation stays an error."""
    return insert(table).on_conflict_do_nothing(index_elements=[table.c[name] for name in key])


def parse_url(database_url: str) -> URL:
    """The URL of a database that Outlast can use.

    Raises DefinitionError: not a URL, another database, Windows, an in-memory SQLite, or an SQLite that is too old.
    """
    try:
        url = make_url(database_url)
    except Exception:  # noqa: BLE001 - SQLAlchemy raises several kinds, some of which show the URL's password
        message = "database_url is not a database URL; it looks like sqlite:///path/to/file.db"
        raise DefinitionError(message) from None
    if sys.platform == "win32":
        message = "Outlast runs on Linux and, for development, on macOS; Windows has no flock and no SIGKILL"
        raise DefinitionError(message)
    if url.get_backend_name() != "sqlite":
        message = f"database_url names {url.get_backend_name()!r}; this version keeps its jobs in SQLite"
        raise DefinitionError(message)
    if url.database in (None, "", ":memory:") or str(url.database).startswith("file:"):
        message = "database_url must name a file: jobs have to outlast the process (sqlite:///path/to/file.db)"
        raise DefinitionError(message)
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        message = f"SQLite {sqlite3.sqlite_version} is too old: 3.40 or newer is needed"
        raise DefinitionError(message)
    return url


def sqlite_path(url: URL) -> Path:
    """The absolute path of the SQLite file."""
    return Path(str(url.database)).absolute()


def create_write_engine(url: URL, clock: str | None) -> Engine:
    """An engine whose every transaction takes the write lock at its beginning (BEGIN IMMEDIATE)."""
    return _sqlite_engine(url, clock, begin="BEGIN IMMEDIATE", pool_size=1)


def create_read_engine(url: URL, clock: str | None) -> Engine:
    """An engine whose transactions read one snapshot and can't write."""
    engine = _sqlite_engine(url, clock, begin="BEGIN", pool_size=16)

    @event.listens_for(engine, "connect")
    def read_only(connection: sqlite3.Connection, _record: Any) -> None:
        connection.execute("PRAGMA query_only=ON")

    return engine


def _sqlite_engine(url: URL, clock: str | None, *, begin: str, pool_size: int) -> Engine:
    engine = create_engine(
        url, poolclass=QueuePool, pool_size=pool_size, max_overflow=16, pool_timeout=POOL_WAIT_SECONDS,
        connect_args={"check_same_thread": False, "isolation_level": None, "timeout": BUSY_WAIT_SECONDS},
    )  # fmt: skip
    engine.dialect.outlast_clock = clock  # type: ignore[attr-defined]

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: Any) -> None:
        # The driver's own BEGIN comes too late and is never IMMEDIATE.
        connection.isolation_level = None
        if connection.execute("PRAGMA journal_mode=WAL").fetchone() != ("wal",):
            message = "SQLite can't use a write-ahead log there: the database must lie on a local disk"
            raise DefinitionError(message)
        # WAL with synchronous=NORMAL loses acknowledged commits when the power fails.
        # A savepoint keeps its pages in memory rather than in a temporary file.
        for pragma in ("synchronous=FULL", "foreign_keys=ON", "secure_delete=ON", "temp_store=MEMORY"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin_transaction(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def transaction_exists(connection: Connection) -> bool:
    """Whether the driver still has our transaction: SQLITE_FULL or an I/O error may have rolled all of it back."""
    driver = connection.connection.driver_connection
    return isinstance(driver, sqlite3.Connection) and driver.in_transaction


def is_busy(error: BaseException) -> bool:
    """Whether the database refused because somebody else holds its lock: nothing was done, and waiting may help."""
    return _code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def is_full(error: BaseException) -> bool:
    """Whether the database has no room left to write."""
    return _code(error) == sqlite3.SQLITE_FULL


def is_operational(error: BaseException) -> bool:
    """Whether the database itself can't do it now: locked, full, failing, not upgraded; no fault of the statement."""
    return isinstance(getattr(error, "orig", error), sqlite3.OperationalError)


def _code(error: BaseException) -> int | None:
    """SQLite's primary result code; errors of the driver itself have none."""
    code: int | None = getattr(getattr(error, "orig", error), "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def allow_rebuilds(connection: Connection) -> None:
    """Let tables be rebuilt in the next transaction: dropping one must not delete the rows that refer to it."""
    connection.connection.cursor().execute("PRAGMA foreign_keys=OFF")


Kind: TypeAlias = Literal["table", "index", "trigger"]


class Definition(NamedTuple):
    """A table, index or trigger that exists: its table, and the SQL that made it."""

    table: str
    sql: str


def definitions(connection: Connection, kind: Kind) -> dict[str, Definition]:
    """What exists of a kind, by name; indexes that only serve a constraint are left out."""
    query = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL"
    rows = connection.exec_driver_sql(query, (kind,))
    return {name: Definition(table, sql) for name, table, sql in rows}


def broken_references(connection: Connection, tables: Iterable[str]) -> list[str]:
    """Those of the tables that have rows which refer to nothing."""
    return [name for name in tables if connection.exec_driver_sql(f'PRAGMA foreign_key_check("{name}")').first()]


class ChangeSignal:
    """Tells whether another connection has committed since the last look; a hint that hastens polling.

    `PRAGMA data_version` on a connection of its own, outside any transaction, costs 0.15 ms when nothing is in the
    processor's caches, as between two looks. So it is asked only when the log's file has lately been written.
    """

    def __init__(self, url: URL, in_use: Callable[[], AbstractContextManager[None]]) -> None:
        """`in_use` is held while it looks; it belongs to one thread, but while nobody looks anybody may close it."""
        self._path = sqlite_path(url)
        self._log_path = f"{self._path}-wal"
        self._log_state = (0, 0)
        self._in_use = in_use
        self._connection: sqlite3.Connection | None = None
        self._seen = -1

    def changed(self) -> bool:
        """Whether something was committed since the last call; an error counts as a change, and polling goes on."""
        if self._log_rests():
            return False
        with self._in_use():
            try:
                version = self._version()
            except sqlite3.Error:
                return True
        changed, self._seen = version != self._seen, version
        return changed

    def _log_rests(self) -> bool:
        """Whether the log is as it was, and that for longer than its file's times are coarse."""
        try:
            found = os.stat(self._log_path)  # noqa: PTH116 - a Path would cost as much again
        except OSError:
            return False
        state, self._log_state = self._log_state, (found.st_size, found.st_mtime_ns)
        return state == self._log_state and abs(time.time() - found.st_mtime) > COARSE_SECONDS

    def _version(self) -> int:
        if self._connection is None:
            self._connection = sqlite3.connect(
                self._path, isolation_level=None, timeout=BUSY_WAIT_SECONDS, check_same_thread=False
            )
            self._seen = -1
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Give the connection back; the next look opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def file_sizes(url: URL) -> dict[str, int]:
    """The bytes that the database and its write-ahead log hold on disk."""
    path = sqlite_path(url)
    return {"database": _size(path), "wal": _size(path.with_name(path.name + "-wal"))}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
