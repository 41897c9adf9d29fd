"""The way of a POST from its head to its 202. It holds no thread while it waits for the commit."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response

from outlast.boundary import boundary
from outlast.database.accept import Accepted
from outlast.database.connection import unavailable
from outlast.database.jobs import Seen
from outlast.errors import RequestRefusedError
from outlast.model import Principal
from outlast.service import Ask, Service
from outlast.web.answers import job_response
from outlast.web.incoming import preferred_wait
from outlast.web.threads import Threads
from outlast.web.watcher import Watcher

T = TypeVar("T")


class Accepting:
    """Answers what `Service.acceptance` was asked."""

    def __init__(self, service: Service, threads: Threads, watcher: Watcher) -> None:
        """Nothing is started."""
        self._service = service
        self._threads = threads
        self._watcher = watcher

    async def answer(self, request: Request, ask: Ask, base: str) -> Response:
        """Answer 202, or 200 when the job has ended, only after the job is durable."""
        accepted = await self._accepted(ask)
        self._service.announce(accepted, ask.context)
        seen = Seen(accepted.job, accepted.job.created_at)
        if accepted.replayed:
            seen = await self._threads.call(self._service.get, ask.principal, accepted.job.id)
        applied = None
        wait = preferred_wait(request)
        if wait and not seen.job.status.ended:
            seen = await self._ended(ask.principal, seen, min(wait, self._service.settings.wait_limit_seconds))
            applied = wait if seen.job.status.ended else None
        response = job_response(seen, base, 200 if seen.job.status.ended else 202)
        response.headers["Location"] = f"{base}/{seen.job.id}"
        if not seen.job.status.ended:
            response.headers["Retry-After"] = str(self._service.pace.wait_seconds)
        if accepted.replayed:
            response.headers["Idempotency-Replayed"] = "true"
        if applied is not None:
            response.headers["Preference-Applied"] = f"wait={applied}"
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
        return await outcome(acceptance.submit(new), self._service.settings.accept_wait_seconds)

    async def _ended(self, principal: Principal, seen: Seen, seconds: float) -> Seen:
        await self._watcher.wait(seen.job.id, lambda state: state is None or state[0].ended, seconds)
        return await self._threads.call(self._service.get, principal, seen.job.id)


async def outcome(future: Future[T], seconds: float) -> T:
    """Await a write. After `seconds` it is withdrawn if it has not begun; else its end is awaited."""
    timer = asyncio.get_running_loop().call_later(seconds, future.cancel)
    try:
        return await asyncio.wrap_future(future)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise unavailable() from None
    finally:
        timer.cancel()
