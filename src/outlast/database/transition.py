"""The one way in which a job moves: `apply(transition, …)`.

Each transition of `lifecycle.TRANSITIONS` becomes one guarded UPDATE, by database time, and the attempt's row is
closed and opened with it. A row that fails the guards is not changed, and `apply` says None: nobody without the
current lease settles anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from sqlalchemy import BigInteger, Float, Integer, String, and_, case, func, insert, literal, or_, select, update
from sqlalchemy.engine import Connection
from sqlalchemy.sql.expression import ColumnElement, Update

from outlast.database.dialect import Instant, later, least, now, unindexed
from outlast.database.locking import lock_job, lock_jobs
from outlast.database.many import ForMany
from outlast.database.schema import export_attempts, export_jobs
from outlast.database.statement import Row, Statement, param
from outlast.errors import FailureCode
from outlast.lifecycle import (
    CANCEL,
    CLAIM,
    COMPLETE,
    EXHAUST,
    FAIL,
    RECLAIM,
    RELEASE,
    RENEW,
    REQUEUE,
    RETRY,
    TRANSITIONS,
    Guard,
    Token,
    Transition,
)
from outlast.model import ENDED, Job, Outcome, Progress, Status

_jobs = export_jobs.c

GUARDS: dict[Guard, ColumnElement[bool]] = {
    Guard.DUE: _jobs.available_at <= now(),
    Guard.ATTEMPTS_LEFT: _jobs.attempt_count < _jobs.attempt_limit,
    Guard.DEADLINE_AHEAD: _jobs.deadline_at > now(),
    Guard.TOKEN_MATCHES: _jobs.lease_token == param("token", String),
    Guard.LEASE_LIVE: _jobs.lease_until > now(),
    Guard.LEASE_EXPIRED: _jobs.lease_until <= now(),
    Guard.RETRY_AHEAD: later(now(), param("delay_seconds", Float)) < _jobs.deadline_at,
    Guard.RELEASES_LEFT: _jobs.release_count < param("release_limit", Integer),
    Guard.PAST_SAVING: or_(_jobs.deadline_at <= now(), _jobs.attempt_count >= _jobs.attempt_limit),
    Guard.NO_LIVE_LEASE: or_(_jobs.lease_until.is_(None), _jobs.lease_until <= now()),
    Guard.COUNT_EXPECTED: _jobs.attempt_count == param("expected_count", Integer),
    Guard.NOT_ERASED: _jobs.erased_at.is_(None),
}

_no_estimate = {"estimated_rows": None, "estimate_source": None}
_lease_until = least(later(now(), param("lease_seconds", Float)), _jobs.deadline_at)
_progress = {
    "progress_rows": param("rows", BigInteger),
    "progress_bytes": param("bytes", BigInteger),
}
_last_code = (
    select(export_attempts.c.error_code)
    .where(export_attempts.c.job_id == _jobs.id, export_attempts.c.error_code.is_not(None))
    .order_by(export_attempts.c.number.desc())
    .limit(1)
    .scalar_subquery()
)

# What a transition sets beyond status, token and counts, which follow from its row in the table.
_SETS: dict[str, dict[str, Any]] = {
    CLAIM.name: {
        "lease_until": _lease_until, "worker_id": param("worker", String),
        "started_at": func.coalesce(_jobs.started_at, now()), "progress_rows": 0, "progress_bytes": 0,
        **_no_estimate,
    },
    RENEW.name: {
        "lease_until": _lease_until, **_progress, "estimated_rows": param("estimated", BigInteger),
        "estimate_source": param("estimate_source", String),
    },
    COMPLETE.name: {**_progress, **_no_estimate},
    RETRY.name: {"available_at": later(now(), param("delay_seconds", Float))},
    RELEASE.name: {
        "available_at": now(), "release_count": _jobs.release_count + 1, "attempt_limit": _jobs.attempt_limit + 1,
    },
    FAIL.name: {"error_code": param("code", String), "error_detail": param("detail", String)},
    EXHAUST.name: {
        "error_code": case(
            (_jobs.deadline_at <= now(), literal(FailureCode.DEADLINE_EXCEEDED.value)),
            (_jobs.status == literal(Status.RUNNING.value), literal(FailureCode.WORKER_LOST.value)),
            else_=func.coalesce(_last_code, literal(FailureCode.WORKER_LOST.value)),
        ),
    },
    CANCEL.name: {},
    REQUEUE.name: {
        "available_at": now(), "error_code": None, "error_detail": None,
        "attempt_limit": _jobs.attempt_count + param("further_attempts", Integer),
        "deadline_at": later(now(), param("deadline_seconds", Float)),
        "progress_rows": 0, "progress_bytes": 0, **_no_estimate,
    },
}  # fmt: skip
_SETS[RECLAIM.name] = _SETS[CLAIM.name]


def guard_of(transition: Transition) -> ColumnElement[bool]:
    """The transition's sources and guards as one condition on a row."""
    # Jobs are found by their ids: statistics could make the planner walk all live ones for each of many.
    status = unindexed(_jobs.status)
    # Spelled out: IN with a list of values is completed at execution, which we leave to the driver.
    among_sources = or_(*(status == literal(source.value) for source in transition.sources))
    return and_(among_sources, *(GUARDS[guard] for guard in transition.guards))


