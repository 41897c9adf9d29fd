"""The router: every endpoint of the contract, each a few lines over `outlast.service`."""

# No `from __future__ import annotations`: the endpoints' signatures are read at run time.
import inspect
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from outlast.database.jobs import Seen
from outlast.errors import ProblemCode, RequestRefusedError
from outlast.model import Principal
from outlast.service import CURSOR_PATTERN, PAGE_DEFAULT, PAGE_LIMIT, Service, job_document
from outlast.web import openapi
from outlast.web.accepting import Accepting
from outlast.web.answers import encode, job_response, json_response, unless_known
from outlast.web.body import read_body
from outlast.web.download import download_response, manifest_response
from outlast.web.etags import State, job_tag, matches, names_state, opaque_tags, state_of, strong_tags
from outlast.web.incoming import base_of, context_of, key_of
from outlast.web.route import problem_route
from outlast.web.threads import Threads
from outlast.web.watcher import Watcher

Wait = Annotated[int, Query(ge=0, description="How many seconds the answer may wait for the job.")]
Cursor = Annotated[str | None, Query(pattern=CURSOR_PATTERN, description="The next_cursor of the page before.")]
Limit = Annotated[int, Query(ge=1, le=PAGE_LIMIT, description="How many jobs a page has.")]

Endpoint = Callable[..., Coroutine[Any, Any, Response]]


class Endpoints:
    """The endpoints of one router."""

    def __init__(self, service: Service) -> None:
        """Nothing is opened or started."""
        settings = service.settings
        self.hooks = service.hooks
        self.declared = service.declared
        self._service = service
        self._threads = Threads()
        self.watcher = Watcher(
            service.database,
            service.hooks,
            poll_interval_seconds=settings.poll_interval_seconds,
            limit=settings.long_poll_limit,
        )
        self._accepting = Accepting(service, self._threads, self.watcher)

    async def create(self, request: Request, principal: Principal) -> Response:
        """Ask for an export. The answer comes after the job is durable; the same key always leads to the same job."""
        wanted = await read_body(request, self._service.settings.body_limit_bytes)
        ask = self._service.acceptance.ask(principal, key_of(request), wanted, context_of(request))
        return await self._accepting.answer(request, ask, base_of(request, 0))

    async def history(
        self, request: Request, principal: Principal, cursor: Cursor = None, limit: Limit = PAGE_DEFAULT
    ) -> Response:
        """Your exports, newest first."""
        page = await self._threads.call(self._service.list, principal, cursor, limit)
        base = base_of(request, 0)
        return json_response(
            {"items": [job_document(seen, base) for seen in page.items], "next_cursor": page.next_cursor}
        )

    async def definitions(self, principal: Principal) -> Response:
        """What you may export: parameters as JSON Schema, columns, formats."""
        definitions = await self._threads.call(self._service.definitions, principal)
        return json_response({"items": [openapi.definition_document(definition) for definition in definitions]})

    async def show(self, request: Request, principal: Principal, job_id: str, wait: Wait = 0) -> Response:
        """How far the export is.

        With `wait`, the answer waits for its end or, with `If-None-Match`, for the next change of its status.
        """
        seen = await self._threads.call(self._service.get, principal, job_id)
        known = opaque_tags(request.headers.get("if-none-match"))
        if wait and not seen.job.status.ended:
            seen = await self._waited(principal, seen, known, wait)
        return unless_known(job_response(seen, base_of(request, 1)), known)

    async def cancel(self, request: Request, principal: Principal, job_id: str) -> Response:
        """End an export that has not ended yet."""
        await self._threads.call(self._service.cancel, principal, job_id)
        seen = await self._threads.call(self._service.get, principal, job_id)
        return job_response(seen, base_of(request, 2))

    async def erase(self, request: Request, principal: Principal, job_id: str) -> Response:
        """End an export if it has not ended yet, and make its result unavailable for good; honours `If-Match`."""
        tags, base = strong_tags(request.headers.get("if-match")), base_of(request, 1)

        def expected(seen: Seen) -> None:
            if tags is not None and not matches(tags, job_tag(state_of(seen), encode(job_document(seen, base)))):
                raise RequestRefusedError(ProblemCode.PRECONDITION_FAILED)

        await self._threads.call(self._service.erase, principal, job_id, expected=expected)
        return Response(status_code=204)

    async def regenerate(self, request: Request, principal: Principal, job_id: str) -> Response:
        """Ask for an ended export again, under a key of its own, when there is nothing (any more) to download."""
        ask = self._service.acceptance.ask_again(principal, key_of(request), job_id, context_of(request))
        return await self._accepting.answer(request, ask, base_of(request, 2))

    async def result(self, request: Request, principal: Principal, job_id: str) -> Response:
        """The file, whole or a range of it."""
        with _leading_on(request, job_id):
            download = await self._threads.call(self._service.open_result, principal, job_id)
        return await download_response(request, download, self._threads)

    async def manifest(self, request: Request, principal: Principal, job_id: str) -> Response:
        """What the file is: size, digest, columns and their types, options, and what was changed in it."""
        with _leading_on(request, job_id):
            manifest = await self._threads.call(self._service.manifest, principal, job_id)
        return manifest_response(request, manifest)

    async def _waited(self, principal: Principal, seen: Seen, known: frozenset[str] | None, wait: int) -> Seen:
        before = state_of(seen)
        if known is not None and not names_state(known, before):
            return seen

        def enough(state: State | None) -> bool:
            return state is None or state[0].ended or (known is not None and state != before)

        seconds = min(wait, self._service.settings.wait_limit_seconds)
        await self.watcher.wait(seen.job.id, enough, seconds)
        return await self._threads.call(self._service.get, principal, seen.job.id)


