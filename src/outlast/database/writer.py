"""The one writer of a process: it commits together what is waiting.

Each write runs in a savepoint of its own, in the order of the keys, at most BATCH_LIMIT in a transaction. No caller
hears anything before the COMMIT that holds his write. A transaction whose end is unknown is never guessed: each of
its writes is looked up (`recover`), under the write lock, on a new connection.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from sqlalchemy.engine import Connection

from outlast.boundary import BOUNDARIES, boundary
from outlast.database import dialect
from outlast.database.connection import INHERITED, Database, unavailable
from outlast.errors import OutcomeUnknownError, ProblemCode, RequestRefusedError

T = TypeVar("T")

BATCH_LIMIT = 64
PAUSE_SECONDS = 0.05
RECOVERY_SECONDS = 5.0
"""How long the outcome of a lost COMMIT is looked for, at least."""


class Batch(dict[Any, Any]):
    """What the writes of one transaction share: counts that are taken once."""


@dataclass(frozen=True, slots=True)
class Write(Generic[T]):
    """One change: `perform` makes it, `recover` tells (or makes certain) what became of it.

    `name` is the prefix of its boundaries, `key` its place in the batch.
    """

    name: str
    key: str
    perform: Callable[[Connection, Batch], T]
    recover: Callable[[Connection], T]


@dataclass(slots=True)
class _Waiting:
    write: Write[Any]
    give_up_at: float
    future: Future[Any] = field(default_factory=Future)
    result: Any = None
    error: Exception | None = None

    def deliver(self) -> None:
        """Tell the caller; only once it is certain what stands in the database."""
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Writer:
    """Starts its thread on first use, in every process anew."""

    def __init__(self, database: Database, *, queue_limit: int) -> None:
        """At most `queue_limit` writes wait; a further one is refused."""
        self._database = database
        self._queue_limit = queue_limit
        self._connection: Connection | None = None
        self._reset()
        reset = weakref.WeakMethod(self._reset)
        os.register_at_fork(after_in_child=lambda: (reset() or (lambda: None))())

    def _reset(self) -> None:
        self._queue: deque[_Waiting] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closing = False
        INHERITED.append(self._connection)
        self._connection = None

    def submit(self, write: Write[T], *, wait_seconds: float) -> Future[T]:
        """Queue a write. Its future ends after the COMMIT, or with the reason why nothing was written.

        After `wait_seconds` without the database's write lock it ends with a refusal (503). Cancelling the future
        withdraws a write that has not begun. Raises RequestRefusedError when the queue is full or the writer closed.
        """
        waiting = _Waiting(write, time.monotonic() + wait_seconds)
        with self._changed:
            if self._closing:
                raise RequestRefusedError(ProblemCode.STOPPING, retry_after_seconds=1)
            if len(self._queue) >= self._queue_limit:
                raise unavailable()
            self._queue.append(waiting)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="outlast-writer", daemon=True)
                self._thread.start()
            self._changed.notify()
        return waiting.future

    def run(self, write: Write[T], *, wait_seconds: float) -> T:
        """Queue a write and wait for its end."""
        return self.submit(write, wait_seconds=wait_seconds).result()

    def close(self, timeout_seconds: float = 10.0) -> None:
        """Refuse further writes, end the waiting ones, and stop."""
        with self._changed:
            self._closing = True
            thread = self._thread
            self._changed.notify()
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout_seconds)

    def _run(self) -> None:
        while batch := self._take():
            try:
                self._write_together(batch)
            except Exception as error:  # noqa: BLE001 - the loop survives whatever a batch did
                self._discard()
                for waiting in batch:
                    if not waiting.future.done():
                        waiting.future.set_exception(error)
                time.sleep(PAUSE_SECONDS)
        if self._connection is not None:
            self._connection.close()

    def _take(self) -> list[_Waiting]:
        with self._changed:
            while not self._queue and not self._closing:
                self._changed.wait()
            batch = [self._queue.popleft() for _ in range(min(BATCH_LIMIT, len(self._queue)))]
        return sorted(batch, key=lambda waiting: waiting.write.key)

    def _write_together(self, batch: list[_Waiting]) -> None:
        connection = self._begin(batch)
        if connection is None:
            return
        begun: list[_Waiting] = []
        shared = Batch()
        try:
            for waiting in batch:
                if waiting.future.set_running_or_notify_cancel():
                    begun.append(waiting)
                    _in_savepoint(connection, waiting, shared)
            _pass("before_commit", begun)
            connection.commit()
        except Exception as error:  # noqa: BLE001 - whatever it was, the transaction's end is unknown
            self._discard()
            self._put_back([waiting for waiting in batch if waiting not in begun])
            self._look_up(begun, error)
            return
        _pass("after_commit", begun)
        for waiting in begun:
            waiting.deliver()

    def _begin(self, batch: list[_Waiting]) -> Connection | None:
        """Take the write lock; None when every caller has given up or was refused before we got it."""
        while True:
            batch[:] = [waiting for waiting in batch if not _given_up(waiting)]
            if not batch:
                return None
            try:
                return self._locked()
            except dialect.DRIVER_ERRORS as error:
                if not dialect.is_busy(error):
                    self._discard()
                    time.sleep(PAUSE_SECONDS)

    def _locked(self) -> Connection:
        if self._connection is None:
            self._connection = self._database.write_connection()
        with self._database.turnstile.turn():
            self._connection.begin()
        return self._connection

    def _discard(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()
            connection.close()

    def _put_back(self, waiting: list[_Waiting]) -> None:
        with self._changed:
            self._queue.extendleft(reversed(waiting))

    def _look_up(self, begun: list[_Waiting], cause: Exception) -> None:
        for waiting in begun:
            patience = max(waiting.give_up_at, time.monotonic() + RECOVERY_SECONDS)
            while not self._recovered(waiting):
                if time.monotonic() > patience:
                    waiting.error = OutcomeUnknownError("the outcome of a COMMIT could not be looked up")
                    break
                time.sleep(PAUSE_SECONDS)
            if waiting.error is not None:
                waiting.error.__cause__ = cause
            waiting.deliver()

    def _recovered(self, waiting: _Waiting) -> bool:
        try:
            connection = self._locked()
            _in_savepoint(connection, waiting, waiting.write.recover)
            connection.commit()
        except Exception:  # noqa: BLE001 - a look-up may fail in every way in which the write may
            self._discard()
            return False
        return True


def _in_savepoint(connection: Connection, waiting: _Waiting, shared: Batch | None) -> None:
    """Perform the write, or without a batch look it up, and note the result; an error undoes this savepoint alone.

    Raises whatever ended the whole transaction: some errors of SQLite roll back everything, and what followed would
    then commit statement by statement.
    """
    driver: Any = connection.connection.driver_connection
    driver.execute("SAVEPOINT write_one")
    try:
        write = waiting.write
        waiting.result = write.perform(connection, shared) if shared is not None else write.recover(connection)
        waiting.error = None
    except Exception as error:
        if not dialect.transaction_exists(connection):
            raise
        driver.execute("ROLLBACK TO write_one")
        waiting.error = _for_caller(error)
    driver.execute("RELEASE write_one")


def _for_caller(error: Exception) -> Exception:
    return unavailable() if dialect.is_busy(error) or dialect.is_full(error) else error


def _given_up(waiting: _Waiting) -> bool:
    if waiting.future.cancelled():
        return True
    if time.monotonic() < waiting.give_up_at:
        return False
    if waiting.future.set_running_or_notify_cancel():
        waiting.future.set_exception(unavailable())
    return True


def _pass(moment: str, waiting: list[_Waiting]) -> None:
    for one in waiting:
        name = f"{one.write.name}.{moment}"
        if one.error is None and name in BOUNDARIES:
            boundary(name)
