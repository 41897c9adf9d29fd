"""Cursors of the history: where the page before ended, as text that nobody has to understand."""

from __future__ import annotations

import base64
import binascii
from datetime import UTC, datetime, timedelta

from outlast.database.jobs import Seen
from outlast.errors import ProblemCode, RequestRefusedError

PAGE_LIMIT = 100
PAGE_DEFAULT = 20

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def cursor_after(seen: Seen) -> str:
    """The cursor of the page that begins after this job."""
    position = f"{(seen.job.created_at - _EPOCH) // _MILLISECOND}:{seen.job.id}"
    return base64.urlsafe_b64encode(position.encode()).decode().rstrip("=")


def position_of(cursor: str) -> tuple[datetime, str]:
    """The created_at and id that a cursor stands for. Raises RequestRefusedError INVALID_REQUEST."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        milliseconds, _, job_id = base64.b64decode(padded, altchars=b"-_", validate=True).decode().partition(":")
        return _EPOCH + int(milliseconds) * _MILLISECOND, job_id
    except (ValueError, OverflowError, binascii.Error):
        raise RequestRefusedError(
            ProblemCode.INVALID_REQUEST, "cursor: must be the next_cursor of an earlier page",
            errors=[{"parameter": "cursor", "detail": "must be the next_cursor of an earlier page"}],
        ) from None  # fmt: skip
