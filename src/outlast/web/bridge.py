"""Between an event loop and the writer's thread.

What was asked in one turn of the loop is submitted together, so that the writer finds it together; what was committed
together comes back in one wake-up. One by one, the two threads would fight for the interpreter at every request.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Generic, TypeAlias, TypeVar

from outlast.database.connection import unavailable

LOOK_SECONDS = 0.25

W = TypeVar("W")
T = TypeVar("T")

Waiter: TypeAlias = "asyncio.Future[T]"


class Bridge(Generic[W, T]):
    """For one event loop; used by its thread alone, except where it says so."""

    def __init__(self, submit: Callable[[W], Future[T]], wait_seconds: float) -> None:
        """Submit by `submit`; a write that has not begun after `wait_seconds` is withdrawn."""
        self.loop = asyncio.get_running_loop()
        self._submit = submit
        self._wait_seconds = wait_seconds
        self._asked: list[tuple[W, Waiter[T]]] = []
        self._submitted: dict[Future[T], tuple[Waiter[T], float]] = {}
        self._ended: deque[Future[T]] = deque()
        self._waking = False
        self._looking = False

    async def write(self, what: W) -> T:
        """Submit it and wait for its end.

        Raises what its future does, and RequestRefusedError UNAVAILABLE when it was withdrawn.
        """
        waiter: Waiter[T] = self.loop.create_future()
        if not self._asked:
            self.loop.call_soon(self._flush)
        self._asked.append((what, waiter))
        return await waiter

    def _flush(self) -> None:
        asked, self._asked = self._asked, []
        give_up_at = self.loop.time() + self._wait_seconds
        for what, waiter in asked:
            if waiter.cancelled():
                continue
            try:
                future = self._submit(what)
            except Exception as error:  # noqa: BLE001 - it is the waiter's
                waiter.set_exception(error)
            else:
                self._submitted[future] = waiter, give_up_at
                future.add_done_callback(self._note_end)
        if self._submitted and not self._looking:
            self._looking = True
            self.loop.call_later(LOOK_SECONDS, self._look)

    def _note_end(self, future: Future[T]) -> None:
        """Called by the thread that ends it."""
        self._ended.append(future)
        if not self._waking:
            self._waking = True
            with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
                self.loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        self._waking = False  # before the look: what ends from now on wakes us again
        while self._ended:
            future = self._ended.popleft()
            waiter, _ = self._submitted.pop(future)
            if waiter.cancelled():
                continue
            if future.cancelled():
                waiter.set_exception(unavailable())
            elif error := future.exception():
                waiter.set_exception(error)
            else:
                waiter.set_result(future.result())

    def _look(self) -> None:
        """Withdraw what nobody waits for, or what has waited too long."""
        now = self.loop.time()
        for future, (waiter, give_up_at) in list(self._submitted.items()):
            if waiter.cancelled() or give_up_at <= now:
                future.cancel()
        self._looking = bool(self._submitted)
        if self._looking:
            self.loop.call_later(LOOK_SECONDS, self._look)
