"""The answer that carries a result's bytes."""

from __future__ import annotations

import base64
import hashlib
import logging
from collections.abc import AsyncIterator, Mapping
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Send

from outlast.errors import ProblemCode, RequestRefusedError
from outlast.model import Result
from outlast.service import Download, Manifest, ResultGoneError
from outlast.web.answers import unless_known
from outlast.web.etags import matches, opaque_tags, strong_tags
from outlast.web.ranges import RangeOutsideError, Span, requested_span
from outlast.web.threads import Threads

RETRY_SECONDS = 5

_log = logging.getLogger("outlast")

_ATTRIBUTE_CHARACTERS = "!#$&+-.^_`|~"
"""What stands for itself in a `filename*` beside letters and digits: attr-char of RFC 8187 section 3.2.1."""


class _BytesResponse(StreamingResponse):
    """Ends early when the bytes go away; the server then closes the connection, and the client sees a cut file."""

    async def stream_response(self, send: Send) -> None:
        try:
            await super().stream_response(send)
        except (ResultGoneError, RequestRefusedError) as error:
            _log.warning("a download was cut off: %s", type(error.__cause__ or error).__name__)


async def download_response(request: Request, download: Download, threads: Threads) -> Response:
    """Answer a GET or HEAD: 200, 206, 304.

    Raises RequestRefusedError: PRECONDITION_FAILED, RANGE_NOT_SATISFIABLE; UNAVAILABLE when there are no bytes.
    """
    result = download.result
    tag = f'"{result.sha256}"'
    headers = _headers(result.filename, bytes.fromhex(result.sha256), tag) | {"Accept-Ranges": "bytes"}
    if not matches(strong_tags(request.headers.get("if-match", "*")), tag):
        raise RequestRefusedError(ProblemCode.PRECONDITION_FAILED, "The result is another one.")
    if matches(opaque_tags(request.headers.get("if-none-match")), tag):
        return Response(status_code=304, headers={"ETag": tag, "Cache-Control": headers["Cache-Control"]})
    if request.method == "HEAD":
        return _plain(headers | {"Content-Length": str(result.bytes)}, result)
    span = _span(request, result, tag)
    if span is None:
        return await _stream(Span(0, result.bytes, result.bytes), 200, headers, download, threads)
    return await _stream(span, 206, headers | {"Content-Range": span.content_range}, download, threads)


def manifest_response(request: Request, manifest: Manifest) -> Response:
    """Answer a GET or HEAD of the manifest: 200, 304."""
    digest = hashlib.sha256(manifest.content)
    headers = _headers(manifest.filename, digest.digest(), f'"{digest.hexdigest()}"') | {"Accept-Ranges": "none"}
    response = Response(manifest.content, headers=headers, media_type="application/json")
    return unless_known(response, opaque_tags(request.headers.get("if-none-match")))


def content_disposition(filename: str) -> str:
    """As an attachment: under its name for those who can read RFC 8187, else under an ASCII one that is safe."""
    plain = "".join(character if character.isalnum() or character in "-._ " else "_" for character in filename)
    plain = plain.encode("ascii", "replace").decode().replace("?", "_").strip(". ") or "export"
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe=_ATTRIBUTE_CHARACTERS)}"


def _headers(filename: str, digest: bytes, tag: str) -> dict[str, str]:
    return {
        "ETag": tag,
        "Repr-Digest": f"sha-256=:{base64.b64encode(digest).decode()}:",  # RFC 9530 section 3
        "Content-Disposition": content_disposition(filename),
        "Cache-Control": "private, no-store",
        "X-Content-Type-Options": "nosniff",
    }


def _span(request: Request, result: Result, tag: str) -> Span | None:
    if_range = request.headers.get("if-range")
    if if_range is not None and not matches(strong_tags(if_range), tag):
        return None
    try:
        return requested_span(request.headers.get("range"), result.bytes)
    except RangeOutsideError:
        raise RequestRefusedError(
            ProblemCode.RANGE_NOT_SATISFIABLE, f"The result has {result.bytes} bytes.", bytes=result.bytes
        ) from None


def _plain(headers: Mapping[str, str], result: Result) -> Response:
    response = Response(headers=headers)
    response.headers["Content-Type"] = result.content_type
    return response


async def _stream(
    span: Span, status: int, headers: Mapping[str, str], download: Download, threads: Threads
) -> Response:
    pieces = threads.iterate(download.read(span.start, span.length))
    try:
        first = await anext(pieces, b"")
    except ResultGoneError:
        raise RequestRefusedError(
            ProblemCode.UNAVAILABLE, "The result can't be read right now.", retry_after_seconds=RETRY_SECONDS
        ) from None

    async def content() -> AsyncIterator[bytes]:
        yield first
        async for piece in pieces:
            yield piece

    response = _BytesResponse(content(), status, dict(headers) | {"Content-Length": str(span.length)})
    response.headers["Content-Type"] = download.result.content_type
    return response
