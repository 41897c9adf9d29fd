"""Named points around side effects, where tests (and `outlast crashtest`) kill, raise, hang or partition.

`boundary("complete.before_commit")` costs one global look-up when no fault is armed.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from outlast import faults

BOUNDARIES: dict[str, str] = {
    "accept.before_insert": "the request is validated, nothing is written",
    "accept.before_commit": "the job's row is written, not yet committed",
    "accept.after_commit": "the job is durable, the caller does not know it",
    "accept.before_response": "the 202 is about to leave",
    "claim.before_commit": "the lease is written, if there was work, not yet committed",
    "claim.after_commit": "the lease is durable, if there was work, and nothing has begun",
    "attempt.before_authorisation": "the authorisation hook is about to run again",
    "child.before_extraction": "the child is about to open the source",
    "child.mid_extraction": "the child has sent some rows",
    "child.before_end": "the child has sent its last row, not its last word",
    "stage.before_chunk": "a piece of the result is about to be staged",
    "stage.after_chunk": "a piece of the result was staged",
    "stage.mid_move": "what was staged in the database lies in the directory too, and is about to be deleted there",
    "stage.before_part": "a part of an object is about to be sent",
    "stage.after_part": "a part of an object is on its way, and every part before it was stored",
    "stage.before_durable": "the last byte is staged, not yet durable",
    "stage.after_durable": "every byte is durable, the job does not know it",
    "renew.before_commit": "the renewal is written, not yet committed",
    "renew.after_commit": "the renewal is durable",
    "complete.before_result": "the lease is verified, the result row not yet written",
    "complete.between_result_and_status": "the result row is written, the status is not",
    "complete.before_commit": "result and status are written, not yet committed",
    "complete.after_commit": "the result is committed, the worker does not know it",
    "retry.before_commit": "the retry is written, not yet committed",
    "retry.after_commit": "the retry is durable",
    "fail.before_commit": "the failure is written, not yet committed",
    "fail.after_commit": "the failure is durable",
    "release.before_commit": "the release is written, not yet committed",
    "release.after_commit": "the release is durable",
    "cancel.before_commit": "the cancellation is written, not yet committed",
    "cancel.after_commit": "the cancellation is durable",
    "erase.before_commit": "the erasure is written, not yet committed",
    "erase.after_commit": "the erasure is durable",
    "requeue.before_commit": "the requeue is written, not yet committed",
    "requeue.after_commit": "the requeue is durable",
    "exhaust.before_commit": "the exhaustion is written, not yet committed",
    "exhaust.after_commit": "the exhaustion is durable",
    "sweep.before_delete": "staged or expired bytes are about to be deleted",
    "sweep.after_delete": "staged or expired bytes were deleted",
    "purge.before_commit": "old jobs are deleted and their keys kept, not yet committed",
    "purge.after_commit": "old jobs are gone for good",
}
"""Every boundary and what is true at it. A name that isn't here is refused; one that no test uses fails the suite."""

Fault = Callable[[str], None]

_fault: Fault | None = None


def boundary(name: str) -> None:
    """Pass the boundary `name`; an armed fault decides whether we come out of it."""
    if _fault is not None:
        if name not in BOUNDARIES:
            message = f"no such boundary: {name}"
            raise LookupError(message)
        _fault(name)


def arm(fault: Fault | None) -> None:
    """Install a fault for this process, or remove it with None; for tests."""
    global _fault  # noqa: PLW0603 - one process, one fault: that is the point
    _fault = fault


if os.environ.get(faults.VARIABLE):
    arm(faults.parse(os.environ[faults.VARIABLE], os.environ.get(faults.MARK_VARIABLE)))
