"""What happens at SIGTERM, before the server waits for its connections to end."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from starlette.types import ASGIApp, Receive, Scope, Send

from outlast.errors import ProblemCode, RequestRefusedError
from outlast.service import request_id
from outlast.web.problems import problem_response

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Stopping:
    """Whether the process is about to stop, and who wants to know at once."""

    def __init__(self) -> None:
        """Not yet."""
        self.begun = False
        self._told: list[Callable[[], None]] = []

    def tell(self, callback: Callable[[], None]) -> None:
        """Call it when the stop begins."""
        self._told.append(callback)

    def begin(self) -> None:
        """From now on new requests are refused."""
        self.begun = True
        for callback in self._told:
            callback()

    @contextmanager
    def at_signals(self) -> Iterator[None]:
        """Begin at SIGTERM or SIGINT, and then let the server do what it does. Within its event loop's thread.

        In another than the main thread there are no signals, and the server has to stop by other means.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        before = {number: signal.getsignal(number) for number in SIGNALS}

        def handle(number: int, frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(self.begin)
            handler = before[signal.Signals(number)]
            if callable(handler):
                handler(number, frame)

        for number in SIGNALS:
            signal.signal(number, handle)
        try:
            yield
        finally:
            for number, handler in before.items():
                if signal.getsignal(number) is handle:
                    signal.signal(number, handler)


class RefuseWhenStopping:
    """ASGI middleware: a request that comes after the stop began is refused, but for those about health."""

    def __init__(self, app: ASGIApp, stopping: Stopping, open_paths: frozenset[str]) -> None:
        """`open_paths` are answered as ever."""
        self._app = app
        self._stopping = stopping
        self._open_paths = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one connection."""
        if not self._stopping.begun or scope["type"] != "http" or scope["path"] in self._open_paths:
            await self._app(scope, receive, send)
            return
        refusal = RequestRefusedError(ProblemCode.STOPPING, "Send the same request again.", retry_after_seconds=1)
        await problem_response(refusal, request_id())(scope, receive, send)
