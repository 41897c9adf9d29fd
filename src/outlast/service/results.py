"""Whether a job's result can be had, and if not, why: one rule for status, links, download and regeneration."""

from __future__ import annotations

from outlast.database.jobs import Seen
from outlast.errors import ProblemCode, RequestRefusedError
from outlast.model import Result, Status


def available(seen: Seen) -> bool:
    """Whether the result can be downloaded now."""
    job = seen.job
    return job.result is not None and job.erased_at is None and not _expired(seen)


def regenerable(seen: Seen) -> bool:
    """Whether the owner may have the export made again: it ended, and there is nothing (any more) to download."""
    return seen.job.status.ended and not available(seen)


def require(seen: Seen) -> Result:
    """The result. Raises RequestRefusedError: RESULT_ERASED, _NOT_READY, _FAILED, _CANCELLED or _EXPIRED."""
    job = seen.job
    if job.erased_at is not None:
        raise RequestRefusedError(ProblemCode.RESULT_ERASED)
    if job.result is not None and not _expired(seen):
        return job.result
    if job.result is not None:
        raise RequestRefusedError(ProblemCode.RESULT_EXPIRED)
    if job.error_code is not None:
        error = {"code": job.error_code.value, "title": job.error_code.title}
        raise RequestRefusedError(ProblemCode.RESULT_FAILED, job.error_code.title, error=error)
    if job.status is Status.CANCELLED:
        raise RequestRefusedError(ProblemCode.RESULT_CANCELLED)
    raise RequestRefusedError(ProblemCode.RESULT_NOT_READY, f"The export is {job.status}.", retry_after_seconds=1)


def _expired(seen: Seen) -> bool:
    return seen.result_expired or (seen.job.result is not None and seen.job.result.deleted_at is not None)
