"""What operators did: who, what, when, why, and the job before and after. Rows are only ever added."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from uuid import uuid4

from sqlalchemy import String, insert, literal, select
from sqlalchemy.engine import Connection

from outlast.database.dialect import now
from outlast.database.schema import audit_log
from outlast.database.statement import Row, Statement, param
from outlast.model import Job

_NAMES = ("id", "actor", "action", "job_id", "reason", "before_json", "after_json")

_insert = Statement("audit.insert", insert(audit_log).values({name: param(name) for name in _NAMES} | {"at": now()}))
_known = Statement("audit.known", select(literal(1)).where(audit_log.c.id == param("id", String)))
_of_job = Statement(
    "audit.of_job", select(audit_log).where(audit_log.c.job_id == param("job_id", String)).order_by(audit_log.c.at)
)


@dataclass(frozen=True, slots=True)
class Act:
    """An operator's deed before it is done: who does it, and why. Its id finds it again after a lost COMMIT."""

    actor: str
    reason: str
    id: str = field(default_factory=lambda: str(uuid4()))


def record(connection: Connection, act: Act, action: str, before: Job, after: Job) -> None:
    """Write the act down, in the transaction that does it."""
    _insert.count(
        connection, id=act.id, actor=act.actor, action=action, job_id=before.id, reason=act.reason,
        before_json=_summary(before), after_json=_summary(after),
    )  # fmt: skip


def recorded(connection: Connection, act: Act) -> bool:
    """Whether the act stands in the log."""
    return _known.value(connection, id=act.id) is not None


def of_job(connection: Connection, job_id: str) -> list[Row]:
    """What was done to the job, oldest first."""
    return _of_job.rows(connection, job_id=job_id)


def _summary(job: Job) -> str:
    return json.dumps({
        "status": job.status, "attempt_count": job.attempt_count, "attempt_limit": job.attempt_limit,
        "deadline_at": job.deadline_at.isoformat(), "error_code": job.error_code,
    })  # fmt: skip
