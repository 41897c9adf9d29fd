"""Long polling: one thread of a process watches all jobs that somebody waits for. A waiter is only a future."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from outlast.database import fork, jobs
from outlast.database.connection import Database
from outlast.errors import RequestRefusedError
from outlast.telemetry.events import LoopFailed
from outlast.telemetry.hooks import Hooks
from outlast.web.etags import State

LOOK_SECONDS = 1.0
"""How often the jobs are looked at, whatever the signal says: it is a hint that may be missed."""
PAUSE_SECONDS = 0.5

Enough: TypeAlias = Callable[[State | None], bool]
"""Whether a waiter is to be told; asked with the job's state, which is None when there is no such job (any more)."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    job_id: str
    enough: Enough
    future: Future[None] = field(default_factory=Future)


class Watcher:
    """Starts its thread when somebody waits first, in every process anew."""

    def __init__(self, database: Database, hooks: Hooks, *, poll_interval_seconds: float, limit: int) -> None:
        """At most `limit` may wait."""
        self._database = database
        self._hooks = hooks
        self._poll_interval_seconds = poll_interval_seconds
        self._limit = limit
        self._reset()
        fork.join(self)

    def _reset(self) -> None:
        self._waiting: list[_Waiting] = []
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stopped = False
        self._news = False

    async def wait(self, job_id: str, enough: Enough, seconds: float) -> None:
        """Return when the job's state is `enough`, when the time is over, or when it is better not to wait.

        What has happened meanwhile is for the caller to read.
        """
        waiting = self._admit(job_id, enough)
        if waiting is not None:
            future = asyncio.wrap_future(waiting.future)
            try:
                await asyncio.wait({future}, timeout=seconds)
            finally:
                future.cancel()

    def stop(self) -> None:
        """Answer everybody who waits, and let nobody wait any more."""
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def before_fork(self) -> None:
        """Nothing to do: the database holds us off."""

    def after_fork_in_parent(self) -> None:
        """Nothing to do."""

    def after_fork_in_child(self) -> None:
        """Begin anew: who waits here is answered by the parent."""
        self._reset()

    def _admit(self, job_id: str, enough: Enough) -> _Waiting | None:
        with self._changed:
            if self._stopped or len(self._waiting) >= self._limit:
                return None
            waiting = _Waiting(job_id, enough)
            self._waiting.append(waiting)
            self._news = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="outlast-watcher", daemon=True)
                self._thread.start()
            self._changed.notify()
        return waiting

    def _run(self) -> None:
        signal, look_at = self._database.change_signal(), 0.0
        while not self._stopped:
            try:
                waiting, news = self._present()
                if waiting and (signal.changed() or news or time.monotonic() > look_at):
                    look_at = time.monotonic() + LOOK_SECONDS
                    self._look(waiting)
            except Exception as error:  # noqa: BLE001 - the loop survives, and those who wait have their own limit
                self._hooks.emit(LoopFailed("watcher", type(error).__name__))
                time.sleep(PAUSE_SECONDS)
        for one in self._present()[0]:
            _tell(one)

    def _present(self) -> tuple[list[_Waiting], bool]:
        """Who waits still, after a short sleep, or a long one while there is nobody; and whether somebody is new."""
        with self._changed:
            if not self._stopped and not self._news:
                self._changed.wait(self._poll_interval_seconds if self._waiting else None)
            news, self._news = self._news, False
            self._waiting = [one for one in self._waiting if not one.future.done()]
            return list(self._waiting), news

    def _look(self, waiting: list[_Waiting]) -> None:
        with suppress(RequestRefusedError), self._database.read() as connection:
            states = jobs.statuses(connection, list({one.job_id for one in waiting}))
            for one in waiting:
                if one.enough(states.get(one.job_id)):
                    _tell(one)


def _tell(waiting: _Waiting) -> None:
    with suppress(InvalidStateError):  # he has gone, just now
        waiting.future.set_result(None)
