"""The inserts of a whole batch, in a few statements.

Each call of the driver hands the interpreter to another thread and waits to get it back; at six calls a job, 64
callers would wait for little else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlalchemy import Float, String, literal, select, true, tuple_
from sqlalchemy.engine import Connection

from outlast.database.dialect import Instant, insert_or_ignore, later, member, now, records
from outlast.database.schema import export_jobs, spent_keys
from outlast.database.statement import Statement, param
from outlast.model import Status

if TYPE_CHECKING:
    from outlast.database.accept import NewJob

_NAMES = (
    "tenant", "owner", "request_key", "id", "request_fingerprint", "parameters_fingerprint", "export",
    "parameters_json", "format", "columns_json", "attempt_limit", "request_id", "trace_context", "regenerated_from",
)  # fmt: skip
_record = records(param("records_json", String)).table_valued("value").c.value
_members = [member(_record, position, export_jobs.c[name].type) for position, name in enumerate(_NAMES)]
_at = param("at", Instant)

_clock = Statement("accept_many.clock", select(now()))
_insert = Statement(
    "accept_many.insert",
    insert_or_ignore(export_jobs, "tenant", "owner", "request_key").from_select(
        [*_NAMES, "status", "created_at", "available_at", "deadline_at"],
        # The condition tells SQLite's parser that ON CONFLICT is no join's.
        select(
            *_members, literal(Status.QUEUED.value), _at, _at, later(_at, member(_record, len(_NAMES), Float()))
        ).where(true()),
    ),
)
_spent = Statement(
    "accept_many.spent",
    select(literal(1))
    .select_from(spent_keys)
    .where(
        tuple_(spent_keys.c.tenant, spent_keys.c.owner, spent_keys.c.request_key).in_(select(*_members[:3])),
        spent_keys.c.keep_until > _at,
    )
    .limit(1),
)


class NotAllNewError(Exception):
    """A key of the batch has been used before."""


def insert_all(connection: Connection, jobs: Sequence[NewJob]) -> datetime:
    """Insert all of them, and give the database's time at which they were made. Raises NotAllNewError."""
    at: datetime = _clock.value(connection)
    records_json = json.dumps([_record_of(new) for new in jobs])
    if _insert.count(connection, records_json=records_json, at=at) < len(jobs):
        raise NotAllNewError
    if _spent.value(connection, records_json=records_json, at=at) is not None:
        raise NotAllNewError
    return at


def _record_of(new: NewJob) -> tuple[str | int | float | None, ...]:
    return (
        new.tenant, new.owner, new.request_key, new.id, new.request_fingerprint, new.parameters_fingerprint,
        new.export, new.parameters_json, new.format, _columns_json(new.columns), new.attempt_limit, new.request_id,
        new.trace_context, new.regenerated_from, new.deadline_milliseconds / 1000,
    )  # fmt: skip


@lru_cache(maxsize=256)
def _columns_json(columns: tuple[str, ...]) -> str:
    return json.dumps(columns)
