"""Answers that carry JSON."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from outlast.database.jobs import Seen
from outlast.service import job_document
from outlast.web.etags import job_tag, matches, state_of


def encode(document: dict[str, Any]) -> bytes:
    """As JSON, in ASCII."""
    return json.dumps(document, separators=(",", ":")).encode("ascii")


def json_response(document: dict[str, Any]) -> Response:
    """The answer 200 with a document that is the caller's alone."""
    return Response(encode(document), headers={"Cache-Control": "private, no-cache"}, media_type="application/json")


def job_response(seen: Seen, base: str, status: int = 200) -> Response:
    """The job's document with its ETag."""
    content = encode(job_document(seen, base))
    headers = {"ETag": job_tag(state_of(seen), content), "Cache-Control": "private, no-cache"}
    return Response(content, status, headers, "application/json")


def unless_known(response: Response, tags: frozenset[str] | None) -> Response:
    """The answer, or 304 when the caller has it already (RFC 9110 section 13.1.2)."""
    if not matches(tags, response.headers["ETag"]):
        return response
    kept = {name: response.headers[name] for name in ("ETag", "Cache-Control")}
    return Response(status_code=304, headers=kept)
