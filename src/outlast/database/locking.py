"""Rows are locked before they are judged, where others write at the same time.

A statement that waits for a row's lock goes on with the time at which it began: a lease that expired meanwhile would
pass for a live one. So the lock comes first, in a statement of its own. Where a writer holds the whole database there
is nothing to lock, and nothing is asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import blake2b

from sqlalchemy import BigInteger, String, select
from sqlalchemy.engine import Connection

from outlast.database import dialect
from outlast.database.schema import export_jobs
from outlast.database.statement import Statement, param
from outlast.model import Status

_jobs = export_jobs.c
# Not the key: rows that refer to a job may be inserted meanwhile. In one order, so that no two wait for each other.
_some = select(_jobs.id).where(dialect.among(_jobs.id, param("ids_json", String))).order_by(_jobs.id)
_lock_job = Statement(
    "locking.job", select(_jobs.id).where(_jobs.id == param("job_id", String)).with_for_update(key_share=True)
)
_lock_jobs = Statement("locking.jobs", _some.with_for_update(key_share=True))
_lock_free_jobs = Statement(
    "locking.free_jobs",
    _some.where(_jobs.status == param("status", String)).with_for_update(key_share=True, skip_locked=True),
)
_lock_owner = Statement("locking.owner", select(dialect.turn_lock(param("key", BigInteger))))
_try_owner = Statement("locking.try_owner", select(dialect.free_turn_lock(param("key", BigInteger))))


def lock_job(connection: Connection, job_id: str) -> None:
    """Wait for the job's row until this transaction ends; at most as long as a statement may wait for a lock."""
    if dialect.locks_rows(connection):
        _lock_job.row(connection, job_id=job_id)


def lock_jobs(connection: Connection, job_ids: Iterable[str]) -> None:
    """As `lock_job`, for each of them."""
    if dialect.locks_rows(connection):
        _lock_jobs.rows(connection, ids_json=json.dumps(list(job_ids)))


def lock_free_jobs(connection: Connection, job_ids: Iterable[str], status: Status) -> set[str]:
    """Lock those that nobody else holds and that still have this status, and give their ids; without a wait."""
    ids = list(job_ids)
    if not ids or not dialect.locks_rows(connection):
        return set(ids)
    return {row.id for row in _lock_free_jobs.rows(connection, ids_json=json.dumps(ids), status=status.value)}


def lock_owner(connection: Connection, tenant: str, owner: str, *, wait: bool) -> bool:
    """Let nobody else claim for the owner until this transaction ends; false if somebody does and we don't wait."""
    if not dialect.locks_rows(connection):
        return True
    digest = blake2b(f"outlast owner\0{tenant}\0{owner}".encode(), digest_size=8).digest()
    key = int.from_bytes(digest, signed=True)
    if wait:
        _lock_owner.row(connection, key=key)
        return True
    return bool(_try_owner.value(connection, key=key))
