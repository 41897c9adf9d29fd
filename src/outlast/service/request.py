"""What a caller asks for, read from his request; here nobody knows yet whether there is such an export."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from outlast.errors import ProblemCode, RequestRefusedError
from outlast.service.fingerprints import fingerprint

KEY_LIMIT = 255
SHOWN_LIMIT = 100
"""How many characters of an unknown name, and how many such names, a refusal repeats."""

_VISIBLE = re.compile(r"[\x21-\x7e]+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
_MEMBERS = frozenset({"export", "parameters", "format", "columns"})


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """An export's name, and what the caller says of its parameters, format and columns."""

    export: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    format: str | None = None
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request for an export, and the fingerprint of what was sent."""

    request: ExportRequest
    fingerprint: str


def read_wanted(body: object) -> Wanted:
    """The request in a decoded JSON body. Raises RequestRefusedError INVALID_REQUEST, naming each wrong member."""
    return Wanted(read_request(body), fingerprint("request", body))


def read_key(header: str | None) -> str:
    """The key in an Idempotency-Key header: as it stands, or a structured field's string (RFC 8941 section 3.3.3).

    Raises RequestRefusedError: KEY_REQUIRED; KEY_INVALID unless it is 1 to 255 visible ASCII characters.
    """
    if header is None:
        raise RequestRefusedError(
            ProblemCode.KEY_REQUIRED, "Send a new unique key with each new export, and the same one with each retry."
        )
    key = header.strip(" \t")
    if key.startswith('"'):
        quoted = _QUOTED.fullmatch(key)
        key = re.sub(r"\\(.)", r"\1", quoted[1]) if quoted else ""
    if len(key) > KEY_LIMIT or not _VISIBLE.fullmatch(key):
        raise RequestRefusedError(ProblemCode.KEY_INVALID)
    return key


def read_request(body: object) -> ExportRequest:
    """The request in a decoded JSON body. Raises RequestRefusedError INVALID_REQUEST, naming each wrong member."""
    if not isinstance(body, Mapping):
        raise invalid({"": "must be an object"})
    wrong = dict.fromkeys(sorted(body.keys() - _MEMBERS)[:SHOWN_LIMIT], "is not a member of this request")
    export, parameters = body.get("export"), body.get("parameters", {})
    format_, columns = body.get("format"), body.get("columns")
    if not isinstance(export, str):
        wrong["export"] = "must be the name of an export"
    if not isinstance(parameters, Mapping):
        wrong["parameters"] = "must be an object"
    if "format" in body and not isinstance(format_, str):
        wrong["format"] = "must be the name of a format"
    if "columns" in body and not _are_names(columns):
        wrong["columns"] = "must be a list of different column names, at least one"
    if wrong or not isinstance(export, str):
        raise invalid(wrong)
    return ExportRequest(export, parameters, format_, None if columns is None else tuple(columns))


def invalid(wrong: Mapping[str, str]) -> RequestRefusedError:
    """The refusal that names each wrong member, "" being the whole body, and says what it should be."""
    detail = "; ".join(f"{name[:SHOWN_LIMIT] or 'the body'}: {reason}" for name, reason in wrong.items())
    errors = [{"pointer": _pointer(name), "detail": reason} for name, reason in wrong.items()]
    return RequestRefusedError(ProblemCode.INVALID_REQUEST, detail, errors=errors)


def _pointer(name: str) -> str:
    """Give the JSON pointer (RFC 6901) of a member of the body, as a fragment."""
    return "#/" + name[:SHOWN_LIMIT].replace("~", "~0").replace("/", "~1") if name else "#"


def _are_names(columns: object) -> bool:
    return (
        isinstance(columns, list)
        and bool(columns)
        and all(isinstance(name, str) for name in columns)
        and len(set(columns)) == len(columns)
    )
