"""`Database`: the engines of one process, made on first use and never carried over a fork."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.engine import Connection

from outlast.database import dialect
from outlast.database.turnstile import Turnstile
from outlast.errors import ProblemCode, RequestRefusedError

INHERITED: list[object] = []
"""What a forked child got from its parent. It is kept, unused: closing it would touch the parent's files."""


class Database:
    """Where the jobs live: `read()` gives one snapshot, `write_connection()` one that may write.

    Opens nothing until it is used; after a fork, the child opens its own.
    """

    def __init__(self, database_url: str, clock_expression: str | None = None) -> None:
        """Raises DefinitionError when the URL names no database that Outlast can use."""
        self.url = dialect.parse_url(database_url)
        self._clock = clock_expression
        self._guard = threading.Lock()
        self._engines: tuple[Engine, Engine] | None = None
        self.turnstile = Turnstile(dialect.sqlite_path(self.url))
        forget = weakref.WeakMethod(self._forget)
        os.register_at_fork(after_in_child=lambda: (forget() or (lambda: None))())

    def _forget(self) -> None:
        INHERITED.append(self._engines)
        self._guard = threading.Lock()
        self._engines = None
        self.turnstile = Turnstile(dialect.sqlite_path(self.url))

    def _pair(self) -> tuple[Engine, Engine]:
        with self._guard:
            if self._engines is None:
                self._engines = (
                    dialect.create_read_engine(self.url, self._clock),
                    dialect.create_write_engine(self.url, self._clock),
                )
            return self._engines

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection in a read transaction: one snapshot, nothing written.

        Raises RequestRefusedError (503) when the database can't be read right now.
        """
        try:
            with self._pair()[0].begin() as connection:
                yield connection
        except dialect.DRIVER_ERRORS as error:
            raise unavailable() from error

    def write_connection(self) -> Connection:
        """A connection whose transactions begin with the write lock; for the writer and for migrations."""
        return self._pair()[1].connect()

    @property
    def write_engine(self) -> Engine:
        """The engine behind `write_connection`; for migrations."""
        return self._pair()[1]

    def change_signal(self) -> dialect.ChangeSignal:
        """A new watcher for commits of others; belongs to the calling thread."""
        return dialect.ChangeSignal(self.url)

    def file_sizes(self) -> dict[str, int]:
        """Bytes on disk, by kind of file."""
        return dialect.file_sizes(self.url)

    def close(self) -> None:
        """Close every connection of this process."""
        with self._guard:
            for engine in self._engines or ():
                engine.dispose()
            self._engines = None


def unavailable(retry_after_seconds: int = 1, **members: Any) -> RequestRefusedError:
    """The refusal when the database can't be used right now."""
    return RequestRefusedError(
        ProblemCode.UNAVAILABLE, "The database can't be used right now. Send the same request again.",
        retry_after_seconds=retry_after_seconds, **members,
    )  # fmt: skip
