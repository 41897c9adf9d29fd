"""Cursors of the history: where the page before ended."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from outlast.database.jobs import Seen
from outlast.errors import ProblemCode, RequestRefusedError

PAGE_LIMIT = 100
PAGE_DEFAULT = 20
CURSOR_PATTERN = r"^([0-9]{1,14})\.([0-9a-f-]{36})$"
"""A job's creation in milliseconds since the epoch, and its id."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def cursor_after(seen: Seen) -> str:
    """The cursor of the page that begins after this job."""
    return f"{(seen.job.created_at - _EPOCH) // _MILLISECOND}.{seen.job.id}"


def position_of(cursor: str) -> tuple[datetime, str]:
    """The created_at and id that a cursor stands for. Raises RequestRefusedError INVALID_REQUEST."""
    found = re.fullmatch(CURSOR_PATTERN, cursor, re.ASCII)
    if found is None:
        reason = "must be the next_cursor of an earlier page"
        errors = [{"parameter": "cursor", "detail": reason}]
        raise RequestRefusedError(ProblemCode.INVALID_REQUEST, f"cursor: {reason}", errors=errors)
    return _EPOCH + int(found[1]) * _MILLISECOND, found[2]
