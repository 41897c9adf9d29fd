"""What has to go: jobs past saving, bytes that nobody wants, old jobs, spent keys. Each in small transactions.

Every function is harmless when it is repeated, and when several processes call it at once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Float, Integer, String, and_, delete, exists, select, tuple_
from sqlalchemy.engine import Connection

from outlast.database.dialect import among, insert_or_ignore, later, now
from outlast.database.schema import LIVE, RUNNING, export_attempts, export_jobs, export_results, spent_keys
from outlast.database.statement import Row, Statement, param
from outlast.database.transition import GUARDS, apply
from outlast.database.writer import Batch, Write
from outlast.lifecycle import EXHAUST, Guard
from outlast.model import Job, Status

BATCH = 100
"""How many rows one transaction moves or deletes."""

_jobs, _attempts, _results, _spent = export_jobs.c, export_attempts.c, export_results.c, spent_keys.c
_owner_key = (_jobs.tenant, _jobs.owner, _jobs.request_key)
_spent_key = (_spent.tenant, _spent.owner, _spent.request_key)
_listed = among(_jobs.id, param("ids_json", String))

_past_deadline = Statement(
    "housekeeping.past_deadline",
    select(_jobs.id, _jobs.status)
    .where(LIVE, _jobs.deadline_at <= now(), GUARDS[Guard.NO_LIVE_LEASE])
    .order_by(_jobs.deadline_at)
    .limit(param("most", Integer)),
)
_out_of_attempts = Statement(
    "housekeeping.out_of_attempts",
    select(_jobs.id, _jobs.status)
    .where(RUNNING, GUARDS[Guard.LEASE_EXPIRED], _jobs.attempt_count >= _jobs.attempt_limit)
    .order_by(_jobs.lease_until)
    .limit(param("most", Integer)),
)
_staged = Statement(
    "housekeeping.staged",
    select(
        _attempts.storage_key, _attempts.job_id, _attempts.ended_at, _jobs.erased_at, _results.storage,
        _results.deleted_at, (_attempts.ended_at <= later(now(), -param("grace_seconds", Float))).label("grace_over"),
    )
    .join_from(export_attempts, export_jobs, _jobs.id == _attempts.job_id)
    .outerjoin(export_results, and_(_results.job_id == _jobs.id, _results.storage_key == _attempts.storage_key))
    .where(among(_attempts.storage_key, param("keys_json", String))),
)  # fmt: skip
_expired = Statement(
    "housekeeping.expired",
    select(_results.job_id, _results.storage, _results.storage_key)
    .where(_results.deleted_at.is_(None), _results.expires_at <= later(now(), -param("grace_seconds", Float)))
    .order_by(_results.expires_at)
    .limit(param("most", Integer)),
)
_old = Statement(
    "housekeeping.old",
    select(_jobs.id)
    .where(
        _jobs.finished_at.is_not(None),
        _jobs.finished_at <= later(now(), -param("retention_seconds", Float)),
        ~exists(select(_results.job_id).where(_results.job_id == _jobs.id, _results.deleted_at.is_(None))),
    )
    .order_by(_jobs.finished_at)
    .limit(param("most", Integer)),
)
_spend_anew = Statement(
    "housekeeping.spend_anew",
    delete(spent_keys).where(tuple_(*_spent_key).in_(select(*_owner_key).where(_listed))),
)
_keep_until = later(_jobs.created_at, param("key_lifetime_seconds", Float))
_spend = Statement(
    "housekeeping.spend",
    insert_or_ignore(spent_keys, "tenant", "owner", "request_key").from_select(
        ["tenant", "owner", "request_key", "request_fingerprint", "parameters_fingerprint", "keep_until"],
        select(*_owner_key, _jobs.request_fingerprint, _jobs.parameters_fingerprint, _keep_until).where(
            _listed, _keep_until > now()
        ),
    ),
)
_purge = Statement("housekeeping.purge", delete(export_jobs).where(_listed))
_outlived = (
    select(*_spent_key).where(_spent.keep_until <= now()).order_by(_spent.keep_until).limit(param("most", Integer))
)
_any_outlived = Statement("housekeeping.any_outlived", _outlived)
_forget_keys = Statement("housekeeping.forget_keys", delete(spent_keys).where(tuple_(*_spent_key).in_(_outlived)))


@dataclass(frozen=True, slots=True)
class Exhausted:
    """A job that was ended, and whether it ran until then."""

    job: Job
    was_running: bool


class Fate(StrEnum):
    """What is to become of the bytes under a key."""

    KEEP = "keep"
    ORPHAN = "orphan"
    ERASED = "erased"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The fate of a key's bytes; `job_id` where the job's result has to be marked as deleted afterwards."""

    fate: Fate
    job_id: str | None = None


