"""Acceptance: one job per (tenant, owner, key), compared by what was asked for, and only while there is room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import String, select
from sqlalchemy.engine import Connection

from outlast.boundary import boundary
from outlast.database import admission
from outlast.database.admission import Limits
from outlast.database.dialect import now
from outlast.database.new_jobs import Asked, NewJob, insert_jobs
from outlast.database.schema import export_jobs, spent_keys
from outlast.database.statement import Row, Statement, param
from outlast.database.transition import job_of
from outlast.database.writer import Batch, Write
from outlast.errors import OutlastError, ProblemCode, RequestRefusedError
from outlast.model import Job


class NotAllNewError(OutlastError):
    """A key of the batch has been used before."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The job of a request, and whether an earlier request had made it."""

    job: Job
    replayed: bool


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
        inserted = insert_jobs(connection, [new])
        if inserted is None:
            found = replay(connection, new.asked)
            assert found is not None  # noqa: S101 - the insert met it, under the same lock
            return found
        if inserted.spent:
            _refuse_spent(connection, new.asked)
        admission.admit(connection, shared, new.tenant, new.owner, limits)
        return Accepted(new.made(inserted.at), replayed=False)

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
    inserted = insert_jobs(connection, jobs)
    if inserted is None or inserted.spent:
        raise NotAllNewError
    for limits in {limits for _, limits in subjects}:
        admission.admit_all(connection, shared, {(new.tenant, new.owner) for new in jobs}, limits)
    return [Accepted(new.made(inserted.at), replayed=False) for new in jobs]


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
