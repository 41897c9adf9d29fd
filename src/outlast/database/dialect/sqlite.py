"""SQLite: its engines, its errors, and what exists in its file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL, Connection
from sqlalchemy.pool import QueuePool

from outlast.database.dialect.objects import Definition, Kind, Trigger
from outlast.errors import DefinitionError

OLDEST_SQLITE = (3, 40, 0)
BUSY_WAIT_SECONDS = 0.25
"""How long one BEGIN IMMEDIATE waits; the writer repeats it, so that callers can give up in between."""
POOL_WAIT_SECONDS = 5.0
"""How long a reader waits for a free connection."""


def check_url(url: URL) -> None:
    """Raises DefinitionError: an in-memory database, or an SQLite that is too old."""
    if url.database in (None, "", ":memory:") or str(url.database).startswith("file:"):
        message = "database_url must name a file: jobs have to outlast the process (sqlite:///path/to/file.db)"
        raise DefinitionError(message)
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        message = f"SQLite {sqlite3.sqlite_version} is too old: 3.40 or newer is needed"
        raise DefinitionError(message)


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


def locks_rows() -> bool:
    """Whoever writes holds the whole database."""
    return False


def is_busy(error: BaseException) -> bool:
    """Whether the database refused because somebody else holds its lock: nothing was done, and waiting may help."""
    return _code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def is_full(error: BaseException) -> bool:
    """Whether the database has no room left to write."""
    return _code(error) == sqlite3.SQLITE_FULL


def is_read_only(_error: BaseException) -> bool:
    """No other server takes over from a file."""
    return False


def is_operational(error: BaseException) -> bool:
    """Whether the database itself can't do it now: locked, full, failing, not upgraded; no fault of the statement."""
    return isinstance(getattr(error, "orig", error), sqlite3.OperationalError)


def _code(error: BaseException) -> int | None:
    """SQLite's primary result code; errors of the driver itself have none."""
    code: int | None = getattr(getattr(error, "orig", error), "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


@contextmanager
def changing_schema(connection: Connection) -> Iterator[None]:
    """In the body a transaction has begun in which tables may be rebuilt, without a loss of rows that refer to them."""
    connection.connection.cursor().execute("PRAGMA foreign_keys=OFF")
    connection.begin()
    yield


def definitions(connection: Connection, kind: Kind) -> dict[str, Definition]:
    """What exists of a kind, by name; indexes that only serve a constraint are left out."""
    query = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL"
    rows = connection.exec_driver_sql(query, (kind,))
    return {name: Definition(table, sql) for name, table, sql in rows}


def trigger_ddl(trigger: Trigger) -> str:
    """The trigger, as `definitions` finds it."""
    action = trigger.statement or f"SELECT RAISE(ABORT, '{trigger.refusal}')"
    when = f"WHEN {trigger.condition} " if trigger.condition else ""
    body = f"{when}BEGIN {action}; END".replace("@", "")
    return f"CREATE TRIGGER {trigger.name} {trigger.moment} ON {trigger.table} FOR EACH ROW {body}"


def drop_trigger_ddl(name: str, _table: str) -> str:
    """What undoes `trigger_ddl`."""
    return f'DROP TRIGGER "{name}"'


_TABLES = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"


def missing_checks(connection: Connection, wanted: Iterable[tuple[str, str, str]]) -> list[str]:
    """The names of those (table, name, condition) that aren't there as they are declared."""
    tables = {name: sql for name, sql in connection.exec_driver_sql(_TABLES)}  # noqa: C416 - typed so
    return [
        name
        for table, name, condition in wanted
        if f"CONSTRAINT {name} CHECK ({condition})" not in tables.get(table, "")
    ]


def broken_references(connection: Connection, tables: Iterable[str]) -> list[str]:
    """Those of the tables that have rows which refer to nothing."""
    return [name for name in tables if connection.exec_driver_sql(f'PRAGMA foreign_key_check("{name}")').first()]


def sizes(url: URL, _read: Callable[[], AbstractContextManager[Connection]]) -> dict[str, int]:
    """The bytes that the database and its write-ahead log hold on disk; nothing is opened."""
    path = sqlite_path(url)
    return {"database": _size(path), "wal": _size(path.with_name(path.name + "-wal"))}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
