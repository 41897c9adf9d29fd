"""What SQLite and PostgreSQL really do differently, and nothing else. No other module asks which database it is.

Times are `Instant` columns: aware UTC datetimes in Python, milliseconds since the epoch on SQLite, `timestamptz` on
PostgreSQL. `now()` is the database's clock, and `later(instant, seconds)` adds to it.
"""

from __future__ import annotations

import sqlite3
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import BigInteger, DateTime, Engine, Table, create_engine, event
from sqlalchemy import types as sqltypes
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.engine import URL, Connection, Dialect, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import QueuePool
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import ColumnElement
from sqlalchemy.sql.functions import FunctionElement

from outlast.errors import DefinitionError

DRIVER_ERRORS = (DBAPIError, sqlite3.Error)
"""What a statement may raise: statements run on the driver itself, transactions through SQLAlchemy."""

OLDEST_SQLITE = (3, 40, 0)
BUSY_WAIT_SECONDS = 0.25
"""How long one BEGIN IMMEDIATE waits; the writer repeats it, so that callers can give up in between."""

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

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        """To milliseconds on SQLite."""
        if value is None or dialect.name != "sqlite":
            return value
        return (value - _EPOCH) // _MILLISECOND

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """From milliseconds on SQLite; into UTC elsewhere."""
        if value is None:
            return None
        if dialect.name == "sqlite":
            return _EPOCH + timedelta(milliseconds=value)
        return value.astimezone(UTC)  # type: ignore[no-any-return]


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


class among(FunctionElement[bool]):  # noqa: N801
    """`among(text, json)`: whether the text is one of those in a JSON array, so that any number is one parameter."""

    type = sqltypes.Boolean()
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


@compiles(among, "sqlite")
def _among_sqlite(element: among, compiler: SQLCompiler, **kw: Any) -> str:
    member, array = list(element.clauses)
    return f"{compiler.process(member, **kw)} IN (SELECT value FROM json_each({compiler.process(array, **kw)}))"


@compiles(among, "postgresql")
def _among_postgresql(element: among, compiler: SQLCompiler, **kw: Any) -> str:
    member, array = list(element.clauses)
    texts = f"jsonb_array_elements_text(CAST({compiler.process(array, **kw)} AS jsonb))"
    return f"{compiler.process(member, **kw)} IN (SELECT {texts})"


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
        url, poolclass=QueuePool, pool_size=pool_size, max_overflow=16,
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
        for pragma in ("synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
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
    original = getattr(error, "orig", error)
    return (
        isinstance(original, sqlite3.OperationalError)
        and getattr(original, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    )  # fmt: skip


def is_full(error: BaseException) -> bool:
    """Whether the database has no room left to write."""
    original = getattr(error, "orig", error)
    return isinstance(original, sqlite3.Error) and getattr(original, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL


class ChangeSignal:
    """Tells whether another connection has committed since the last look; a hint that hastens polling.

    `PRAGMA data_version` on a connection of its own, outside any transaction, costs some microseconds.
    """

    def __init__(self, url: URL) -> None:
        """Open the connection; belongs to one thread."""
        self._connection = sqlite3.connect(sqlite_path(url), isolation_level=None, timeout=BUSY_WAIT_SECONDS)
        self._seen = -1

    def changed(self) -> bool:
        """Whether something was committed since the last call; an error counts as a change, and polling goes on."""
        try:
            version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error:
            return True
        changed, self._seen = version != self._seen, version
        return changed

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()


def file_sizes(url: URL) -> dict[str, int]:
    """The bytes that the database and its write-ahead log hold on disk."""
    path = sqlite_path(url)
    return {"database": _size(path), "wal": _size(path.with_name(path.name + "-wal"))}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
