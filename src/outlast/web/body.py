"""Reading a JSON body, strictly: what two readers could understand differently is refused (RFC 8259, RFC 7493)."""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Any

from starlette.requests import Request

from outlast.errors import ProblemCode, RequestRefusedError
from outlast.service import Wanted, read_wanted
from outlast.web.incoming import header_of

DEPTH_LIMIT = 32
REMEMBERED_BYTES = 1024
"""The largest body that is kept for those who send it again."""
DIGITS_LIMIT = 1000
"""The longest integer that is read; reading takes time that grows with its square."""


async def read_body(request: Request, limit_bytes: int) -> Wanted:
    """What the body asks for.

    Raises RequestRefusedError: UNSUPPORTED_MEDIA_TYPE; BODY_TOO_LARGE, without reading further; MALFORMED_REQUEST for
    what is no JSON or not UTF-8, and for duplicate members, lone surrogates, NUL, numbers that are not finite or have
    too many digits, and too deep nesting; INVALID_REQUEST for JSON that is no request.
    """
    _check_type(request)
    raw = await _read(request, limit_bytes)
    return _remembered(raw) if len(raw) <= REMEMBERED_BYTES else read_wanted(decode(raw))


def decode(raw: bytes) -> object:
    """Decode JSON text, as strictly as `read_body` says."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise _malformed("The body is not UTF-8.") from None
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise _malformed(f"The body is not JSON: line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise _too_deep() from None
    # Only an escape can bring in NUL or a lone surrogate, and only a bracket a level.
    if "\\u" in text or text.count("[") + text.count("{") > DEPTH_LIMIT:
        _check(value, DEPTH_LIMIT)
    return value


@lru_cache(maxsize=256)
def _remembered(raw: bytes) -> Wanted:
    """Most requests are sent by many callers, byte for byte the same."""
    return read_wanted(decode(raw))


def _check_type(request: Request) -> None:
    kind, _, parameters = (header_of(request, b"content-type") or "").partition(";")
    charset = parameters.strip().lower().replace('"', "")
    if kind.strip().lower() != "application/json" or charset not in {"", "charset=utf-8"}:
        raise RequestRefusedError(ProblemCode.UNSUPPORTED_MEDIA_TYPE)
    if (header_of(request, b"content-encoding") or "identity").strip().lower() != "identity":
        raise RequestRefusedError(ProblemCode.UNSUPPORTED_MEDIA_TYPE, "Send the body without a Content-Encoding.")


async def _read(request: Request, limit_bytes: int) -> bytes:
    announced = header_of(request, b"content-length") or ""
    if announced.isdecimal() and int(announced[:20]) > limit_bytes:
        raise _too_large(limit_bytes)
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > limit_bytes:
            raise _too_large(limit_bytes)
        pieces.append(piece)
    return b"".join(pieces)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _malformed("An object has two members of the same name.")
    return members


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _malformed("A number is too large.")
    return number


def _integer(text: str) -> int:
    if len(text) > DIGITS_LIMIT:
        raise _malformed(f"A number has more than {DIGITS_LIMIT} digits.")
    return int(text)


def _no_constant(_name: str) -> None:
    raise _malformed("NaN and Infinity are not JSON.")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=_number, parse_int=_integer, parse_constant=_no_constant
)


def _check(value: object, levels: int) -> None:
    if isinstance(value, str):
        if "\0" in value:
            raise _malformed("A text holds NUL.")
        if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
            raise _malformed("A text holds half of a surrogate pair.")
    elif isinstance(value, (dict, list)):
        if not levels:
            raise _too_deep()
        for item in [*value, *value.values()] if isinstance(value, dict) else value:
            _check(item, levels - 1)


def _malformed(detail: str) -> RequestRefusedError:
    return RequestRefusedError(ProblemCode.MALFORMED_REQUEST, detail)


def _too_deep() -> RequestRefusedError:
    return _malformed(f"The body is nested more than {DEPTH_LIMIT} levels deep.")


def _too_large(limit_bytes: int) -> RequestRefusedError:
    return RequestRefusedError(ProblemCode.BODY_TOO_LARGE, f"A body may have {limit_bytes} bytes.")
