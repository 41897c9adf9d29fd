"""Problem answers (RFC 9457): every refusal, with a stable `type` and the request's id."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from outlast.errors import ProblemCode, RequestRefusedError

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:outlast:problem:"
ERRORS_LIMIT = 20


def problem_response(refusal: RequestRefusedError, request_id: str) -> Response:
    """The answer to a refused request."""
    code = refusal.code
    body: dict[str, Any] = {"type": TYPE_PREFIX + code.value, "title": code.title, "status": code.http_status}
    if refusal.detail is not None:
        body["detail"] = refusal.detail
    body |= {"request_id": request_id, **refusal.members}
    # ASCII, since the name of a wrong parameter may not even be encodable.
    response = Response(json.dumps(body, ensure_ascii=True), code.http_status, media_type=MEDIA_TYPE)
    if refusal.retry_after_seconds is not None:
        response.headers["Retry-After"] = str(refusal.retry_after_seconds)
    if code is ProblemCode.RANGE_NOT_SATISFIABLE:
        response.headers["Content-Range"] = f"bytes */{refusal.members['bytes']}"
    if code is ProblemCode.UNAUTHENTICATED:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def outcome_unknown() -> RequestRefusedError:
    """The refusal when a COMMIT failed and nobody could find out what became of it."""
    return RequestRefusedError(
        ProblemCode.UNAVAILABLE,
        "It is not known whether this was done. Send the same request again, with the same Idempotency-Key.",
        retry_after_seconds=1,
    )


def invalid_parameters(errors: Sequence[Any]) -> RequestRefusedError:
    """The refusal of what FastAPI's validation found wrong in path, query or headers; it never says what it was."""
    wrong = [{_where(item["loc"]): _name(item["loc"]), "detail": item["msg"]} for item in errors[:ERRORS_LIMIT]]
    detail = "; ".join(f"{_name(item['loc'])}: {item['msg']}" for item in errors[:ERRORS_LIMIT])
    return RequestRefusedError(ProblemCode.INVALID_REQUEST, detail, errors=wrong)


def _where(path: Sequence[Any]) -> str:
    return {"header": "header", "body": "pointer"}.get(str(path[0]), "parameter")


def _name(path: Sequence[Any]) -> str:
    return ".".join(str(part) for part in path[1:])
