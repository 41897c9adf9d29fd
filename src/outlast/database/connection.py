"""`Database`: the connections of one process, made on first use and never carried over a fork."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

from sqlalchemy import Engine
from sqlalchemy.engine import Connection

from outlast.database import dialect, fork
from outlast.database.turnstile import Turnstile
from outlast.errors import OutlastError, ProblemCode, RequestRefusedError

FORK_WAIT_SECONDS = 5.0
"""How long a fork waits for transactions to end. A child that inherits one nevertheless refuses to work."""


@dataclass(slots=True)
class _Open:
    """What is open: two engines, and the one connection that writes."""

    read: Engine
    write: Engine
    writing: Connection | None = None

    def close(self) -> None:
        self.discard()
        self.read.dispose()
        self.write.dispose()

    def discard(self) -> None:
        writing, self.writing = self.writing, None
        if writing is not None:
            writing.invalidate()
            writing.close()


class Database:
    """Where the jobs live: `read()` gives one snapshot, `write()` a transaction that writes.

    On SQLite that transaction holds the database's write lock, on PostgreSQL the rows that it has locked.

    Opens nothing until it is used.
    """

    def __init__(self, database_url: str, clock_expression: str | None = None) -> None:
        """Raises DefinitionError when the URL names no database that Outlast can use."""
        self.url = dialect.parse_url(database_url)
        self._clock = clock_expression
        self._signals: WeakSet[dialect.ChangeSignal] = WeakSet()
        self._inherited: object = None
        self._reset()
        fork.join(self)

    def _reset(self) -> None:
        self._changed = threading.Condition()
        self._writing = threading.Lock()
        self._users = 0
        self._forking = False
        self._open: _Open | None = None
        path = dialect.locked_file(self.url)
        self._turnstile = None if path is None else Turnstile(path)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Hold off forks, and wait for one that is under way. Raises OutlastError in a child of an unsafe one."""
        if self._inherited:
            message = (
                "this process was forked while its parent had the database open, which SQLite does not survive:"
                " close every connection to it before forking (SQLAlchemy: engine.dispose())"
            )
            raise OutlastError(message)
        with self._changed:
            self._changed.wait_for(lambda: not self._forking)
            self._users += 1
        try:
            yield
        finally:
            with self._changed:
                self._users -= 1
                self._changed.notify_all()

    def _opened(self) -> _Open:
        with self._changed:
            if self._open is None:
                self._open = _Open(
                    dialect.create_read_engine(self.url, self._clock),
                    dialect.create_write_engine(self.url, self._clock),
                )
            return self._open

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection in a read transaction: one snapshot, nothing written.

        Raises RequestRefusedError (503) when the database can't be read right now.
        """
        try:
            with self.in_use(), self._opened().read.begin() as connection:
                yield connection
        except dialect.driver_errors() as error:
            raise unavailable() from error

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """The connection that writes, holding the database's write lock; the body commits.

        Raises what the driver raises; when somebody else holds the lock, that is an error which `dialect.is_busy`
        knows, after a short wait. Whatever error leaves the body, the connection is discarded.
        """
        with self.in_use(), self._writing:
            opened = self._opened()
            try:
                if opened.writing is None:
                    opened.writing = opened.write.connect()
                with self._turn():
                    opened.writing.begin()
            except dialect.driver_errors() as error:
                if not dialect.is_busy(error):
                    opened.discard()
                raise
            try:
                yield opened.writing
            except BaseException:
                opened.discard()
                raise
            if opened.writing.in_transaction():
                opened.writing.rollback()

    def _turn(self) -> AbstractContextManager[None]:
        return nullcontext() if self._turnstile is None else self._turnstile.turn()

    def _close_turnstile(self) -> None:
        if self._turnstile is not None:
            self._turnstile.close()

    @contextmanager
    def schema_change(self) -> Iterator[Connection]:
        """As `write()`, on a connection of its own on which tables may be rebuilt."""
        with self.in_use(), self._writing, self._opened().write.connect() as connection:
            try:
                with ExitStack() as stack:
                    with self._turn():
                        stack.enter_context(dialect.changing_schema(connection))
                    yield connection
            finally:
                connection.invalidate()

    def change_signal(self) -> dialect.ChangeSignal:
        """A new watcher for commits of others; belongs to the calling thread."""
        signal = dialect.change_signal(self.url, self.in_use)
        self._signals.add(signal)
        return signal

    def file_sizes(self) -> dict[str, int]:
        """Bytes on disk, by kind of file; both 0 when there is no database yet."""
        return dialect.sizes(self.url, self.read)

    def close(self) -> None:
        """Close every connection of this process."""
        with self._changed:
            opened, self._open = self._open, None
        if opened is not None:
            opened.close()
        self._close_turnstile()

    def before_fork(self) -> None:
        """Let nobody begin, wait for those who have, and close everything."""
        with self._changed:
            self._forking = True
            if not self._changed.wait_for(lambda: not self._users, FORK_WAIT_SECONDS):
                return
        self.close()
        for signal in self._signals:
            signal.close()

    def after_fork_in_parent(self) -> None:
        """Let everybody begin again."""
        with self._changed:
            self._forking = False
            self._changed.notify_all()

    def after_fork_in_child(self) -> None:
        """Begin anew, and never touch what the parent has open: closing it would touch the parent's files."""
        self._close_turnstile()
        path = dialect.locked_file(self.url)
        if path is not None and fork.file_is_open(path):
            self._inherited = self._open or self.url
        self._reset()


def unavailable(retry_after_seconds: int = 1, **members: Any) -> RequestRefusedError:
    """The refusal when the database can't be used right now."""
    return RequestRefusedError(
        ProblemCode.UNAVAILABLE, "The database can't be used right now. Send the same request again.",
        retry_after_seconds=retry_after_seconds, **members,
    )  # fmt: skip
