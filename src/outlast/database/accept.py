"""Acceptance: one job per (tenant, owner, key), compared by what was asked for, and only while there is room."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Float, String, select
from sqlalchemy.engine import Connection

from outlast.boundary import boundary
from outlast.database import admission
from outlast.database.accept_many import insert_all
from outlast.database.admission import Limits
from outlast.database.dialect import insert_or_ignore, later, now
from outlast.database.schema import export_jobs, spent_keys
from outlast.database.statement import Row, Statement, param
from outlast.database.transition import job_of
from outlast.database.writer import Batch, Write
from outlast.errors import ProblemCode, RequestRefusedError
from outlast.model import Job, Progress, Status


@dataclass(frozen=True, slots=True)
class Asked:
    """Which request it is: whose key, what was sent, and what that means, unless it means nothing (any more)."""

    tenant: str
    owner: str
    request_key: str
    request_fingerprint: str
    parameters_fingerprint: str | None


@dataclass(frozen=True, slots=True)
class NewJob:
    """A validated request, ready to become a row."""

    id: str
    tenant: str
    owner: str
    request_key: str
    request_fingerprint: str
    parameters_fingerprint: str
    export: str
    parameters_json: str
    format: str
    columns: tuple[str, ...]
    attempt_limit: int
    deadline_seconds: float
    request_id: str | None = None
    trace_context: str | None = None
    regenerated_from: str | None = None

    @property
    def deadline_milliseconds(self) -> int:
        """The deadline from now, as exact as the database keeps it."""
        return round(self.deadline_seconds * 1000)

    @property
    def asked(self) -> Asked:
        """Which request it is."""
        return Asked(self.tenant, self.owner, self.request_key, self.request_fingerprint, self.parameters_fingerprint)


@dataclass(frozen=True, slots=True)
class Accepted:
    """The job of a request, and whether an earlier request had made it."""

    job: Job
    replayed: bool


_NAMES = (
    "id", "tenant", "owner", "request_key", "request_fingerprint", "parameters_fingerprint", "export",
    "parameters_json", "format", "columns_json", "attempt_limit", "request_id", "trace_context", "regenerated_from",
)  # fmt: skip

_insert = Statement(
    "accept.insert",
    insert_or_ignore(export_jobs, "tenant", "owner", "request_key")
    .values(
        {name: param(name) for name in _NAMES}
        | {
            "status": Status.QUEUED.value,
            "created_at": now(),
            "available_at": now(),
            "deadline_at": later(now(), param("deadline_seconds", Float)),
        }
    )
    .returning(*export_jobs.c),
)
_by_key = Statement(
    "accept.by_key",
    select(export_jobs).where(
        export_jobs.c.tenant == param("tenant", String),
        export_jobs.c.owner == param("owner", String),
        export_jobs.c.request_key == param("request_key", String),
    ),
)
_spent = Statement(
    "accept.spent",
    select(spent_keys).where(
        spent_keys.c.tenant == param("tenant", String),
        spent_keys.c.owner == param("owner", String),
        spent_keys.c.request_key == param("request_key", String),
        spent_keys.c.keep_until > now(),
    ),
)


def accept(new: NewJob, limits: Limits) -> Write[Accepted]:
    """The write that makes the job, or finds the one that the key made before.

    Its future raises RequestRefusedError: KEY_CONFLICT, KEY_SPENT, or one of the limits'.
    """

    def perform(connection: Connection, shared: Batch) -> Accepted:
        boundary("accept.before_insert")
        row = _insert.row(connection, **_values(new))
        if row is None:
            found = replay(connection, new.asked)
            assert found is not None  # noqa: S101 - the insert met it, under the same lock
            return found
        _refuse_spent(connection, new.asked)
        admission.admit(connection, shared, new.tenant, new.owner, limits)
        return Accepted(job_of(row), replayed=False)

    def recover(connection: Connection) -> Accepted:
        found = replay(connection, new.asked)
        if found is None:
            return perform(connection, Batch())
        return Accepted(found.job, replayed=found.job.id != new.id)

    key = f"{new.tenant}\0{new.owner}\0{new.request_key}"
    return Write("accept", key, perform, recover, _accept_many, (new, limits))


def _accept_many(
    connection: Connection, shared: Batch, subjects: Sequence[tuple[NewJob, Limits]]
) -> Sequence[Accepted]:
    """Make all jobs at once when all are new and there is room for all; else raise, and each is looked at alone."""
    for _ in subjects:
        boundary("accept.before_insert")
    jobs = [new for new, _ in subjects]
    at = insert_all(connection, jobs)
    for limits in {limits for _, limits in subjects}:
        admission.admit_all(connection, shared, {(new.tenant, new.owner) for new in jobs}, limits)
    return [Accepted(_as_made(new, at), replayed=False) for new in jobs]


def _as_made(new: NewJob, at: datetime) -> Job:
    return Job(
        id=new.id, tenant=new.tenant, owner=new.owner, request_key=new.request_key, export=new.export,
        parameters_json=new.parameters_json, format=new.format, columns=new.columns, status=Status.QUEUED,
        created_at=at, available_at=at, deadline_at=at + timedelta(milliseconds=new.deadline_milliseconds),
        started_at=None, finished_at=None, attempt_count=0, attempt_limit=new.attempt_limit, release_count=0,
        lease_until=None, worker_id=None, progress=Progress(), error_code=None, error_detail=None,
        request_id=new.request_id, trace_context=new.trace_context, regenerated_from=new.regenerated_from,
        erased_at=None,
    )  # fmt: skip


def replay(connection: Connection, asked: Asked) -> Accepted | None:
    """The job that this key made before, if what was asked for is the same by either fingerprint.

    Raises RequestRefusedError: KEY_CONFLICT when it isn't, KEY_SPENT when that job was purged.
    """
    row = _by_key.row(connection, tenant=asked.tenant, owner=asked.owner, request_key=asked.request_key)
    if row is None:
        _refuse_spent(connection, asked)
        return None
    if not _same(row, asked):
        raise _conflict()
    return Accepted(job_of(row), replayed=True)


def _refuse_spent(connection: Connection, asked: Asked) -> None:
    row = _spent.row(connection, tenant=asked.tenant, owner=asked.owner, request_key=asked.request_key)
    if row is None:
        return
    if not _same(row, asked):
        raise _conflict()
    raise RequestRefusedError(ProblemCode.KEY_SPENT, "Use a new key to export again.")


def _same(row: Row, asked: Asked) -> bool:
    return bool(
        row.request_fingerprint == asked.request_fingerprint
        or row.parameters_fingerprint == asked.parameters_fingerprint
    )


def _conflict() -> RequestRefusedError:
    return RequestRefusedError(
        ProblemCode.KEY_CONFLICT, "Repeat the first request exactly, or use a new key for a different one."
    )


def _values(new: NewJob) -> dict[str, Any]:
    return {
        "id": new.id, "tenant": new.tenant, "owner": new.owner, "request_key": new.request_key,
        "request_fingerprint": new.request_fingerprint, "parameters_fingerprint": new.parameters_fingerprint,
        "export": new.export, "parameters_json": new.parameters_json, "format": new.format,
        "columns_json": json.dumps(new.columns), "attempt_limit": new.attempt_limit,
        "deadline_seconds": new.deadline_seconds, "request_id": new.request_id,
        "trace_context": new.trace_context, "regenerated_from": new.regenerated_from,
    }  # fmt: skip
