"""Answers that carry JSON."""

from __future__ import annotations

from typing import Any

from pydantic_core import to_json
from starlette.responses import Response

from outlast.database.jobs import Seen
from outlast.service import job_document
from outlast.web.etags import job_tag, matches, state_of

PRIVATE = "private, no-cache"


def encode(document: dict[str, Any]) -> bytes:
    """As JSON."""
    return to_json(document)


def json_response(document: dict[str, Any]) -> Response:
    """The answer 200 with a document that is the caller's alone."""
    return Response(encode(document), headers={"Cache-Control": PRIVATE}, media_type="application/json")


def job_response(seen: Seen, base: str) -> Response:
    """The job's document with its ETag."""
    content = encode(job_document(seen, base))
    headers = {"ETag": job_tag(state_of(seen), content), "Cache-Control": PRIVATE}
    return Response(content, headers=headers, media_type="application/json")


def unless_known(response: Response, tags: frozenset[str] | None) -> Response:
    """The answer, or 304 when the caller has it already (RFC 9110 section 13.1.2)."""
    if not matches(tags, response.headers["ETag"]):
        return response
    kept = {name: response.headers[name] for name in ("ETag", "Cache-Control")}
    return Response(status_code=304, headers=kept)
