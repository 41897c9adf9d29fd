"""The inserts of a whole batch, in a few statements.

Each call of the driver hands the interpreter to another thread and waits to get it back; at six calls a job, 64
callers would wait for little else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import Float, String, exists, literal, select, true
from sqlalchemy.engine import Connection

from outlast.database.dialect import insert_or_ignore, later, member, now, records
from outlast.database.schema import export_jobs, spent_keys
from outlast.database.statement import Statement, param
from outlast.errors import OutlastError
from outlast.model import Status

if TYPE_CHECKING:
    from outlast.database.accept import NewJob

_NAMES = (
    "tenant", "owner", "request_key", "id", "request_fingerprint", "parameters_fingerprint", "export",
    "parameters_json", "format", "columns_json", "attempt_limit", "request_id", "trace_context", "regenerated_from",
)  # fmt: skip
_record = records(param("records_json", String)).table_valued("value").c.value
_members = [member(_record, position, export_jobs.c[name].type) for position, name in enumerate(_NAMES)]
_insert = Statement(
    "accept_many.insert",
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
_look = Statement("accept_many.look", select(_made_at.label("made_at"), exists(_spent).label("spent")))


class NotAllNewError(OutlastError):
    """A key of the batch has been used before."""


def insert_all(connection: Connection, jobs: Sequence[NewJob]) -> datetime:
    """Insert all of them, and give the database's time at which they were made. Raises NotAllNewError."""
    records_json = json.dumps([_record_of(new) for new in jobs])
    if _insert.count(connection, records_json=records_json) < len(jobs):
        raise NotAllNewError
    look: Any = _look.row(connection, records_json=records_json, job_id=jobs[0].id)
    if look.spent:
        raise NotAllNewError
    made_at: datetime = look.made_at
    return made_at


def _record_of(new: NewJob) -> tuple[str | int | float | None, ...]:
    return (
        new.tenant, new.owner, new.request_key, new.id, new.request_fingerprint, new.parameters_fingerprint,
        new.export, new.parameters_json, new.format, _columns_json(new.columns), new.attempt_limit, new.request_id,
        new.trace_context, new.regenerated_from, new.deadline_milliseconds / 1000,
    )  # fmt: skip


@lru_cache(maxsize=256)
def _columns_json(columns: tuple[str, ...]) -> str:
    return json.dumps(columns)
