"""What a request's head says: its id, whose it is, what it prefers, and where it was sent."""

from __future__ import annotations

import re
from urllib.parse import quote

from starlette.requests import Request

from outlast.errors import ProblemCode, RequestRefusedError
from outlast.service import Context, request_id

_REQUEST_ID = re.compile(r"[\x21-\x7e]{1,128}")
_TRACEPARENT = re.compile(r"00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
_WAIT = re.compile(r"(?:^|[,;])[ \t]*wait[ \t]*=[ \t]*\"?([0-9]{1,9})\"?[ \t]*(?=$|[,;])", re.IGNORECASE)
_SAFE_IN_PATH = "/:@!$&'()*+,;=~"


def header_of(request: Request, name: bytes) -> str | None:
    """The first header of that (lower-case) name. Starlette's own look-up costs several times as much, on each call."""
    for key, value in request.scope["headers"]:
        if key == name:
            return str(value, "latin-1")
    return None


def headers_of(request: Request, name: bytes) -> list[str]:
    """Every header of that name."""
    return [str(value, "latin-1") for key, value in request.scope["headers"] if key == name]


def identify(request: Request) -> str:
    """Give the request its id: the caller's X-Request-ID if it is 1 to 128 visible ASCII characters, else a new one."""
    given = header_of(request, b"x-request-id")
    own = given if given is not None and _REQUEST_ID.fullmatch(given) else request_id()
    request.state.outlast_request_id = own
    return own


def context_of(request: Request) -> Context:
    """What is kept of the request with its job: its id, and the W3C trace context if it has a valid one."""
    trace = header_of(request, b"traceparent")
    valid = trace is not None and _TRACEPARENT.fullmatch(trace)
    return Context(request.state.outlast_request_id, trace if valid else None)


def key_of(request: Request) -> str | None:
    """The Idempotency-Key header, as it was sent. Raises RequestRefusedError KEY_INVALID when there are several."""
    keys = headers_of(request, b"idempotency-key")
    if len(keys) > 1:
        raise RequestRefusedError(ProblemCode.KEY_INVALID, "Send one Idempotency-Key.")
    return keys[0] if keys else None


def preferred_wait(request: Request) -> int | None:
    """The seconds of a `Prefer: wait=N` (RFC 7240 section 4.3); what can't be understood is ignored."""
    for header in headers_of(request, b"prefer"):
        if found := _WAIT.search(header):
            return int(found[1])
    return None


def base_of(request: Request, parts: int) -> str:
    """The path of the collection, as the caller sees it, for an endpoint that lies `parts` segments below it.

    A server behind a proxy, or an app mounted in another one, sees its own prefix in `root_path` (ASGI).
    """
    root, path = request.scope.get("root_path", "").rstrip("/"), request.scope["path"]
    if root and not (path == root or path.startswith(root + "/")):
        path = root + path
    return quote(path.rsplit("/", parts)[0] if parts else path, safe=_SAFE_IN_PATH)
