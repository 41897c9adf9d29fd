"""Backpressure: whether there is room for another job. Everything is counted once a batch, and only up to its limit."""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Float, Integer, ScalarSelect, Select, String, cast, func, select, true
from sqlalchemy.engine import Connection

from outlast.database.dialect import items, later, member, now, records, seconds_since
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


def _queued(most: str, *conditions: ColumnElement[bool]) -> Select[Any]:
    """The queued jobs that meet the conditions, up to the parameter `most`."""
    return select(_jobs.id).where(QUEUED, *conditions).limit(param(most, Integer))


def _count(jobs: Select[Any]) -> ScalarSelect[int]:
    return select(func.count()).select_from(jobs.subquery()).scalar_subquery()


_owner_pending = Statement(
    "admission.owner_pending",
    select(_count(
        _queued("owner_most", _jobs.tenant == param("tenant", String), _jobs.owner == param("owner", String))
    )),
)  # fmt: skip

# From here on subqueries of `_room`: a batch has to know all of it, and each statement takes the writer's thread
# several turns at the interpreter.
_owner = records(param("owners_json", String)).table_valued("value")
_jobs_of_owner = _queued(
    "owner_most",
    _jobs.tenant == member(_owner.c.value, 0, String()), _jobs.owner == member(_owner.c.value, 1, String()),
).correlate(_owner)  # fmt: skip
_most_pending = select(func.max(_count(_jobs_of_owner))).select_from(_owner)
_export = items(workers.c.exports_json).table_valued("value")
_known = (
    select(_export.c.value)
    .distinct()
    .select_from(workers.join(_export, true()))
    .where(workers.c.stopped_at.is_(None), workers.c.seen_at > later(now(), -param("seen_seconds", Float)))
)
_known_names = _known.subquery()
_age_of_oldest = (
    select(seconds_since(_jobs.available_at))
    .where(QUEUED, _jobs.export == _known_names.c.value, _jobs.available_at <= now())
    .order_by(_jobs.available_at)
    .limit(1)
    .correlate(_known_names)
    .scalar_subquery()
)
_oldest_age = select(func.coalesce(func.max(_age_of_oldest), 0.0)).select_from(_known_names)
_live = select(counters.c.value).where(counters.c.name == LIVE_RESULT_BYTES)
_reserved = select(cast(func.coalesce(func.sum(export_attempts.c.reserved_bytes), 0), BigInteger)).where(
    export_attempts.c.ended_at.is_(None)
)
_storage = func.coalesce(_live.scalar_subquery(), 0) + _reserved.scalar_subquery()

_known_exports = Statement("admission.known_exports", _known)
_storage_bytes = Statement("admission.storage_bytes", select(_storage))
_room = Statement(
    "admission.room",
    select(
        _oldest_age.scalar_subquery().label("oldest_age_seconds"),
        _storage.label("storage_bytes"),
        _count(_queued("most")).label("pending"),
        _most_pending.scalar_subquery().label("owner_pending"),
    ),
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
        pending, owner_pending = _counted(connection, [(tenant, owner)], limits)
        # Our own row is among the counted.
        shared["room"] = limits.pending_limit + 1 - pending
        shared[tenant, owner] = limits.owner_pending_limit + 1 - owner_pending
    if (tenant, owner) not in shared:
        most = limits.owner_pending_limit + 1
        shared[tenant, owner] = most - _owner_pending.value(connection, tenant=tenant, owner=owner, owner_most=most)
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
    pending, owner_pending = _counted(connection, owners, limits)
    if owner_pending > limits.owner_pending_limit:
        raise _refusal(connection, ProblemCode.OWNER_LIMIT)
    if pending > limits.pending_limit:
        raise _refusal(connection, ProblemCode.QUEUE_FULL)
    shared["room"] = limits.pending_limit - pending
    for owner in owners:
        shared.pop(owner, None)  # was counted without these


def _counted(connection: Connection, owners: Collection[tuple[str, str]], limits: Limits) -> tuple[int, int]:
    """How many jobs are pending, and how many of the owner who has most; each up to its limit + 1.

    Raises RequestRefusedError: QUEUE_TOO_OLD, STORAGE_FULL.
    """
    room: Any = _room.row(
        connection, owners_json=json.dumps(list(owners)), most=limits.pending_limit + 1,
        owner_most=limits.owner_pending_limit + 1, seen_seconds=limits.worker_seen_seconds,
    )  # fmt: skip
    if room.oldest_age_seconds > limits.oldest_age_limit_seconds:
        raise _refusal(connection, ProblemCode.QUEUE_TOO_OLD)
    if room.storage_bytes >= limits.storage_budget_bytes:
        raise _refusal(connection, ProblemCode.STORAGE_FULL)
    return room.pending, room.owner_pending


def storage_bytes(connection: Connection) -> int:
    """What live results hold and running attempts have reserved, in bytes."""
    return int(_storage_bytes.value(connection))


def known_exports(connection: Connection, seen_seconds: float) -> frozenset[str]:
    """The exports that some live worker knows."""
    return frozenset(row.value for row in _known_exports.rows(connection, seen_seconds=seen_seconds))


def seconds_per_job(connection: Connection) -> float | None:
    """How long it recently took until the next job ended; None without a history."""
    ages = [row[0] for row in _recent_ends.rows(connection)]
    return max(ages) / len(ages) if ages else None


def _refusal(connection: Connection, code: ProblemCode) -> RequestRefusedError:
    pace = seconds_per_job(connection)
    wait = RETRY_AFTER_UNKNOWN_SECONDS if pace is None else math.ceil(pace)
    return RequestRefusedError(code, retry_after_seconds=max(1, min(RETRY_AFTER_LIMIT_SECONDS, wait)))
