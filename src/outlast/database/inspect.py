"""Everything durable about jobs, for operators: found, listed, and put together as evidence for `explain`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Integer, String, func, or_, select
from sqlalchemy.engine import Connection

from outlast.database import admission, audit, jobs
from outlast.database.dialect import among
from outlast.database.jobs import Seen
from outlast.database.schema import LIVE, RUNNING, export_attempts, export_jobs, spent_keys, workers
from outlast.database.statement import Row, Statement, param
from outlast.database.transition import job_of
from outlast.errors import FailureCode, ProblemCode, RequestRefusedError
from outlast.model import Job, Outcome, Status

FOUND_LIMIT = 20
"""How many jobs of one request id are shown."""
ATTEMPTS_LIMIT = 1_000

_jobs = export_jobs.c
_attempts = export_attempts.c

_status = param("status", String)
_export = param("export", String)
_owner = param("owner", String)
_code = param("code", String)
_before = param("before", String)
_matching = (
    or_(_status.is_(None), _jobs.status == _status),
    or_(_export.is_(None), _jobs.export == _export),
    or_(_owner.is_(None), _jobs.owner == _owner),
    or_(_code.is_(None), _jobs.error_code == _code),
    or_(_before.is_(None), _jobs.id < _before),
)
# Ids are UUIDv7, so their order is that of acceptance.
_list = Statement(
    "inspect.list",
    select(export_jobs).where(*_matching).order_by(_jobs.id.desc()).limit(param("most", Integer)),
)
_list_live = Statement(
    "inspect.list_live",
    # By another order than the primary key's: else SQLite walks that, past all ended jobs.
    select(export_jobs)
    .where(LIVE, *_matching)
    .order_by(_jobs.created_at.desc(), _jobs.id.desc())
    .limit(param("most", Integer)),
)
_by_request = Statement(
    "inspect.by_request",
    select(_jobs.id)
    .where(_jobs.request_id.is_not(None), _jobs.request_id == param("request_id", String))
    .order_by(_jobs.id)
    .limit(FOUND_LIMIT),
)
_by_key = Statement(
    "inspect.by_key",
    select(_jobs.id).where(
        _jobs.tenant == param("tenant", String), _jobs.owner == _owner, _jobs.request_key == param("key", String)
    ),
)
_spent = Statement(
    "inspect.spent",
    select(spent_keys.c.keep_until).where(
        spent_keys.c.tenant == param("tenant", String),
        spent_keys.c.owner == _owner,
        spent_keys.c.request_key == param("key", String),
    ),
)
_attempts_of = Statement(
    "inspect.attempts",
    select(export_attempts)
    .where(_attempts.job_id == param("job_id", String))
    .order_by(_attempts.number)
    .limit(ATTEMPTS_LIMIT),
)
_workers = Statement("inspect.workers", select(workers).where(among(workers.c.id, param("ids_json", String))))
_others_running = Statement(
    "inspect.others_running",
    select(func.count().label("count")).where(
        RUNNING, _jobs.tenant == param("tenant", String), _jobs.owner == _owner, _jobs.id != param("job_id", String)
    ),
)


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """An attempt as its row tells it. `lease_until` is when its lease was to end, or for a lost one when it ended."""

    number: int
    worker_id: str
    claimed_at: datetime
    ended_at: datetime | None
    lease_until: datetime | None
    outcome: Outcome | None
    error_code: FailureCode | None
    error_detail: str | None
    storage_key: str
    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class WorkerRecord:
    """A worker's incarnation as its row tells it."""

    id: str
    host: str
    pid: int
    started_at: datetime
    seen_at: datetime
    stopped_at: datetime | None


