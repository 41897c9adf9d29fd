"""Fingerprints of requests: versioned SHA-256 over the canonical JSON of RFC 8785.

A fingerprint is `1:` and 64 hex digits. The kind of what was hashed is part of it, so that no request of one kind
can be taken for one of another.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

import rfc8785

VERSION = "1"
SAFE_INTEGER_LIMIT = 2**53
"""RFC 8785 knows only numbers that a double holds exactly (section 3.2.2.3 and RFC 7493 section 2.2)."""

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)
_SPECIAL_NUMBER = re.compile(r"\d(?:[.eE]|\d{15})")


def fingerprint(kind: str, content: object, text: str | None = None) -> str:
    """The fingerprint of JSON-like content; no string in it may hold NUL. `text` is its `sorted_json`, if known."""
    opened = b'{"%s":' % kind.encode("ascii")
    digest = hashlib.sha256(opened + canonical(content, text or sorted_json(content)) + b"}")
    return f"{VERSION}:{digest.hexdigest()}"


def canonical(content: object, text: str) -> bytes:
    """The bytes of RFC 8785, with integers that it doesn't know as text that begins with NUL.

    `text` is the content's `sorted_json`, which mostly is it already; the library takes five times as long. Floats and
    large integers may be spelt otherwise, and keys beyond ASCII stand in another order.
    """
    if text.isascii() and not _SPECIAL_NUMBER.search(text):
        return text.encode("ascii")
    return rfc8785.dumps(_representable(content))


def sorted_json(content: object) -> str:
    """JSON text that is the same for the same content; exact for integers of any size, as RFC 8785 is not."""
    return _ENCODER.encode(content)


def _representable(value: object) -> Any:  # noqa: ANN401 - JSON
    """Integers beyond the limit become text that begins with NUL, which no string of a request does."""
    if type(value) is int and not -SAFE_INTEGER_LIMIT < value < SAFE_INTEGER_LIMIT:
        return f"\0integer:{value}"
    if isinstance(value, Mapping):
        return {name: _representable(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_representable(item) for item in value]
    return value