def _update(transition: Transition) -> Update:
    values: dict[str, Any] = {}
    if transition.sources != (transition.target,):  # a column that is set makes SQLite rewrite its indexes
        values["status"] = transition.target.value
    if transition.opens:
        values["attempt_count"] = _jobs.attempt_count + 1
    if transition.token is Token.FRESH:
        values["lease_token"] = param("fresh_token", String)
    elif transition.token is Token.CLEARED:
        values |= {"lease_token": None, "lease_until": None, "worker_id": None}
    if transition.target in ENDED:
        values["finished_at"] = now()
    elif Status.FAILED in transition.sources:
        values["finished_at"] = None
    values |= _SETS[transition.name]
    return (
        update(export_jobs)
        .where(_jobs.id == param("job_id", String), guard_of(transition))
        .values(values)
        .returning(*export_jobs.c)
    )


_updates = {
    transition.name: Statement(f"transition.{transition.name}", _update(transition)) for transition in TRANSITIONS
}

_lease_of = Statement("transition.lease", select(_jobs.lease_until).where(_jobs.id == param("job_id", String)))
_open_attempt = Statement(
    "transition.open_attempt",
    insert(export_attempts).from_select(
        ["job_id", "number", "worker_id", "claimed_at", "lease_until", "storage_key", "reserved_bytes"],
        select(
            param("job_id", String), param("number", Integer), param("worker", String), now(),
            param("until", Instant), param("storage_key", String), param("reserve", BigInteger),
        ),
    ),
)  # fmt: skip
_close_attempt = Statement(
    "transition.close_attempt",
    update(export_attempts)
    # Said of the outcome: of `ended_at`, statistics could make the planner walk all open attempts for each of many.
    .where(export_attempts.c.job_id == param("job", String), export_attempts.c.outcome.is_(None))
    .values(
        ended_at=now(), outcome=param("outcome", String), error_code=param("code", String),
        error_detail=param("detail", String),
        lease_until=func.coalesce(param("until", Instant), export_attempts.c.lease_until),
        rows=func.coalesce(param("rows", BigInteger), export_attempts.c.rows),
        bytes=func.coalesce(param("bytes", BigInteger), export_attempts.c.bytes),
    ),
)  # fmt: skip


FOR_MANY = (CLAIM, COMPLETE)
"""The transitions that `apply_many` can make."""

_updates_of_many = {transition.name: ForMany(_updates[transition.name]) for transition in FOR_MANY}
_open_attempts = ForMany(_open_attempt)
_close_attempts = ForMany(_close_attempt)


