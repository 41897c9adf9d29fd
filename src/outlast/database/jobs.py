"""Jobs as their owners and operators see them: read, listed, cancelled, erased, requeued."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Integer as SqlInteger
from sqlalchemy import String, and_, or_, select, update
from sqlalchemy.engine import Connection

from outlast.database import audit
from outlast.database.dialect import Instant, among, now, seconds_since
from outlast.database.locking import lock_job
from outlast.database.schema import export_jobs, export_results
from outlast.database.statement import Row, Statement, param
from outlast.database.transition import apply, job_of
from outlast.database.writer import Batch, Write
from outlast.errors import ProblemCode, RequestRefusedError
from outlast.lifecycle import CANCEL, REQUEUE
from outlast.model import Job, Principal, Result, Status

RECENT = 20
"""How many ended jobs `recent_seconds` looks back on."""

_jobs = export_jobs.c
_result_columns = [column.label(f"result_{column.name}") for column in export_results.c]
_joined = select(export_jobs, *_result_columns, now().label("read_at")).outerjoin_from(
    export_jobs, export_results, export_results.c.job_id == _jobs.id
)

_by_id = Statement("jobs.by_id", _joined.where(_jobs.id == param("job_id", String)))
_owned = and_(_jobs.tenant == param("tenant", String), _jobs.owner == param("owner", String))
_newest_first = (_jobs.created_at.desc(), _jobs.id.desc())
_history = Statement("jobs.history", _joined.where(_owned).order_by(*_newest_first).limit(param("most", SqlInteger)))
_history_before = Statement(
    "jobs.history_before",
    _joined.where(
        _owned,
        _jobs.created_at <= param("created_at", Instant),
        or_(_jobs.created_at < param("created_at", Instant), _jobs.id < param("job_id", String)),
    )
    .order_by(*_newest_first)
    .limit(param("most", SqlInteger)),
)
_statuses = Statement(
    "jobs.statuses",
    select(_jobs.id, _jobs.status, _jobs.attempt_count, _jobs.erased_at).where(
        among(_jobs.id, param("job_ids_json", String))
    ),
)
_recent_seconds = Statement(
    "jobs.recent_seconds",
    select((seconds_since(_jobs.created_at) - seconds_since(_jobs.finished_at)).label("seconds"))
    .where(_jobs.finished_at.is_not(None))
    .order_by(_jobs.finished_at.desc())
    .limit(RECENT),
)
_erase = Statement(
    "jobs.erase",
    update(export_jobs).where(_jobs.id == param("job_id", String), _jobs.erased_at.is_(None)).values(erased_at=now()),
)


@dataclass(frozen=True, slots=True)
class Seen:
    """A job and the database's time at which it was read, by which its result's expiry is judged."""

    job: Job
    at: datetime

    @property
    def result_expired(self) -> bool:
        """Whether the result's lifetime is over."""
        return self.job.result is not None and self.job.result.expires_at <= self.at


@dataclass(frozen=True, slots=True)
class Erasure:
    """An erased job, and whether the erasure ended it."""

    job: Job
    cancelled: bool


Precondition = Callable[[Seen], None]
"""Raises RequestRefusedError when the job is not as its caller expects."""


def get(connection: Connection, job_id: str) -> Seen | None:
    """The job with its result."""
    row = _by_id.row(connection, job_id=job_id)
    return None if row is None else _seen(row)


def owned(connection: Connection, principal: Principal, job_id: str) -> Seen:
    """The principal's job. Raises RequestRefusedError: NOT_FOUND, for an unknown and for somebody else's alike."""
    seen = get(connection, job_id)
    if seen is None or (seen.job.tenant, seen.job.owner) != (principal.tenant, principal.owner):
        raise RequestRefusedError(ProblemCode.NOT_FOUND)
    return seen


def history(
    connection: Connection, principal: Principal, limit: int, before: tuple[datetime, str] | None = None
) -> list[Seen]:
    """The principal's jobs, newest first; `before` is the (created_at, id) of the last one already seen."""
    key: dict[str, Any] = {"tenant": principal.tenant, "owner": principal.owner, "most": limit}
    if before is None:
        rows = _history.rows(connection, **key)
    else:
        rows = _history_before.rows(connection, created_at=before[0], job_id=before[1], **key)
    return [_seen(row) for row in rows]


def statuses(connection: Connection, job_ids: Sequence[str]) -> dict[str, tuple[Status, int, bool]]:
    """Status, attempt count and whether erased, of each of these jobs that exists."""
    rows = _statuses.rows(connection, job_ids_json=json.dumps(list(job_ids)))
    return {row.id: (Status(row.status), row.attempt_count, row.erased_at is not None) for row in rows}


