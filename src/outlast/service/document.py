"""The job as its owner sees it: the one JSON object of every answer. Unknown values are null, never absent."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from outlast.database.jobs import Seen
from outlast.model import Job, Result
from outlast.service import results


def job_document(seen: Seen, base: str) -> dict[str, Any]:
    """The job; times are RFC 3339 in UTC with milliseconds, sizes in bytes.

    `base` is the URL (or path) of the collection; a link is null where it would not work.
    """
    job = seen.job
    return {
        "id": job.id, "export": job.export, "format": job.format, "status": job.status.value,
        "created_at": timestamp(job.created_at), "started_at": timestamp(job.started_at),
        "finished_at": timestamp(job.finished_at), "deadline_at": timestamp(job.deadline_at),
        "attempt_count": job.attempt_count,
        "progress": {
            "rows": job.progress.rows, "bytes": job.progress.bytes, "estimated_rows": job.progress.estimated_rows,
            "estimate": job.progress.estimate_source,
        },
        "error": _error(job),
        "regenerated_from": job.regenerated_from,
        "result": _result(job.result) if job.result is not None and job.erased_at is None else None,
        "links": links(seen, base),
    }  # fmt: skip


def links(seen: Seen, base: str) -> dict[str, str | None]:
    """What the owner can do next."""
    path = f"{base}/{seen.job.id}"
    return {
        "self": path,
        "result": f"{path}/result" if results.available(seen) else None,
        "manifest": f"{path}/manifest" if results.available(seen) else None,
        "cancel": None if seen.job.status.ended else f"{path}/cancel",
        "regenerate": f"{path}/regenerate" if results.regenerable(seen) else None,
    }


def timestamp(instant: datetime | None) -> str | None:
    """RFC 3339 with milliseconds and Z; the instant must be in UTC."""
    return None if instant is None else instant.isoformat(timespec="milliseconds")[:-6] + "Z"


def _error(job: Job) -> dict[str, str] | None:
    return None if job.error_code is None else {"code": job.error_code.value, "title": job.error_code.title}


def _result(result: Result) -> dict[str, Any]:
    return {
        "bytes": result.bytes, "rows": result.rows, "sha256": result.sha256, "content_type": result.content_type,
        "filename": result.filename, "as_of": timestamp(result.as_of), "expires_at": timestamp(result.expires_at),
        "warnings": list(result.warnings),
    }  # fmt: skip
