"""Filling a database with history: ended jobs and an owner's backlog, by SQL alone, with the triggers put back after.

Every row is one that the service could have left behind: CHECKs and foreign keys hold while it is written.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from outlast.database import migrate
from outlast.database.connection import Database

CACHE_KIB = 256 * 1024
DROPPED = "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'index') AND sql IS NOT NULL"
"""All but the indexes of keys; a migration makes them again."""
NUMBERS = "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {count})"
ENDED = """
INSERT INTO export_jobs (id, tenant, owner, request_key, request_fingerprint, parameters_fingerprint, export,
    parameters_json, format, columns_json, status, created_at, available_at, deadline_at, started_at, finished_at,
    attempt_count, attempt_limit, request_id)
SELECT printf('00000000-0000-7000-8000-%012d', n), 'default', printf('owner-%d', n % 5000), printf('old-%d', n),
    printf('1:%064d', n), printf('1:%064d', n), 'nothing', '{}', 'csv', '["id"]', 'succeeded',
    :now - :count + n - 1000, :now - :count + n - 1000, :now + 86400000, :now - :count + n - 500, :now - :count + n,
    1, 5, printf('%032x', n) FROM number
"""
ATTEMPTS = """
INSERT INTO export_attempts (job_id, number, worker_id, claimed_at, ended_at, lease_until, outcome, storage_key)
SELECT id, 1, 'worker-1', started_at, finished_at, finished_at + 10000, 'succeeded', id || '/1-0' FROM export_jobs
WHERE status = 'succeeded'
"""
RESULTS = """
INSERT INTO export_results (job_id, storage, storage_key, content_type, filename, bytes, rows, sha256, created_at,
    expires_at)
SELECT id, 'database', id || '/1-0', 'text/csv', 'nothing.csv', 0, 0, printf('%064d', 0), finished_at,
    finished_at + 604800000 FROM export_jobs WHERE status = 'succeeded'
"""
PENDING = """
INSERT INTO export_jobs (id, tenant, owner, request_key, request_fingerprint, parameters_fingerprint, export,
    parameters_json, format, columns_json, status, created_at, available_at, deadline_at, attempt_limit)
SELECT printf('00000000-0000-7000-9000-%012d', n), 'default', 'busy', printf('pending-%d', n), printf('1:%064d', n),
    printf('1:%064d', n), 'nothing', '{}', 'csv', '["id"]', 'queued', :now - 60000, :now - 60000, :now + 86400000, 5
FROM number
"""


def add_ended(path: Path, count: int) -> None:
    """Add so many succeeded jobs, each with its attempt and its result, of 5,000 owners."""
    _fill(path, count, ENDED, ATTEMPTS, RESULTS)


def add_pending(path: Path, count: int) -> None:
    """Add so many due jobs of the owner `busy`, older than any other."""
    _fill(path, count, PENDING)


def _fill(path: Path, count: int, first: str, *others: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("foreign_keys=ON", "synchronous=OFF", f"cache_size=-{CACHE_KIB}", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("BEGIN IMMEDIATE")
    for kind, name in connection.execute(DROPPED).fetchall():
        connection.execute(f"DROP {kind} {name}")
    (now,) = connection.execute("SELECT unixepoch() * 1000").fetchone()
    connection.execute(
        first.replace("SELECT", f"{NUMBERS.format(count=count)} SELECT", 1), {"now": now, "count": count}
    )
    for statement in others:
        connection.execute(statement)
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    database = Database(f"sqlite:///{path}")
    migrate.upgrade(database)  # puts back what was dropped, and checks that nothing is missing
    database.close()
