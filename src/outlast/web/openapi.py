"""What the OpenAPI document says of each endpoint: all of it, so that clients can be made and fuzzers find nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel

from outlast.declare import Definition
from outlast.errors import ProblemCode
from outlast.web.models import DefinitionsShape, JobShape, ManifestShape, PageShape, ProblemShape
from outlast.web.problems import MEDIA_TYPE
from outlast.web.request_schema import request_schema

TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "integer", "minimum": 0}

REQUEST_ID = {"X-Request-ID": {"description": "The request's id, as sent or made here.", "schema": TEXT}}
ETAG = {"ETag": {"description": "The version of what is sent.", "schema": TEXT}}
RETRY_AFTER = {"Retry-After": {"description": "Seconds after which to ask again.", "schema": NUMBER}}
JOB_HEADERS = {
    "Location": {"description": "Where the export's status is.", "schema": TEXT},
    "Idempotency-Replayed": {"description": "The key had made this export before.", "schema": TEXT},
    "Preference-Applied": {"description": "The wait that was kept.", "schema": TEXT},
}
FILE_HEADERS = {
    "Accept-Ranges": {"description": "Whether parts of it can be asked for: bytes, or none.", "schema": TEXT},
    "Content-Disposition": {"description": "The file's name.", "schema": TEXT},
    "Repr-Digest": {"description": "The whole file's SHA-256 (RFC 9530).", "schema": TEXT},
}


def header(name: str, description: str, schema: Mapping[str, Any] = TEXT, *, required: bool = False) -> dict[str, Any]:
    """A request header of an operation."""
    return {"name": name, "in": "header", "required": required, "description": description, "schema": dict(schema)}


KEY = header(
    "Idempotency-Key",
    "Names this request: whoever repeats it with the same key gets the same export. 1 to 255 visible ASCII characters.",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!#-~][!-~]*$"},
    required=True,
)
PREFER = header("Prefer", "`wait=N`: answer when the export has ended, at the latest after N seconds (RFC 7240).")
IF_NONE_MATCH = header("If-None-Match", "The ETag that is known already.")
RANGE = header("Range", "`bytes=first-last`: a part of the file.")
IF_RANGE = header("If-Range", "The ETag that must still hold for the range to count.")

ALWAYS = (ProblemCode.INVALID_REQUEST, ProblemCode.UNAVAILABLE, ProblemCode.STOPPING)
ACCEPTING = (
    ProblemCode.KEY_REQUIRED, ProblemCode.KEY_INVALID, ProblemCode.FORBIDDEN, ProblemCode.KEY_CONFLICT,
    ProblemCode.KEY_SPENT, ProblemCode.OWNER_LIMIT, ProblemCode.QUEUE_FULL, ProblemCode.QUEUE_TOO_OLD,
    ProblemCode.STORAGE_FULL,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Operation:
    """One endpoint: which function of `Endpoints`, what it is for, where it is, and all that it may answer."""

    endpoint: str
    summary: str
    method: str
    path: str
    answers: Mapping[HTTPStatus, Mapping[str, Any]]
    problems: tuple[ProblemCode, ...] = ()
    headers: Sequence[Mapping[str, Any]] = ()
    has_body: bool = False

    def route_arguments(self, definitions: Sequence[Definition]) -> dict[str, Any]:
        """What `APIRouter.add_api_route` takes beside path and function; a body asks for one of the definitions."""
        extra: dict[str, Any] = {"parameters": list(self.headers)} if self.headers else {}
        if self.has_body:
            content = {"application/json": {"schema": request_schema(definitions)}}
            extra["requestBody"] = {"required": True, "content": content}
        answers = {int(status): answer for status, answer in self.answers.items()}
        return {
            "methods": [self.method],
            "summary": self.summary,
            "name": f"outlast_{self.endpoint}",
            "status_code": min(answers),
            "response_model": None,
            "responses": _UNAUTHENTICATED | _problems(*self.problems, *ALWAYS) | answers,
            "openapi_extra": extra or None,
        }


def methods_at(path: str) -> str:
    """What an Allow header says of the path."""
    return ", ".join(operation.method for operation in OPERATIONS if operation.path == path)


def definition_document(definition: Definition) -> dict[str, Any]:
    """What a caller needs to know of a definition in order to use it."""
    return {
        "export": definition.name, "description": definition.description, "parameters": definition.json_schema(),
        "columns": list(definition.columns), "formats": list(definition.formats),
    }  # fmt: skip


def _answer(description: str, model: type[BaseModel] | None = None, *headers: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: entry for group in (REQUEST_ID, *headers) for name, entry in group.items()}
    return {"description": description, "headers": named} | ({} if model is None else {"model": model})


def _problems(*codes: ProblemCode) -> dict[int, Mapping[str, Any]]:
    """Each status with the problems that it may stand for."""
    schema = ProblemShape.model_json_schema()
    found: dict[int, Any] = {}
    for code in sorted(set(codes), key=lambda code: code.http_status):
        entry = found.setdefault(code.http_status, _answer("", None, RETRY_AFTER))
        entry["description"] = f"{entry['description']} {code.title} (`{code}`)".strip()
        entry["content"] = {MEDIA_TYPE: {"schema": schema}}
    return found


def _file(description: str, *headers: Mapping[str, Any]) -> dict[str, Any]:
    content = {"*/*": {"schema": {"type": "string", "format": "binary"}}}
    return _answer(description, None, ETAG, FILE_HEADERS, *headers) | {"content": content}


# Without its format, which is the host's where the host authenticates.
_UNAUTHENTICATED: dict[int, Mapping[str, Any]] = {401: {"description": ProblemCode.UNAUTHENTICATED.title}}
_KNOWN = {HTTPStatus.NOT_MODIFIED: _answer("What If-None-Match names is still true.", None, ETAG)}
_MADE = {
    HTTPStatus.OK: _answer("The export that the key had made, which has ended.", JobShape, ETAG, JOB_HEADERS),
    HTTPStatus.ACCEPTED: _answer("The export, durably kept.", JobShape, ETAG, JOB_HEADERS, RETRY_AFTER),
}
_CONTENT_RANGE = {"Content-Range": {"description": "Which part of the file this is.", "schema": TEXT}}

_RESULT_PROBLEMS = (
    ProblemCode.FORBIDDEN, ProblemCode.NOT_FOUND, ProblemCode.RESULT_NOT_READY, ProblemCode.RESULT_FAILED,
    ProblemCode.RESULT_CANCELLED, ProblemCode.RESULT_EXPIRED, ProblemCode.RESULT_ERASED,
)  # fmt: skip
_FILE_PROBLEMS = (*_RESULT_PROBLEMS, ProblemCode.PRECONDITION_FAILED, ProblemCode.RANGE_NOT_SATISFIABLE)

OPERATIONS = (
    Operation(
        "create", "Ask for an export", "POST", "", _MADE,
        (*ACCEPTING, ProblemCode.MALFORMED_REQUEST, ProblemCode.BODY_TOO_LARGE, ProblemCode.UNSUPPORTED_MEDIA_TYPE),
        (KEY, PREFER), has_body=True,
    ),
    Operation(
        "history", "List your exports", "GET", "", {HTTPStatus.OK: _answer("A page of the history.", PageShape)},
    ),
    Operation(
        "definitions", "List what you may export", "GET", "/definitions",
        {HTTPStatus.OK: _answer("What may be asked for.", DefinitionsShape)},
    ),
    Operation(
        "show", "See how far an export is", "GET", "/{job_id}",
        {HTTPStatus.OK: _answer("The export.", JobShape, ETAG), **_KNOWN}, (ProblemCode.NOT_FOUND,), (IF_NONE_MATCH,),
    ),
    Operation(
        "erase", "Erase an export", "DELETE", "/{job_id}", {HTTPStatus.NO_CONTENT: _answer("It is erased.")},
        (ProblemCode.NOT_FOUND, ProblemCode.PRECONDITION_FAILED),
    ),
    Operation(
        "cancel", "Cancel an export", "POST", "/{job_id}/cancel",
        {HTTPStatus.OK: _answer("It is cancelled.", JobShape, ETAG)},
        (ProblemCode.NOT_FOUND, ProblemCode.ALREADY_ENDED),
    ),
    Operation(
        "regenerate", "Make an export again", "POST", "/{job_id}/regenerate", _MADE,
        (*ACCEPTING, ProblemCode.NOT_FOUND, ProblemCode.NOT_ENDED, ProblemCode.STATE_CHANGED), (KEY, PREFER),
    ),
    Operation(
        "result", "Download the file", "GET", "/{job_id}/result",
        {
            HTTPStatus.OK: _file("The whole file."),
            HTTPStatus.PARTIAL_CONTENT: _file("A part of the file.", _CONTENT_RANGE), **_KNOWN,
        },
        _FILE_PROBLEMS, (RANGE, IF_RANGE, IF_NONE_MATCH),
    ),
    Operation(
        "result", "Ask what a download would bring", "HEAD", "/{job_id}/result",
        {HTTPStatus.OK: _file("The whole file's headers."), **_KNOWN}, _FILE_PROBLEMS, (IF_NONE_MATCH,),
    ),
    Operation(
        "manifest", "See what the file is", "GET", "/{job_id}/manifest",
        {HTTPStatus.OK: _answer("The manifest, itself a file.", ManifestShape, ETAG, FILE_HEADERS), **_KNOWN},
        _RESULT_PROBLEMS, (IF_NONE_MATCH,),
    ),
    Operation(
        "manifest", "Ask whether the manifest changed", "HEAD", "/{job_id}/manifest",
        {HTTPStatus.OK: _answer("The manifest's headers.", None, ETAG, FILE_HEADERS), **_KNOWN},
        _RESULT_PROBLEMS, (IF_NONE_MATCH,),
    ),
)  # fmt: skip
"""Every endpoint, in the order in which paths are matched."""