def apply(connection: Connection, transition: Transition, job_id: str, **values: Any) -> Job | None:
    """Move the job, inside the caller's transaction; None when the row fails the transition's guards.

    `values` are the transition's parameters (`_SETS`, `GUARDS`), for one that opens an attempt also `storage_random`
    and `reserve`, for one that closes it `code` and `detail` where there are any.
    """
    lock_job(connection, job_id)
    ended_lease = _lease_of.value(connection, job_id=job_id) if transition.closes is Outcome.LOST else None
    row = _updates[transition.name].row(connection, **_moving(transition, job_id, values))
    if row is None:
        return None
    if transition.closes:
        _close_attempt.count(connection, **_closing(transition, row, ended_lease, values))
    if transition.opens:
        _open_attempt.count(connection, **_opening(row, values))
    return job_of(row)


def apply_many(connection: Connection, transition: Transition, moves: Mapping[str, dict[str, Any]]) -> dict[str, Job]:
    """As `apply` for many jobs at once, by one of FOR_MANY, given by their ids; gives those that were moved."""
    lock_jobs(connection, moves)
    rows = _updates_of_many[transition.name].rows(
        connection, [_moving(transition, job_id, values) for job_id, values in moves.items()]
    )
    if transition.closes:
        _close_attempts.count(connection, [_closing(transition, row, None, moves[row.id]) for row in rows])
    if transition.opens:
        _open_attempts.count(connection, [_opening(row, moves[row.id]) for row in rows])
    jobs = {row.id: job_of(row) for row in rows}
    return {job_id: jobs[job_id] for job_id in moves if job_id in jobs}


def _moving(transition: Transition, job_id: str, values: dict[str, Any]) -> dict[str, Any]:
    known = _updates[transition.name].parameters
    return {"job_id": job_id} | {name: value for name, value in values.items() if name in known}


def _opening(row: Row, values: dict[str, Any]) -> dict[str, Any]:
    return {
        "job_id": row.id, "number": row.attempt_count, "worker": row.worker_id, "until": row.lease_until,
        "storage_key": storage_key_of(row.id, row.attempt_count, values["storage_random"]),
        "reserve": values["reserve"],
    }  # fmt: skip


def _closing(transition: Transition, row: Row, ended_lease: Any, values: dict[str, Any]) -> dict[str, Any]:
    lost = transition.closes is Outcome.LOST
    return {
        "job": row.id, "outcome": str(transition.closes), "until": ended_lease,
        "code": FailureCode.WORKER_LOST.value if lost else values.get("code"), "detail": values.get("detail"),
        "rows": values.get("rows"), "bytes": values.get("bytes"),
    }  # fmt: skip


def storage_key_of(job_id: str, number: int, random: str) -> str:
    """The key under which an attempt stages its bytes: `{job}/{attempt}-{random}`."""
    return f"{job_id}/{number}-{random}"


@lru_cache(maxsize=1024)
def _columns(columns_json: str) -> tuple[str, ...]:
    return tuple(json.loads(columns_json))


def job_of(row: Row) -> Job:
    """A job's row as the record that every layer speaks in."""
    return Job(
        id=row.id, tenant=row.tenant, owner=row.owner, request_key=row.request_key, export=row.export,
        parameters_json=row.parameters_json, format=row.format, columns=_columns(row.columns_json),
        status=Status(row.status), created_at=row.created_at, available_at=row.available_at,
        deadline_at=row.deadline_at, started_at=row.started_at, finished_at=row.finished_at,
        attempt_count=row.attempt_count, attempt_limit=row.attempt_limit, release_count=row.release_count,
        lease_until=row.lease_until, worker_id=row.worker_id,
        progress=Progress(row.progress_rows, row.progress_bytes, row.estimated_rows, row.estimate_source),
        error_code=FailureCode(row.error_code) if row.error_code else None, error_detail=row.error_detail,
        request_id=row.request_id, trace_context=row.trace_context, regenerated_from=row.regenerated_from,
        erased_at=row.erased_at,
    )  # fmt: skip
