"""The way of a POST from its head to its 202. It holds no thread while it waits for the commit."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from outlast.boundary import boundary
from outlast.database.accept import Accepted
from outlast.database.jobs import Seen
from outlast.database.new_jobs import NewJob
from outlast.errors import RequestRefusedError
from outlast.model import Principal
from outlast.service import Ask, Service, job_document
from outlast.web.answers import PRIVATE, encode
from outlast.web.bridge import Bridge
from outlast.web.incoming import preferred_wait
from outlast.web.threads import Threads
from outlast.web.watcher import Watcher


class Accepting:
    """Answers what `Service.acceptance` was asked."""

    def __init__(self, service: Service, threads: Threads, watcher: Watcher) -> None:
        """Nothing is started."""
        self._service = service
        self._threads = threads
        self._watcher = watcher
        self._bridge: Bridge[NewJob, Accepted] | None = None

    async def answer(self, request: Request, ask: Ask, base: str) -> Response:
        """Answer 202, or 200 when the job has ended, only after the job is durable."""
        accepted = await self._accepted(ask)
        self._service.announce(accepted, ask.context)
        seen = Seen(accepted.job, accepted.job.created_at)
        if accepted.replayed:
            seen = await self._threads.call(self._service.get, ask.principal, accepted.job.id)
        headers = {"Cache-Control": PRIVATE, "Location": f"{base}/{seen.job.id}"}
        if accepted.replayed:
            headers["Idempotency-Replayed"] = "true"
        wait = preferred_wait(request)
        if wait and not seen.job.status.ended:
            seen = await self._ended(ask.principal, seen, min(wait, self._service.settings.wait_limit_seconds))
        if not seen.job.status.ended:
            headers["Retry-After"] = str(self._service.pace.wait_seconds)
        elif wait:
            headers["Preference-Applied"] = f"wait={wait}"
        status = 200 if seen.job.status.ended else 202
        response = Response(encode(job_document(seen, base)), status, headers, "application/json")
        boundary("accept.before_response")
        return response

    async def _accepted(self, ask: Ask) -> Accepted:
        acceptance = self._service.acceptance
        try:
            new = (
                await self._threads.call(acceptance.prepare, ask) if acceptance.waits(ask) else acceptance.prepare(ask)
            )
        except RequestRefusedError as refusal:
            return await self._threads.call(acceptance.replay, ask, refusal)
        return await self._current_bridge().write(new)

    def _current_bridge(self) -> Bridge[NewJob, Accepted]:
        if self._bridge is None or self._bridge.loop is not asyncio.get_running_loop():
            self._bridge = Bridge(self._service.acceptance.submit, self._service.settings.accept_wait_seconds)
        return self._bridge

    async def _ended(self, principal: Principal, seen: Seen, seconds: float) -> Seen:
        await self._watcher.wait(seen.job.id, lambda state: state is None or state[0].ended, seconds)
        return await self._threads.call(self._service.get, principal, seen.job.id)
