"""The one writer of a process: it commits together what is waiting.

Each write runs in a savepoint of its own, in the order of the keys, at most BATCH_LIMIT in a transaction. No caller
hears anything before the COMMIT that holds his write. A transaction whose end is unknown is never guessed: each of
its writes is looked up (`recover`), under the write lock, on a new connection.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar

from sqlalchemy.engine import Connection

from outlast.boundary import BOUNDARIES, boundary
from outlast.database import dialect, fork
from outlast.database.connection import Database, unavailable
from outlast.database.savepoint import in_savepoint
from outlast.errors import OutcomeUnknownError, OutlastError, ProblemCode, RequestRefusedError

T = TypeVar("T")

_log = logging.getLogger("outlast")

BATCH_LIMIT = 64
PAUSE_SECONDS = 0.05
RECOVERY_SECONDS = 5.0
"""How long the outcomes of a lost COMMIT are looked for, at least."""


class Batch(dict[Any, Any]):
    """What the writes of one transaction share: counts that are taken once."""


Many: TypeAlias = Callable[[Connection, Batch, Sequence[Any]], Sequence[T]]
"""Makes many changes of one kind in a few statements, and gives the result of each."""


@dataclass(frozen=True, slots=True)
class Write(Generic[T]):
    """One change: `perform` makes it, `recover` tells (or makes certain) what became of it.

    `name` is the prefix of its boundaries, `key` its place in the batch. Neighbours with the same `many` are made by
    it at once, given the `subject` of each. When it raises (OutlastError, unless that is a defect), each is made alone.
    """

    name: str
    key: str
    perform: Callable[[Connection, Batch], T]
    recover: Callable[[Connection], T]
    many: Many[T] | None = None
    subject: Any = None


@dataclass(slots=True, eq=False)
class _Waiting:
    write: Write[Any]
    give_up_at: float
    future: Future[Any] = field(default_factory=Future)
    result: Any = None
    error: Exception | None = None
    started: bool = False
    postponed: bool = False
    """Somebody else holds what it needs: it is to be made again, by itself, so that it holds up nobody."""

    def start(self) -> bool:
        """Begin, unless the caller has withdrawn."""
        self.started = self.started or self.future.set_running_or_notify_cancel()
        return self.started

    def deliver(self) -> None:
        """Tell the caller; only once it is certain what stands in the database."""
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)

    def refuse(self, error: Exception) -> None:
        """Tell the caller that nothing was done, unless he has withdrawn."""
        if self.start():
            self.future.set_exception(error)


class Writer:
    """Starts its thread on first use, in every process anew."""

    def __init__(self, database: Database, *, queue_limit: int) -> None:
        """At most `queue_limit` writes wait; a further one is refused."""
        self._database = database
        self._queue_limit = queue_limit
        self._reset()
        fork.join(self)

    def _reset(self) -> None:
        self._queue: deque[_Waiting] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closing = False

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

    def before_fork(self) -> None:
        """Nothing to do: the database holds us off."""

    def after_fork_in_parent(self) -> None:
        """Nothing to do."""

    def after_fork_in_child(self) -> None:
        """Begin anew: what waits here is the parent's to write."""
        self._reset()

    def _run(self) -> None:
        while self._await_work():
            begun: list[_Waiting] = []
            try:
                with self._database.write() as connection:
                    self._write_together(connection, begun)
            except Exception as error:  # noqa: BLE001 - the loop survives whatever a transaction did
                if dialect.is_read_only(error):  # then there was nothing to commit
                    self._put_back(deque(begun))
                    self._endure(error)
                elif begun:
                    self._look_up(begun, error)
                else:
                    self._endure(error)
            else:
                for waiting in begun:
                    if not waiting.postponed:
                        waiting.deliver()
                self._make_again([waiting for waiting in begun if waiting.postponed])

    def _await_work(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closing)
            return bool(self._queue)

    def _write_together(self, connection: Connection, begun: list[_Waiting]) -> None:
        """Write what waits and commit it; an error means that the transaction of those who have begun is lost."""
        batch = self._take()
        shared = Batch()
        try:
            while batch:
                group = _next_group(batch)
                begun += group
                if not _perform_many(connection, group, shared):
                    for waiting in group:
                        _perform(connection, waiting, shared)
        finally:
            self._put_back(batch)
        _pass("before_commit", begun)
        if not dialect.transaction_exists(connection):
            raise OutcomeUnknownError("the transaction ended before its COMMIT")
        connection.commit()
        _pass("after_commit", begun)

    def _take(self) -> deque[_Waiting]:
        with self._changed:
            batch = [self._queue.popleft()] if self._queue else []
            while self._queue and len(batch) < BATCH_LIMIT and not (batch[0].postponed or self._queue[0].postponed):
                batch.append(self._queue.popleft())
        return deque(sorted(batch, key=lambda waiting: waiting.write.key))

    def _make_again(self, postponed: list[_Waiting]) -> None:
        """Queue them behind all others, each by itself; whose patience has ended is refused."""
        if postponed:
            with self._changed:
                self._queue.extend(postponed)
            self._refuse_late()

    def _put_back(self, batch: deque[_Waiting]) -> None:
        with self._changed:
            self._queue.extendleft(reversed(batch))

    def _endure(self, error: Exception) -> None:
        """Nothing has begun: the database is locked, can't be used, or never will be."""
        if not isinstance(error, dialect.driver_errors()):
            for waiting in self._withdraw(lambda _waiting: True):
                waiting.refuse(error)
        elif not dialect.is_busy(error):
            time.sleep(PAUSE_SECONDS)
        self._refuse_late()

    def _refuse_late(self) -> None:
        now = time.monotonic()
        for waiting in self._withdraw(lambda waiting: waiting.give_up_at <= now):
            waiting.refuse(unavailable())

    def _withdraw(self, condition: Callable[[_Waiting], bool]) -> list[_Waiting]:
        with self._changed:
            chosen = [waiting for waiting in self._queue if condition(waiting)]
            self._queue = deque(waiting for waiting in self._queue if not condition(waiting))
        return chosen

    def _look_up(self, lost: list[_Waiting], cause: Exception) -> None:
        """Find out what became of each, in a transaction of its own, again and again until its patience ends."""
        until = time.monotonic() + RECOVERY_SECONDS
        queue = deque(lost)
        while queue:
            if self._recovered(queue[0]):
                queue.popleft().deliver()
                continue
            now = time.monotonic()
            for waiting in [waiting for waiting in queue if now > max(waiting.give_up_at, until)]:
                queue.remove(waiting)
                waiting.error = OutcomeUnknownError("the outcome of a COMMIT could not be looked up")
                waiting.error.__cause__ = cause
                waiting.deliver()
            queue.rotate(-1)
            self._refuse_late()
            time.sleep(PAUSE_SECONDS)

    def _recovered(self, waiting: _Waiting) -> bool:
        try:
            with self._database.write() as connection:
                _recover(connection, waiting)
                connection.commit()
        except Exception as error:  # noqa: BLE001 - a look-up may fail in every way in which the write may
            if not dialect.is_full(error):
                return False
            waiting.error = unavailable()  # it was looked up and not there, and for making it there is no room
        return True


