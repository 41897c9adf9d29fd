"""Where blocking calls wait: in a few threads of our own, so that a slow database never takes those of the host's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import ParamSpec, TypeVar, cast

from anyio import CapacityLimiter, to_thread

P = ParamSpec("P")
T = TypeVar("T")

THREAD_LIMIT = 16
"""As many as the pool has connections for reading."""


class Threads:
    """At most THREAD_LIMIT calls at once."""

    def __init__(self) -> None:
        """No thread is started before the first call."""
        self._limiter = CapacityLimiter(THREAD_LIMIT)

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call it in a thread."""
        return await to_thread.run_sync(partial(function, *args, **kwargs), limiter=self._limiter)

    async def iterate(self, iterator: Iterator[T]) -> AsyncIterator[T]:
        """Take each of its items in a thread; none is held while the item is being used."""
        end = object()
        while (item := await self.call(_next, iterator, end)) is not end:
            yield cast("T", item)


def _next(iterator: Iterator[object], default: object) -> object:
    return next(iterator, default)
