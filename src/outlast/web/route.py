"""The route class of our endpoints: it turns what they refuse into problems.

A router can't install exception handlers in its host's app; what the host's own dependencies raise stays the host's.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from outlast.errors import OutcomeUnknownError, RequestRefusedError
from outlast.telemetry.events import RequestRefused
from outlast.telemetry.hooks import Hooks
from outlast.web.incoming import identify
from outlast.web.problems import invalid_parameters, outcome_unknown, problem_response

Handler = Callable[[Request], Coroutine[Any, Any, Response]]

CLIENT_CLOSED_REQUEST = 499
"""Nobody reads this answer: the client went away before he had sent his request."""


def problem_route(hooks: Hooks, allowed: Mapping[str, str]) -> type[APIRoute]:
    """A route class whose every answer carries the request's id, and which tells `hooks` of each refusal.

    `allowed` says of each path which methods there are: several routes of one path know only their own.
    """

    class ProblemRoute(APIRoute):
        async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
            if scope["method"] not in (self.methods or ()):
                raise HTTPException(405, headers={"Allow": allowed[self.path]})
            await super().handle(scope, receive, send)

        def get_route_handler(self) -> Handler:
            handle = super().get_route_handler()

            async def answer(request: Request) -> Response:
                request_id = identify(request)
                try:
                    response = await handle(request)
                except RequestRefusedError as refusal:
                    response = refused(refusal, request_id)
                except OutcomeUnknownError:
                    response = refused(outcome_unknown(), request_id)
                except RequestValidationError as error:
                    response = refused(invalid_parameters(error.errors()), request_id)
                except ClientDisconnect:
                    response = Response(status_code=CLIENT_CLOSED_REQUEST)
                response.raw_headers.append((b"x-request-id", request_id.encode("ascii")))
                return response

            return answer

    def refused(refusal: RequestRefusedError, request_id: str) -> Response:
        hooks.emit(RequestRefused(refusal.code, request_id))
        return problem_response(refusal, request_id)

    return ProblemRoute