def past_saving(connection: Connection, *, may_reclaim: bool) -> list[tuple[str, bool]]:
    """Jobs past their deadline, and if `may_reclaim` those whose last attempt's lease has expired; and which run."""
    rows = _past_deadline.rows(connection, most=BATCH)
    if may_reclaim:
        rows += _out_of_attempts.rows(connection, most=BATCH)
    return [(row.id, row.status == Status.RUNNING) for row in rows]


def exhaust(*, may_reclaim: bool) -> Write[list[Exhausted]]:
    """End the next jobs that are past saving, of exports known or not."""

    def perform(connection: Connection, _shared: Batch) -> list[Exhausted]:
        found = past_saving(connection, may_reclaim=may_reclaim)
        ended = ((apply(connection, EXHAUST, job_id), running) for job_id, running in dict(found).items())
        return [Exhausted(job, running) for job, running in ended if job is not None]

    return Write("exhaust", "exhaust", perform, lambda connection: perform(connection, Batch()))


def verdicts(connection: Connection, storage: str, keys: Sequence[str], *, grace_seconds: float) -> dict[str, Verdict]:
    """What is to become of each of these keys that `storage` has bytes under.

    Kept are an open attempt's bytes and a committed result's, and for a grace those of any attempt that has ended. An
    orphan stays one without a lock: an ended attempt never changes, and only an open one's key can become a result's.
    The keys must have been listed before this is asked: an attempt's row is older than its first byte, so that a key
    without one belongs to a purged job.
    """
    found = _staged.rows(connection, keys_json=json.dumps(keys), grace_seconds=grace_seconds)
    rows = {row.storage_key: row for row in found}
    return {key: _verdict(rows.get(key), storage) for key in keys}


def _verdict(row: Row | None, storage: str) -> Verdict:
    if row is None:
        return Verdict(Fate.ORPHAN)
    if row.ended_at is None:
        return Verdict(Fate.KEEP)
    if row.storage == storage and row.deleted_at is None:
        return Verdict(Fate.KEEP) if row.erased_at is None else Verdict(Fate.ERASED, row.job_id)
    return Verdict(Fate.ORPHAN if row.grace_over else Fate.KEEP)


def expired(connection: Connection, *, grace_seconds: float) -> list[Row]:
    """The next results whose lifetime ended longer ago than the grace: job_id, storage, storage_key."""
    return _expired.rows(connection, grace_seconds=grace_seconds, most=BATCH)


def old_jobs(connection: Connection, *, retention_seconds: float) -> list[str]:
    """The next ended jobs that are old enough to go, and whose bytes are gone."""
    return [row.id for row in _old.rows(connection, retention_seconds=retention_seconds, most=BATCH)]


def purge(*, retention_seconds: float, key_lifetime_seconds: float) -> Write[int]:
    """Delete the next old jobs, and keep their keys as long as was published."""

    def perform(connection: Connection, _shared: Batch) -> int:
        ids_json = json.dumps(old_jobs(connection, retention_seconds=retention_seconds))
        _spend_anew.count(connection, ids_json=ids_json)
        _spend.count(connection, ids_json=ids_json, key_lifetime_seconds=key_lifetime_seconds)
        return _purge.count(connection, ids_json=ids_json)

    return Write("purge", "purge", perform, lambda connection: perform(connection, Batch()))


def outlived_keys(connection: Connection) -> int:
    """How many spent keys the next `forget_keys` would delete."""
    return len(_any_outlived.rows(connection, most=BATCH))


def forget_keys() -> Write[int]:
    """Delete the next spent keys whose published lifetime has ended."""

    def perform(connection: Connection, _shared: Batch) -> int:
        return _forget_keys.count(connection, most=BATCH)

    return Write("purge", "purge", perform, lambda connection: perform(connection, Batch()))
