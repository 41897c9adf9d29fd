"""Backpressure: whether there is room for another job. Everything is counted once a batch, and only up to its limit."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Float, Integer, String, func, select
from sqlalchemy.engine import Connection

from outlast.database.dialect import later, member, now, records, seconds_since
from outlast.database.schema import QUEUED, counters, export_attempts, export_jobs, workers
from outlast.database.statement import Statement, param
from outlast.database.triggers import LIVE_RESULT_BYTES
from outlast.database.writer import Batch
from outlast.errors import ProblemCode, RequestRefusedError

RECENT = 20
"""How many ended jobs an estimate looks back on."""
RETRY_AFTER_LIMIT_SECONDS = 300
RETRY_AFTER_UNKNOWN_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Limits:
    """When new jobs are refused."""

    pending_limit: int
    oldest_age_limit_seconds: float
    storage_budget_bytes: int
    owner_pending_limit: int
    worker_seen_seconds: float


_jobs = export_jobs.c

_pending = Statement(
    "admission.pending",
    select(func.count()).select_from(select(_jobs.id).where(QUEUED).limit(param("most", Integer)).subquery()),
)
_owner_pending = Statement(
    "admission.owner_pending",
    select(func.count()).select_from(
        select(_jobs.id)
        .where(QUEUED, _jobs.tenant == param("tenant", String), _jobs.owner == param("owner", String))
        .limit(param("most", Integer))
        .subquery()
    ),
)
_record = records(param("owners_json", String)).table_valued("value").c.value
_most_pending = Statement(
    "admission.most_pending",
    select(
        func.max(
            select(func.count())
            .select_from(
                select(_jobs.id)
                .where(
                    QUEUED, _jobs.tenant == member(_record, 0, String()), _jobs.owner == member(_record, 1, String()),
                )
                .limit(param("most", Integer))
                .correlate(_record.table)
                .subquery()
            )
            .correlate(_record.table)
            .scalar_subquery()
        )
    ).select_from(_record.table),
)  # fmt: skip
_known_exports = Statement(
    "admission.known_exports",
    select(workers.c.exports_json).distinct().where(
        workers.c.stopped_at.is_(None), workers.c.seen_at > later(now(), -param("seen_seconds", Float)),
    ),
)  # fmt: skip
_oldest_age = Statement(
    "admission.oldest_age",
    select(seconds_since(_jobs.available_at))
    .where(QUEUED, _jobs.export == param("export", String), _jobs.available_at <= now())
    .order_by(_jobs.available_at)
    .limit(1),
)
_live_bytes = Statement("admission.live_bytes", select(counters.c.value).where(counters.c.name == LIVE_RESULT_BYTES))
_reserved_bytes = Statement(
    "admission.reserved_bytes",
    select(func.coalesce(func.sum(export_attempts.c.reserved_bytes), 0)).where(export_attempts.c.ended_at.is_(None)),
)
_recent_ends = Statement(
    "admission.recent_ends",
    select(seconds_since(_jobs.finished_at))
    .where(_jobs.finished_at.is_not(None))
    .order_by(_jobs.finished_at.desc())
    .limit(RECENT),
)


def admit(connection: Connection, shared: Batch, tenant: str, owner: str, limits: Limits) -> None:
    """Refuse the job that was just inserted when there was no room for it.

    Raises RequestRefusedError: QUEUE_FULL, QUEUE_TOO_OLD, STORAGE_FULL (503) or OWNER_LIMIT (429), with the wait
    after which there should be room again.
    """
    if "room" not in shared:
        _refuse_overload(connection, limits)
        # Our own row is among the counted.
        shared["room"] = limits.pending_limit + 1 - _pending.value(connection, most=limits.pending_limit + 1)
    if (tenant, owner) not in shared:
        most = limits.owner_pending_limit + 1
        shared[tenant, owner] = most - _owner_pending.value(connection, tenant=tenant, owner=owner, most=most)
    if shared[tenant, owner] <= 0:
        raise _refusal(connection, ProblemCode.OWNER_LIMIT)
    if shared["room"] <= 0:
        raise _refusal(connection, ProblemCode.QUEUE_FULL)
    shared["room"] -= 1
    shared[tenant, owner] -= 1


def admit_all(connection: Connection, shared: Batch, owners: Collection[tuple[str, str]], limits: Limits) -> None:
    """Refuse the jobs of `owners` (tenant, owner) that were just inserted unless there was room for every one.

    Raises what `admit` does.
    """
    if "room" not in shared:
        _refuse_overload(connection, limits)
    room = limits.pending_limit - _pending.value(connection, most=limits.pending_limit + 1)
    if room < 0:
        raise _refusal(connection, ProblemCode.QUEUE_FULL)
    most = limits.owner_pending_limit + 1
    if _most_pending.value(connection, owners_json=json.dumps(list(owners)), most=most) == most:
        raise _refusal(connection, ProblemCode.OWNER_LIMIT)
    shared["room"] = room
    for owner in owners:
        shared.pop(owner, None)  # was counted without these


def _refuse_overload(connection: Connection, limits: Limits) -> None:
    if oldest_age_seconds(connection, limits.worker_seen_seconds) > limits.oldest_age_limit_seconds:
        raise _refusal(connection, ProblemCode.QUEUE_TOO_OLD)
    if storage_bytes(connection) >= limits.storage_budget_bytes:
        raise _refusal(connection, ProblemCode.STORAGE_FULL)


def storage_bytes(connection: Connection) -> int:
    """What live results hold and running attempts have reserved, in bytes."""
    return int(_live_bytes.value(connection) or 0) + int(_reserved_bytes.value(connection))


def known_exports(connection: Connection, seen_seconds: float) -> frozenset[str]:
    """The exports that some live worker knows."""
    rows = _known_exports.rows(connection, seen_seconds=seen_seconds)
    return frozenset(name for row in rows for name in json.loads(row.exports_json))


def oldest_age_seconds(connection: Connection, seen_seconds: float) -> float:
    """How long the oldest due job that some live worker knows has been waiting; 0 without one."""
    ages = (_oldest_age.value(connection, export=name) for name in sorted(known_exports(connection, seen_seconds)))
    return max((age for age in ages if age is not None), default=0.0)


def seconds_per_job(connection: Connection) -> float | None:
    """How long it recently took until the next job ended; None without a history."""
    ages = [row[0] for row in _recent_ends.rows(connection)]
    return max(ages) / len(ages) if ages else None


def _refusal(connection: Connection, code: ProblemCode) -> RequestRefusedError:
    pace = seconds_per_job(connection)
    wait = RETRY_AFTER_UNKNOWN_SECONDS if pace is None else math.ceil(pace)
    return RequestRefusedError(code, retry_after_seconds=max(1, min(RETRY_AFTER_LIMIT_SECONDS, wait)))
