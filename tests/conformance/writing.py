"""Small writes, and somebody who holds the database's write lock."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy.engine import Connection

from outlast.database.writer import Batch, Write


class Puts:
    """Makes writes that each put a name into a table of our own, and remembers in which order they were performed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.performed: list[str] = []
        with self.raw() as connection:
            connection.execute("CREATE TABLE puts (name TEXT, data BLOB)")

    @contextmanager
    def raw(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as connection:
            yield connection

    def put(
        self, name: str, *, key: str | None = None, size: int = 0, then: Callable[[Any], None] | None = None
    ) -> Write[str]:
        """Put the name once; `then` is called with the driver's connection after the insert."""

        def perform(connection: Connection, _shared: Batch) -> str:
            self.performed.append(name)
            driver: Any = connection.connection.driver_connection
            driver.execute("INSERT INTO puts VALUES (?, zeroblob(?))", (name, size))
            if then is not None:
                then(driver)
            return name

        def recover(connection: Connection) -> str:
            driver: Any = connection.connection.driver_connection
            found = driver.execute("SELECT 1 FROM puts WHERE name = ?", (name,)).fetchone()
            return f"found {name}" if found else perform(connection, Batch())

        return Write("put", key or name, perform, recover)

    def names(self) -> list[str]:
        """What is committed."""
        with self.raw() as connection:
            return [name for (name,) in connection.execute("SELECT name FROM puts ORDER BY rowid")]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the write lock."""
        with self.raw() as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("ROLLBACK")


class Gate:
    """A write's `then`: it stops inside its transaction until it is let go."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._open = threading.Event()

    def __call__(self, _driver: object) -> None:
        self.reached.set()
        assert self._open.wait(10), "nobody opened the gate"

    def open(self) -> None:
        self._open.set()