def recent_seconds(connection: Connection) -> list[float]:
    """How long each of the jobs that ended last took from acceptance to its end."""
    return [row.seconds for row in _recent_seconds.rows(connection)]


def cancel(job_id: str, principal: Principal | None, *, operator: audit.Act | None = None) -> Write[Job]:
    """End a live job at once, for its owner (`principal`) or for an operator.

    Raises RequestRefusedError: NOT_FOUND; ALREADY_ENDED.
    """

    def perform(connection: Connection, _shared: Batch) -> Job:
        seen = _require(connection, job_id, principal)
        job = apply(connection, CANCEL, job_id)
        if job is None:
            raise RequestRefusedError(ProblemCode.ALREADY_ENDED, f"It is {seen.job.status} already.")
        if operator is not None:
            audit.record(connection, operator, "cancel", seen.job, job)
        return job

    def recover(connection: Connection) -> Job:
        job = _require(connection, job_id, principal).job
        done = job.status is Status.CANCELLED if operator is None else audit.recorded(connection, operator)
        return job if done else perform(connection, Batch())

    return Write("cancel", job_id, perform, recover)


def erase(job_id: str, principal: Principal, *, expected: Precondition | None = None) -> Write[Erasure]:
    """Cancel the job if it lives and hide it and its result for good; repeating it changes nothing.

    Raises RequestRefusedError: NOT_FOUND, or what `expected` raises.
    """

    def perform(connection: Connection, _shared: Batch) -> Erasure:
        seen = _require(connection, job_id, principal)
        if seen.job.erased_at is not None:
            return Erasure(seen.job, cancelled=False)
        if expected is not None:
            expected(seen)
        cancelled = apply(connection, CANCEL, job_id)
        _erase.count(connection, job_id=job_id)
        return Erasure(_require(connection, job_id, principal).job, cancelled is not None)

    return Write("erase", job_id, perform, lambda connection: perform(connection, Batch()))


def requeue(
    job_id: str, *, expected_count: int, further_attempts: int, deadline_seconds: float, operator: audit.Act
) -> Write[Job]:
    """Reopen a failed job for an operator; a second click finds another attempt count or status and changes nothing.

    Raises RequestRefusedError: NOT_FOUND; STATE_CHANGED, with the reason.
    """

    def perform(connection: Connection, _shared: Batch) -> Job:
        seen = _require(connection, job_id, None)
        job = apply(
            connection, REQUEUE, job_id, expected_count=expected_count, further_attempts=further_attempts,
            deadline_seconds=deadline_seconds,
        )  # fmt: skip
        if job is None:
            raise RequestRefusedError(ProblemCode.STATE_CHANGED, _why_not(seen.job, expected_count))
        audit.record(connection, operator, "requeue", seen.job, job)
        return job

    def recover(connection: Connection) -> Job:
        job = _require(connection, job_id, None).job
        return job if audit.recorded(connection, operator) else perform(connection, Batch())

    return Write("requeue", job_id, perform, recover)


def _why_not(job: Job, expected_count: int) -> str:
    if job.erased_at is not None:
        return "The job was erased; it can't be requeued."
    if job.status is not Status.FAILED:
        return f"The job is {job.status}; only a failed one can be requeued."
    return f"The job has had {job.attempt_count} attempts, not {expected_count}; look at it again."


def _require(connection: Connection, job_id: str, principal: Principal | None) -> Seen:
    lock_job(connection, job_id)
    if principal is not None:
        return owned(connection, principal, job_id)
    seen = get(connection, job_id)
    if seen is None:
        raise RequestRefusedError(ProblemCode.NOT_FOUND)
    return seen


def _seen(row: Row) -> Seen:
    job = job_of(row)
    if row.result_job_id is not None:
        job = replace(job, result=_result_of(row))
    return Seen(job, row.read_at)


def _result_of(row: Row) -> Result:
    return Result(
        storage=row.result_storage, storage_key=row.result_storage_key, content_type=row.result_content_type,
        filename=row.result_filename, bytes=row.result_bytes, rows=row.result_rows, sha256=row.result_sha256,
        as_of=row.result_as_of, warnings=tuple(json.loads(row.result_warnings_json)),
        created_at=row.result_created_at, expires_at=row.result_expires_at, deleted_at=row.result_deleted_at,
        details=json.loads(row.result_details_json),
    )  # fmt: skip
