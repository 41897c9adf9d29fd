"""Settling: what the holder of a lease does with its attempt.

Every write here requires the `Attempt` that `claim` gave. Without the current lease it raises LeaseLostError and
changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import BigInteger, Float, Integer, String, insert, literal, select, update
from sqlalchemy.engine import Connection

from outlast.boundary import boundary
from outlast.database.dialect import Instant, greatest, later, now
from outlast.database.locking import lock_job, lock_jobs
from outlast.database.many import ForMany
from outlast.database.schema import RUNNING, export_attempts, export_jobs, export_results
from outlast.database.statement import Statement, param
from outlast.database.transition import apply, apply_many, job_of
from outlast.database.writer import Batch, Many, Write
from outlast.errors import LeaseLostError
from outlast.lifecycle import COMPLETE, FAIL, RELEASE, RENEW, RETRY
from outlast.model import Attempt, Failure, Job, Outcome, Progress, StagedResult

_jobs = export_jobs.c

lease_is_live = (
    RUNNING,
    _jobs.id == param("job_id", String),
    _jobs.lease_token == param("token", String),
    _jobs.lease_until > now(),
)
"""The fence, for statements beside the transitions: the job is running under this token, and the lease is unexpired."""

_fence = Statement("settle.fence", select(literal(1)).select_from(export_jobs).where(*lease_is_live))
_RESULT_FIELDS = ("storage", "storage_key", "content_type", "filename", "sha256", "warnings_json", "details_json")
_insert_result = Statement(
    "settle.insert_result",
    insert(export_results).from_select(
        ["job_id", "bytes", "rows", "as_of", "created_at", "expires_at", *_RESULT_FIELDS],
        select(
            _jobs.id, param("bytes", BigInteger), param("rows", BigInteger), param("as_of", Instant), now(),
            later(now(), param("lifetime_seconds", Float)), *(param(name, String) for name in _RESULT_FIELDS),
        ).where(*lease_is_live),
    ),
)  # fmt: skip
_insert_results = ForMany(_insert_result)
_reserve = Statement(
    "settle.reserve",
    update(export_attempts)
    .where(export_attempts.c.job_id == param("job_id", String), export_attempts.c.number == param("number", Integer))
    .values(
        rows=param("rows", BigInteger), bytes=param("bytes", BigInteger),
        reserved_bytes=greatest(export_attempts.c.reserved_bytes, param("bytes", BigInteger)),
    ),
)  # fmt: skip
_settled = Statement(
    "settle.outcome_of",
    select(export_jobs, export_attempts.c.outcome)
    .join_from(export_jobs, export_attempts, export_attempts.c.job_id == _jobs.id)
    .where(
        _jobs.id == param("job_id", String), export_attempts.c.number == param("number", Integer),
        export_attempts.c.ended_at.is_not(None),
    ),
)  # fmt: skip


def renew(attempt: Attempt, progress: Progress) -> Write[Job]:
    """Extend the lease by its length from now and report progress; an estimate that was reached is dropped."""
    progress = progress.ahead

    def perform(connection: Connection, _shared: Batch) -> Job:
        job = apply(
            connection, RENEW, attempt.job.id, token=attempt.lease.token, lease_seconds=attempt.lease.seconds,
            rows=progress.rows, bytes=progress.bytes, estimated=progress.estimated_rows,
            estimate_source=progress.estimate_source,
        )  # fmt: skip
        if job is None:
            raise LeaseLostError
        if progress.bytes:
            _reserve.count(connection, job_id=job.id, number=attempt.number, rows=progress.rows, bytes=progress.bytes)
        return job

    return Write("renew", attempt.job.id, perform, lambda connection: perform(connection, Batch()))


def complete(attempt: Attempt, staged: StagedResult, *, lifetime_seconds: float) -> Write[Job]:
    """Commit the staged result and the success together. The bytes under `staged.storage_key` must be durable."""

    def perform(connection: Connection, _shared: Batch) -> Job:
        boundary("complete.before_result")
        lock_job(connection, attempt.job.id)
        if not _insert_result.count(connection, **_result(attempt, staged, lifetime_seconds)):
            raise LeaseLostError
        boundary("complete.between_result_and_status")
        job = apply(connection, COMPLETE, attempt.job.id, **_completion(attempt, staged))
        if job is None:
            raise LeaseLostError
        return job

    return _settlement("complete", attempt, perform, _complete_many, (attempt, staged, lifetime_seconds))


def _complete_many(
    connection: Connection, _shared: Batch, subjects: Sequence[tuple[Attempt, StagedResult, float]]
) -> list[Job]:
    """Complete all of them at once when every lease is live; else raise, and each is looked at alone."""
    for _ in subjects:
        boundary("complete.before_result")
    lock_jobs(connection, [attempt.job.id for attempt, _, _ in subjects])
    if _insert_results.count(connection, [_result(*subject) for subject in subjects]) < len(subjects):
        raise LeaseLostError
    for _ in subjects:
        boundary("complete.between_result_and_status")
    moves = {attempt.job.id: _completion(attempt, staged) for attempt, staged, _ in subjects}
    jobs = apply_many(connection, COMPLETE, moves)
    if len(jobs) < len(subjects):
        raise LeaseLostError
    return list(jobs.values())


def _result(attempt: Attempt, staged: StagedResult, lifetime_seconds: float) -> dict[str, Any]:
    return {
        "job_id": attempt.job.id, "token": attempt.lease.token, "storage": staged.storage,
        "storage_key": staged.storage_key, "content_type": staged.content_type, "filename": staged.filename,
        "bytes": staged.bytes, "rows": staged.rows, "sha256": staged.sha256, "as_of": staged.as_of,
        "warnings_json": json.dumps(staged.warnings), "details_json": json.dumps(staged.details),
        "lifetime_seconds": lifetime_seconds,
    }  # fmt: skip


def _completion(attempt: Attempt, staged: StagedResult) -> dict[str, Any]:
    return {"token": attempt.lease.token, "rows": staged.rows, "bytes": staged.bytes}


def fail(attempt: Attempt, failure: Failure, progress: Progress, *, delay_seconds: float) -> Write[Job]:
    """Retry after `delay_seconds` if the failure is retryable and the budget allows, else end the job as failed."""

    def perform(connection: Connection, _shared: Batch) -> Job:
        job = None
        parameters = {
            "token": attempt.lease.token, "delay_seconds": delay_seconds, "code": failure.code.value,
            "detail": failure.detail, "rows": progress.rows, "bytes": progress.bytes,
        }  # fmt: skip
        if failure.code.retryable:
            job = apply(connection, RETRY, attempt.job.id, **parameters)
        job = job or apply(connection, FAIL, attempt.job.id, **parameters)
        if job is None:
            raise LeaseLostError
        return job

    return _settlement("retry" if failure.code.retryable else "fail", attempt, perform)


def release(attempt: Attempt, *, release_limit: int) -> Write[Job]:
    """Give the job back at once; only after the child was stopped.

    Raises LeaseLostError also when the job was released too often: its lease then runs out.
    """

    def perform(connection: Connection, _shared: Batch) -> Job:
        job = apply(connection, RELEASE, attempt.job.id, token=attempt.lease.token, release_limit=release_limit)
        if job is None:
            raise LeaseLostError
        return job

    return _settlement("release", attempt, perform)


def _settlement(
    name: str,
    attempt: Attempt,
    perform: Callable[[Connection, Batch], Job],
    many: Many[Job] | None = None,
    subject: Any = None,
) -> Write[Job]:
    """A settlement whose lost COMMIT is looked up by job and attempt number, and made only if it was not made."""

    def recover(connection: Connection) -> Job:
        lock_job(connection, attempt.job.id)  # the lost transaction may not have ended yet
        row = _settled.row(connection, job_id=attempt.job.id, number=attempt.number)
        if row is None:
            return perform(connection, Batch())
        if row.outcome in (Outcome.LOST, Outcome.CANCELLED):
            raise LeaseLostError
        return job_of(row)

    return Write(name, attempt.job.id, perform, recover, many, subject)


def holds_lease(connection: Connection, attempt: Attempt) -> bool:
    """Whether the attempt's lease is current and unexpired, by the database's clock."""
    return bool(_fence.value(connection, job_id=attempt.job.id, token=attempt.lease.token))