def create_router(service: Service, *, principal: Callable[..., Any], prefix: str) -> APIRouter:
    """The router for any FastAPI app. `principal` is a dependency, sync or async, that returns the Principal."""
    return router_of(Endpoints(service), principal, prefix)


def router_of(endpoints: Endpoints, principal: Callable[..., Any], prefix: str) -> APIRouter:
    """As `create_router`, for one who wants to know the endpoints."""
    allowed = {operation.path: openapi.methods_at(operation.path) for operation in openapi.OPERATIONS}
    route_class = problem_route(endpoints.hooks, {prefix + path: methods for path, methods in allowed.items()})
    router = APIRouter(prefix=prefix, tags=["exports"], route_class=route_class)
    for operation in openapi.OPERATIONS:
        endpoint = _with_principal(getattr(endpoints, operation.endpoint), principal)
        router.add_api_route(operation.path, endpoint, **operation.route_arguments(endpoints.declared))
    return router


@contextmanager
def _leading_on(request: Request, job_id: str) -> Iterator[None]:
    """Where there is no result any more, the problem leads to where another one can be asked for."""
    try:
        yield
    except RequestRefusedError as refusal:
        if refusal.code in {ProblemCode.RESULT_EXPIRED, ProblemCode.RESULT_ERASED}:
            refusal.members["links"] = {"regenerate": f"{base_of(request, 2)}/{job_id}/regenerate"}
        raise


def _with_principal(endpoint: Endpoint, principal: Callable[..., Any]) -> Endpoint:
    """The endpoint, as FastAPI has to see it: its parameter `principal` comes from the app's dependency."""

    @wraps(endpoint)
    async def operation(**arguments: Any) -> Response:
        return await endpoint(**arguments)

    declared = inspect.signature(endpoint)
    parameters = [
        parameter.replace(annotation=Annotated[Principal, Depends(principal)])
        if parameter.name == "principal"
        else parameter
        for parameter in declared.parameters.values()
    ]
    operation.__signature__ = declared.replace(parameters=parameters)  # type: ignore[attr-defined]
    return operation
