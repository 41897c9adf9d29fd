"""Byte ranges (RFC 9110 section 14). Several at once are answered with the whole, as its section 14.2 allows."""

from __future__ import annotations

import re
from dataclasses import dataclass

_RANGE = re.compile(r"bytes[ \t]*=[ \t]*(?:([0-9]+)-([0-9]*)|-([0-9]+))[ \t]*", re.IGNORECASE)
_DIGITS = 18


class RangeOutsideError(Exception):
    """The range begins beyond the end: 416."""


@dataclass(frozen=True, slots=True)
class Span:
    """The bytes [start, start + length) of `total`."""

    start: int
    length: int
    total: int

    @property
    def content_range(self) -> str:
        """As in a Content-Range header; for a span that is not empty."""
        return f"bytes {self.start}-{self.start + self.length - 1}/{self.total}"


def requested_span(header: str | None, total: int) -> Span | None:
    """The one range that a Range header asks for; None when it is to be ignored: absent, malformed, or several.

    Raises RangeOutsideError when it can't be satisfied.
    """
    found = _RANGE.fullmatch(header) if header is not None else None
    if found is None:
        return None
    first, last, suffix = (_number(text) for text in found.groups())
    if suffix is not None:
        return _suffix(suffix, total)
    end = total - 1 if last is None else min(last, total - 1)
    if first is None or (last is not None and last < first):
        return None
    if first >= total:
        raise RangeOutsideError
    return Span(first, end - first + 1, total)


def _suffix(length: int, total: int) -> Span | None:
    if length == 0:
        raise RangeOutsideError
    length = min(length, total)
    return Span(total - length, length, total) if length else None


def _number(text: str | None) -> int | None:
    if not text:
        return None
    digits = text.lstrip("0") or "0"
    # No result is so long that more digits matter.
    return int(digits) if len(digits) <= _DIGITS else 10**_DIGITS
