"""Fingerprints of requests: versioned SHA-256 over the canonical JSON of RFC 8785.

A fingerprint is `1:` and 64 hex digits. The kind of what was hashed is part of it, so that no request of one kind
can be taken for one of another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import rfc8785

VERSION = "1"
SAFE_INTEGER_LIMIT = 2**53
"""RFC 8785 knows only numbers that a double holds exactly (section 3.2.2.3 and RFC 7493 section 2.2)."""


def fingerprint(kind: str, content: object) -> str:
    """The fingerprint of JSON-like content; no string in it may hold NUL."""
    canonical = rfc8785.dumps({kind: _representable(content)})
    return f"{VERSION}:{hashlib.sha256(canonical).hexdigest()}"


def _representable(value: object) -> Any:  # noqa: ANN401 - JSON
    """Integers beyond the limit become text that begins with NUL, which no string of a request does."""
    if type(value) is int and not -SAFE_INTEGER_LIMIT < value < SAFE_INTEGER_LIMIT:
        return f"\0integer:{value}"
    if isinstance(value, Mapping):
        return {name: _representable(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_representable(item) for item in value]
    return value
