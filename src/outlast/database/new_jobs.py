"""Jobs on their way into the table: one insert for one and for a whole batch.

Each call of the driver hands the interpreter to another thread and waits to get it back; at six calls a job, 64
callers would wait for little else. So all of a batch is inserted by one statement, and looked at by another.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import Float, String, exists, literal, select, true
from sqlalchemy.engine import Connection

from outlast.database.dialect import insert_or_ignore, later, member, now, records
from outlast.database.schema import export_jobs, spent_keys
from outlast.database.statement import Statement, param
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

    def made(self, at: datetime) -> Job:
        """The row that it has become, made at this time."""
        return Job(
            id=self.id, tenant=self.tenant, owner=self.owner, request_key=self.request_key, export=self.export,
            parameters_json=self.parameters_json, format=self.format, columns=self.columns, status=Status.QUEUED,
            created_at=at, available_at=at, deadline_at=at + timedelta(milliseconds=self.deadline_milliseconds),
            started_at=None, finished_at=None, attempt_count=0, attempt_limit=self.attempt_limit, release_count=0,
            lease_until=None, worker_id=None, progress=Progress(), error_code=None, error_detail=None,
            request_id=self.request_id, trace_context=self.trace_context, regenerated_from=self.regenerated_from,
            erased_at=None,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Inserted:
    """The database's time at which jobs were made, and whether the key of one of them belongs to a purged job."""

    at: datetime
    spent: bool


_NAMES = (
    "tenant", "owner", "request_key", "id", "request_fingerprint", "parameters_fingerprint", "export",
    "parameters_json", "format", "columns_json", "attempt_limit", "request_id", "trace_context", "regenerated_from",
)  # fmt: skip
_record = records(param("records_json", String)).table_valued("value").c.value
_members = [member(_record, position, export_jobs.c[name].type) for position, name in enumerate(_NAMES)]
_insert = Statement(
    "new_jobs.insert",
    insert_or_ignore(export_jobs, "tenant", "owner", "request_key").from_select(
        [*_NAMES, "status", "created_at", "available_at", "deadline_at"],
        # The condition tells SQLite's parser that ON CONFLICT is no join's.
        select(
            *_members, literal(Status.QUEUED.value), now(), now(), later(now(), member(_record, len(_NAMES), Float()))
        ).where(true()),
    ),
)
_made_at = select(export_jobs.c.created_at).where(export_jobs.c.id == param("job_id", String)).scalar_subquery()
_spent = select(literal(1)).where(
    spent_keys.c.tenant == _members[0], spent_keys.c.owner == _members[1], spent_keys.c.request_key == _members[2],
    spent_keys.c.keep_until > now(),
)  # fmt: skip
_look = Statement("new_jobs.look", select(_made_at.label("made_at"), exists(_spent).label("spent")))


def insert_jobs(connection: Connection, jobs: Sequence[NewJob]) -> Inserted | None:
    """Insert all of them; None when the key of one is taken, and only the others were inserted."""
    records_json = json.dumps([_record_of(new) for new in jobs])
    if _insert.count(connection, records_json=records_json) < len(jobs):
        return None
    look: Any = _look.row(connection, records_json=records_json, job_id=jobs[0].id)
    return Inserted(look.made_at, bool(look.spent))


def _record_of(new: NewJob) -> tuple[str | int | float | None, ...]:
    return (
        new.tenant, new.owner, new.request_key, new.id, new.request_fingerprint, new.parameters_fingerprint,
        new.export, new.parameters_json, new.format, _columns_json(new.columns), new.attempt_limit, new.request_id,
        new.trace_context, new.regenerated_from, new.deadline_milliseconds / 1000,
    )  # fmt: skip


@lru_cache(maxsize=256)
def _columns_json(columns: tuple[str, ...]) -> str:
    return json.dumps(columns)
