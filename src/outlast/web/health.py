"""/livez, /readyz and /metrics: for those who run the service."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, Response

from outlast.database import jobs, migrate
from outlast.database.connection import Database
from outlast.errors import OutlastError
from outlast.web.stopping import Stopping
from outlast.web.threads import Threads

LIVE, READY, METRICS = "/livez", "/readyz", "/metrics"
METRICS_MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Health:
    """Whether this process can do its work."""

    def __init__(self, database: Database, stopping: Stopping, metrics: Callable[[], bytes] | None) -> None:
        """Nothing is opened."""
        self._database = database
        self._stopping = stopping
        self._metrics = metrics
        self._threads = Threads()
        self._schema_is_current = False

    def router(self) -> APIRouter:
        """The endpoints, which are no part of the published contract."""
        router = APIRouter(include_in_schema=False)
        router.add_api_route(LIVE, self.live, methods=["GET", "HEAD"])
        router.add_api_route(READY, self.ready, methods=["GET", "HEAD"])
        if self._metrics is not None:
            router.add_api_route(METRICS, self.metrics, methods=["GET"])
        return router

    async def live(self) -> Response:
        """The event loop turns."""
        return PlainTextResponse("alive\n")

    async def ready(self) -> Response:
        """The database can be read, its schema is this version's, and the process isn't stopping."""
        reason = "stopping" if self._stopping.begun else await self._threads.call(self._not_ready)
        if reason is None:
            return PlainTextResponse("ready\n")
        return PlainTextResponse(f"not ready: {reason}\n", 503)

    async def metrics(self) -> Response:
        """What Prometheus scrapes."""
        assert self._metrics is not None  # noqa: S101 - else there is no such route
        return Response(await self._threads.call(self._metrics), headers={"Content-Type": METRICS_MEDIA_TYPE})

    def _not_ready(self) -> str | None:
        try:
            if not self._schema_is_current:
                problems = migrate.problems(self._database)
                self._schema_is_current = not problems
                return "; ".join(problems) or None
            with self._database.read() as connection:
                jobs.statuses(connection, ())
        except OutlastError as error:
            return str(error)
        return None