@dataclass(frozen=True, slots=True)
class ActRecord:
    """What an operator did to the job, why, and the failure it had before, if any."""

    at: datetime
    actor: str
    action: str
    reason: str
    code_before: str | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the database knows of one job, in one snapshot, taken at `seen.at`.

    `served` says whether a live worker knows its export; `owner_running` counts the owner's other running jobs.
    """

    seen: Seen
    attempts: tuple[AttemptRecord, ...]
    workers: dict[str, WorkerRecord]
    acts: tuple[ActRecord, ...]
    served: bool
    owner_running: int


@dataclass(frozen=True, slots=True)
class Filter:
    """Which jobs to list; None leaves open. `before` is the id of the last one already seen."""

    status: Status | None = None
    export: str | None = None
    owner: str | None = None
    code: FailureCode | None = None
    before: str | None = None


def listed(connection: Connection, wanted: Filter, limit: int) -> list[Job]:
    """The newest jobs that match, newest first."""
    live = wanted.status is not None and not wanted.status.ended
    rows = (_list_live if live else _list).rows(
        connection, status=wanted.status, export=wanted.export, owner=wanted.owner, code=wanted.code,
        before=wanted.before, most=limit,
    )  # fmt: skip
    return [job_of(row) for row in rows]


def find(connection: Connection, reference: str) -> list[str]:
    """The ids of the jobs that `reference` means: a job's id, or the id of the request that was answered with it.

    Raises RequestRefusedError NOT_FOUND.
    """
    if jobs.get(connection, reference) is not None:
        return [reference]
    found = [row.id for row in _by_request.rows(connection, request_id=reference)]
    if not found:
        message = "No job has this id, and none was made by such a request; operations are not kept in this version."
        raise RequestRefusedError(ProblemCode.NOT_FOUND, message)
    return found


def find_by_key(connection: Connection, tenant: str, owner: str, key: str) -> str:
    """The id of the job that the owner's idempotency key made. Raises RequestRefusedError NOT_FOUND, saying why."""
    row = _by_key.row(connection, tenant=tenant, owner=owner, key=key)
    if row is not None:
        return str(row.id)
    spent = _spent.row(connection, tenant=tenant, owner=owner, key=key)
    if spent is None:
        raise RequestRefusedError(ProblemCode.NOT_FOUND, "This owner used no such idempotency key.")
    until = spent.keep_until.isoformat(timespec="seconds")
    raise RequestRefusedError(ProblemCode.NOT_FOUND, f"This key's job was purged; the key is remembered until {until}.")


def evidence(connection: Connection, job_id: str, *, worker_seen_seconds: float) -> Evidence:
    """Gather what is known. Raises RequestRefusedError NOT_FOUND."""
    seen = jobs.get(connection, job_id)
    if seen is None:
        raise RequestRefusedError(ProblemCode.NOT_FOUND, "No job has this id.")
    job = seen.job
    attempts = tuple(_attempt_of(row) for row in _attempts_of.rows(connection, job_id=job_id))
    return Evidence(
        seen=seen,
        attempts=attempts,
        workers=_workers_of(connection, [attempt.worker_id for attempt in attempts]),
        acts=tuple(_act_of(row) for row in audit.of_job(connection, job_id)),
        served=job.export in admission.known_exports(connection, worker_seen_seconds),
        owner_running=_others_running.value(connection, tenant=job.tenant, owner=job.owner, job_id=job_id),
    )


def _workers_of(connection: Connection, ids: Sequence[str]) -> dict[str, WorkerRecord]:
    rows = _workers.rows(connection, ids_json=json.dumps(sorted(set(ids))))
    return {
        row.id: WorkerRecord(row.id, row.host, row.pid, row.started_at, row.seen_at, row.stopped_at) for row in rows
    }


def _attempt_of(row: Row) -> AttemptRecord:
    return AttemptRecord(
        number=row.number, worker_id=row.worker_id, claimed_at=row.claimed_at, ended_at=row.ended_at,
        lease_until=row.lease_until, outcome=Outcome(row.outcome) if row.outcome else None,
        error_code=FailureCode(row.error_code) if row.error_code else None, error_detail=row.error_detail,
        storage_key=row.storage_key, rows=row.rows, bytes=row.bytes,
    )  # fmt: skip


def _act_of(row: Row) -> ActRecord:
    return ActRecord(row.at, row.actor, row.action, row.reason, json.loads(row.before_json)["error_code"])