def _next_group(batch: deque[_Waiting]) -> list[_Waiting]:
    """Take the next writes that can be made at once, or the next one, passing by whoever has withdrawn."""
    group: list[_Waiting] = []
    while batch and (not group or _alike(group[0].write, batch[0].write)):
        waiting = batch.popleft()
        if waiting.start():
            group.append(waiting)
    return group


def _alike(one: Write[Any], other: Write[Any]) -> bool:
    return one.many is not None and one.many is other.many


def _perform_many(connection: Connection, group: list[_Waiting], shared: Batch) -> bool:
    many = group[0].write.many if len(group) > 1 else None
    if many is None:
        return False
    results, error = in_savepoint(connection, lambda: many(connection, shared, [one.write.subject for one in group]))
    if error is not None:
        if not isinstance(error, OutlastError):
            _log.warning("%d writes (%s) failed together: %s", len(group), group[0].write.name, type(error).__name__)
        return False
    for waiting, result in zip(group, results or (), strict=True):
        waiting.result = result
    return True


def _perform(connection: Connection, waiting: _Waiting, shared: Batch) -> None:
    waiting.result, error = in_savepoint(connection, lambda: waiting.write.perform(connection, shared))
    waiting.error = None if error is None else _for_caller(error)
    waiting.postponed = error is not None and dialect.is_busy(error)


def _recover(connection: Connection, waiting: _Waiting) -> None:
    waiting.result, error = in_savepoint(connection, lambda: waiting.write.recover(connection))
    if error is not None and dialect.is_busy(error):
        raise error  # by whom it is held may be the lost transaction itself
    waiting.error = None if error is None else _for_caller(error)


def _for_caller(error: Exception) -> Exception:
    return unavailable() if dialect.is_operational(error) else error


def _pass(moment: str, waiting: list[_Waiting]) -> None:
    for one in waiting:
        name = f"{one.write.name}.{moment}"
        if one.error is None and name in BOUNDARIES:
            boundary(name)
