"""Connections to the tasks service's SQLite file: WAL, commits that survive power loss, writers that queue early."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from sqlite3 import Connection as SqliteConnection

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.orm import Session

from outlast.demo.schema import Base

DEFAULT_URL = "sqlite:///outlast-demo.db"
BUSY_TIMEOUT_MILLISECONDS = 2_000
# More than the threads that serve requests, so that none waits for a connection.
CONNECTION_LIMIT = 64


def demo_database_url() -> str:
    """Say where the demo's file is: `OUTLAST_DATABASE_URL`, or `outlast-demo.db` in the working directory."""
    return os.environ.get("OUTLAST_DATABASE_URL", DEFAULT_URL)


class TasksDatabase:
    """The tasks service's file. Connects when first used; may be shared by threads, not across a fork."""

    def __init__(self, url: str) -> None:
        self._engine = create_engine(url, pool_size=CONNECTION_LIMIT, max_overflow=0)
        event.listen(self._engine, "connect", _prepare)
        event.listen(self._engine, "begin", _begin)
        self._writer = self._engine.execution_options(begin="BEGIN IMMEDIATE")

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Give a session in which all reads see one moment."""
        with Session(self._engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Give a session that holds the file's one write lock, and commits at the end unless something was raised.

        Raises `OperationalError` (SQLITE_BUSY) if others hold the lock for the whole busy timeout.
        """
        with Session(self._writer, expire_on_commit=False) as session, session.begin():
            yield session

    def create_tables(self) -> None:
        """Create what is missing. Safe for processes that start together: the check is made under the write lock."""
        with self._writer.begin() as connection:
            Base.metadata.create_all(connection)

    def close(self) -> None:
        """Close the connections that nobody uses."""
        self._engine.dispose()


def _prepare(connection: SqliteConnection, _record: object) -> None:
    # Otherwise the driver begins transactions by itself, late, and never around reads.
    connection.isolation_level = None
    for pragma in (
        f"busy_timeout = {BUSY_TIMEOUT_MILLISECONDS}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))
