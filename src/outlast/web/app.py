"""The service of its own, `outlast api`: our router at /exports, with built-in tokens."""

from __future__ import annotations

import gc
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, Protocol

from fastapi import FastAPI

from outlast.service import Service
from outlast.web import health
from outlast.web.auth import BearerTokens
from outlast.web.exports import Endpoints, router_of
from outlast.web.stopping import RefuseWhenStopping, Stopping
from outlast.web.threads import Threads
from outlast.worker.housekeeping import Sweep
from outlast.worker.parts import Parts

PREFIX = "/exports"
EXHAUST_SECONDS = 1.0
"""How often jobs past their deadline are looked for, so that deadlines hold without any worker."""


class App(Parts, Protocol):
    """What the service needs of an app; `outlast.Exports` has it."""

    @property
    def service(self) -> Service:
        """The public functions."""
        ...

    def close(self) -> None:
        """End the waiting writes and close every connection of this process."""


def create_app(
    exports: App,
    *,
    principal: Callable[..., Any] | None = None,
    metrics: Callable[[], bytes] | None = None,
) -> FastAPI:
    """The application. `principal` replaces the built-in tokens; `metrics` gives what /metrics answers.

    At SIGTERM it refuses new requests, answers its long polls and lets the rest end; the server bounds how long
    (uvicorn: `timeout_graceful_shutdown`). Afterwards the writer is drained and the database closed.
    """
    stopping = Stopping()
    endpoints = Endpoints(exports.service)
    stopping.tell(endpoints.watcher.stop)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        ended = threading.Event()
        gc.freeze()  # what is loaded by now lives as long as the process: collections needn't go through it
        threading.Thread(target=_exhaust, args=(exports, ended), name="outlast-exhaust", daemon=True).start()
        with stopping.at_signals():
            yield
        ended.set()
        await Threads().call(exports.close)

    app = FastAPI(
        title="Outlast", summary="Exports that outlast the request.", version=version("outlast"), lifespan=lifespan
    )
    open_paths = frozenset({health.LIVE, health.READY, health.METRICS})
    app.add_middleware(RefuseWhenStopping, stopping=stopping, open_paths=open_paths)
    app.include_router(router_of(endpoints, principal or BearerTokens(exports.database), PREFIX))
    app.include_router(health.Health(exports.database, stopping, metrics).router())
    return app


def _exhaust(exports: App, ended: threading.Event) -> None:
    sweep = Sweep(exports, lambda: not ended.is_set())
    while not ended.wait(EXHAUST_SECONDS):
        sweep.exhaust(may_reclaim=False)
