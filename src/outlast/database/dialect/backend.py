"""Which of the two databases it is: asked here, and nowhere else.

sqlite.py and postgresql.py have the functions of `Backend`; those below choose between them.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeAlias

from sqlalchemy import Engine
from sqlalchemy.engine import URL, Connection, Dialect, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from outlast.database.dialect import postgresql, sqlite
from outlast.database.dialect.objects import Definition, Kind, Trigger
from outlast.errors import DefinitionError

Read: TypeAlias = Callable[[], AbstractContextManager[Connection]]
"""Gives a connection in a read transaction."""


class Backend(Protocol):
    """What a database's module has to say."""

    def check_url(self, url: URL) -> None: ...
    def create_read_engine(self, url: URL, clock: str | None) -> Engine: ...
    def create_write_engine(self, url: URL, clock: str | None) -> Engine: ...
    def transaction_exists(self, connection: Connection) -> bool: ...
    def locks_rows(self) -> bool: ...
    def changing_schema(self, connection: Connection) -> AbstractContextManager[None]: ...
    def definitions(self, connection: Connection, kind: Kind) -> dict[str, Definition]: ...
    def trigger_ddl(self, trigger: Trigger) -> str: ...
    def drop_trigger_ddl(self, name: str, table: str, /) -> str: ...
    def missing_checks(self, connection: Connection, wanted: Iterable[tuple[str, str, str]]) -> list[str]: ...
    def broken_references(self, connection: Connection, tables: Iterable[str], /) -> list[str]: ...
    def sizes(self, url: URL, read: Read, /) -> dict[str, int]: ...
    def is_busy(self, error: BaseException) -> bool: ...
    def is_full(self, error: BaseException) -> bool: ...
    def is_read_only(self, error: BaseException, /) -> bool: ...
    def is_operational(self, error: BaseException) -> bool: ...


_BACKENDS: dict[str, Backend] = {"sqlite": sqlite, "postgresql": postgresql}


def parse_url(database_url: str) -> URL:
    """The URL of a database that Outlast can use.

    Raises DefinitionError: not a URL, another database, Windows, or what the database's own check refuses.
    """
    try:
        url = make_url(database_url)
    except Exception:  # noqa: BLE001 - SQLAlchemy raises several kinds, some of which show the URL's password
        message = "database_url is not a database URL; it looks like sqlite:///path/to/file.db"
        raise DefinitionError(message) from None
    if sys.platform == "win32":
        message = "Outlast runs on Linux and, for development, on macOS; Windows has no flock and no SIGKILL"
        raise DefinitionError(message)
    if url.get_backend_name() not in _BACKENDS:
        message = f"database_url names {url.get_backend_name()!r}; jobs are kept in SQLite or PostgreSQL"
        raise DefinitionError(message)
    _of(url).check_url(url)
    return url


def _of(url: URL) -> Backend:
    return _BACKENDS[url.get_backend_name()]


def _on(connection: Connection) -> Backend:
    return _BACKENDS[connection.dialect.name]


def driver_errors() -> tuple[type[Exception], ...]:
    """What a statement may raise: statements run on the driver itself, transactions through SQLAlchemy."""
    known: tuple[type[Exception], ...] = (DBAPIError, PoolTimeoutError, sqlite3.Error)
    psycopg = sys.modules.get("psycopg")  # whoever hasn't loaded it meets none of its errors
    return known if psycopg is None else (*known, psycopg.Error)


def create_write_engine(url: URL, clock: str | None) -> Engine:
    """An engine for transactions that write."""
    return _of(url).create_write_engine(url, clock)


def create_read_engine(url: URL, clock: str | None) -> Engine:
    """An engine whose transactions read one snapshot and can't write."""
    return _of(url).create_read_engine(url, clock)


def locked_file(url: URL) -> Path | None:
    """The file that is locked as a whole by whoever writes, where it is one."""
    return sqlite.sqlite_path(url) if url.get_backend_name() == "sqlite" else None


def locks_rows(connection: Connection) -> bool:
    """Whether others write at the same time, and rows have to be locked before they are judged."""
    return _on(connection).locks_rows()


def transaction_exists(connection: Connection) -> bool:
    """Whether the database still has our transaction, which some errors roll back as a whole."""
    return _on(connection).transaction_exists(connection)


def changing_schema(connection: Connection) -> AbstractContextManager[None]:
    """In the body a transaction has begun in which the schema may be changed."""
    return _on(connection).changing_schema(connection)


def definitions(connection: Connection, kind: Kind) -> dict[str, Definition]:
    """What exists of a kind, by name; indexes that only serve a constraint are left out."""
    return _on(connection).definitions(connection, kind)


def trigger_ddl(trigger: Trigger, dialect: Dialect) -> str:
    """A trigger's DDL, as `definitions` finds it."""
    return _BACKENDS[dialect.name].trigger_ddl(trigger)


def drop_trigger_ddl(connection: Connection, name: str, table: str) -> str:
    """What undoes `trigger_ddl`."""
    return _on(connection).drop_trigger_ddl(name, table)


def missing_checks(connection: Connection, wanted: Iterable[tuple[str, str, str]]) -> list[str]:
    """The names of those (table, name, condition) that aren't there as they are declared."""
    return _on(connection).missing_checks(connection, wanted)


def broken_references(connection: Connection, tables: Iterable[str]) -> list[str]:
    """Those of the tables that have rows which refer to nothing."""
    return _on(connection).broken_references(connection, tables)


def sizes(url: URL, read: Read) -> dict[str, int]:
    """The bytes that the database and its log hold; both 0 when there is none yet."""
    return _of(url).sizes(url, read)


def is_busy(error: BaseException) -> bool:
    """Whether it was refused because of what somebody else does at the time; waiting may help."""
    return any(backend.is_busy(error) for backend in _BACKENDS.values())


def is_full(error: BaseException) -> bool:
    """Whether the database has no room left to write."""
    return any(backend.is_full(error) for backend in _BACKENDS.values())


def is_read_only(error: BaseException) -> bool:
    """Whether nobody may write there any more."""
    return any(backend.is_read_only(error) for backend in _BACKENDS.values())


def is_operational(error: BaseException) -> bool:
    """Whether the database itself can't do it now: locked, full, failing, not upgraded; no fault of the statement."""
    return any(backend.is_operational(error) for backend in _BACKENDS.values())
