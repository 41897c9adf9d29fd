"""Every statement finds its rows by an index that fits, among many ended jobs, with statistics and without."""

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlalchemy.dialects import sqlite

from outlast.database import migrate
from outlast.database.connection import Database
from outlast.database.triggers import triggers
from tests.sql.compiled import all_statements

ENDED = 10_000
LIVE = 100

INDEXES = {
    "accept.by_key": "sqlite_autoindex_export_jobs_2 (tenant=? AND owner=? AND request_key=?)",
    "accept.spent": "sqlite_autoindex_spent_keys_1 (tenant=? AND owner=? AND request_key=?)",
    "admission.owner_pending": "ix_export_jobs_owner_due (tenant=? AND owner=?)",
    "admission.recent_ends": "ix_export_jobs_finished (finished_at>?)",
    "admission.room": "ix_export_jobs_due (export=? AND available_at<?)",
    "admission.storage_bytes": "ix_export_attempts_open",
    "chunks.read": "sqlite_autoindex_result_chunks_1 (storage_key=? AND position=?)",
    "claim.due": "ix_export_jobs_due (export=? AND available_at<?)",
    "claim.due_of_owner": "ix_export_jobs_owner_due (tenant=? AND owner=? AND export=? AND available_at<?)",
    "claim.expired": "ix_export_jobs_lease (lease_until<?)",
    "claim.held": "ix_export_attempts_open (job_id=?)",
    "claim.next_owner": "ix_export_jobs_owner_due (tenant=? AND owner>?)",
    "claim.next_tenant": "ix_export_jobs_owner_due (tenant>?)",
    "claim.running_count": "ix_export_jobs_owner_running (tenant=? AND owner=?)",
    "housekeeping.expired": "ix_export_results_expiry (expires_at<?)",
    "housekeeping.old": "ix_export_jobs_finished (finished_at>? AND finished_at<?)",
    "housekeeping.out_of_attempts": "ix_export_jobs_lease (lease_until<?)",
    "housekeeping.past_deadline": "ix_export_jobs_deadline (deadline_at<?)",
    "jobs.by_id": "sqlite_autoindex_export_jobs_1 (id=?)",
    "jobs.history": "ix_export_jobs_history (tenant=? AND owner=?)",
    "jobs.history_before": "ix_export_jobs_history (tenant=? AND owner=? AND created_at<?)",
    "jobs.statuses": "sqlite_autoindex_export_jobs_1 (id=?)",
    "transition.claim.many": "sqlite_autoindex_export_jobs_1 (id=?)",
    "transition.complete.many": "sqlite_autoindex_export_jobs_1 (id=?)",
}
"""By which index the hot statements find their rows, and by which of its columns."""

MAY_SCAN = {
    "admission.room": "counts what is queued, up to its limit, and adds up the open attempts",
    "admission.storage_bytes": "adds up the open attempts",
    "health.accepted": "counts live jobs",
    "health.attempts_ended": "counts live jobs' attempts",
    "health.queued": "counts what is queued",
    "health.running": "counts what is running",
    "inspect.list": "walks jobs from the newest on, up to its limit",
    "inspect.list_live": "walks jobs from the newest on, up to its limit",
    "tokens.listed": "lists them all",
}
MAY_SORT = {
    "admission.known_exports": "what live workers know",
    "admission.room": "what live workers know",
    "audit.of_job": "one job's entries",
    "health.attempts_ended": "an hour's attempts",
    "health.ended": "an hour's jobs",
    "health.running": "running jobs by worker",
    "health.workers": "live workers",
    "inspect.by_request": "one request's jobs",
    "inspect.list_live": "live jobs, when there are statistics",
    "transition.exhaust": "one job's attempts, when there are statistics",
    "tokens.listed": "all tokens",
}
LIVE_INDEXES = ("due", "owner_due", "lease", "owner_running", "deadline")

STATEMENTS = all_statements()


@pytest.fixture(scope="module", params=["without statistics", "with statistics"])
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """The schema with 10,000 ended jobs and a hundred that live."""
    path = tmp_path_factory.mktemp("plans") / "jobs.db"
    database = Database(f"sqlite:///{path}")
    migrate.upgrade(database)
    database.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        _fill(connection)
        if request.param == "with statistics":
            connection.execute("ANALYZE")
            connection.execute("ANALYZE sqlite_schema")
        yield connection
    shutil.rmtree(path.parent)


def _fill(connection: sqlite3.Connection) -> None:
    for trigger in triggers():
        connection.execute(f"DROP TRIGGER {trigger.name}")
    connection.execute("BEGIN")
    connection.execute(
        f"""
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {ENDED + LIVE})
        INSERT INTO export_jobs (id, tenant, owner, request_key, request_fingerprint, parameters_fingerprint, export,
            parameters_json, format, columns_json, status, created_at, available_at, deadline_at, attempt_count,
            attempt_limit, finished_at, request_id, lease_token, lease_until, worker_id)
        SELECT printf('%036d', n), 'default', n % 50, n, 'v1:' || n, 'v1:' || n, iif(n % 3, 'a', 'b'), '{{}}', 'csv',
            '[]', iif(n <= {ENDED}, 'succeeded', iif(n % 2, 'queued', 'running')), n, n, n + 100000, 1, 5,
            iif(n <= {ENDED}, n, NULL), 'r' || n, iif(n > {ENDED} AND n % 2 = 0, 't' || n, NULL),
            iif(n > {ENDED} AND n % 2 = 0, n, NULL), iif(n > {ENDED} AND n % 2 = 0, 'w', NULL)
        FROM numbers
        """  # noqa: S608 - our own numbers
    )
    connection.execute(
        """
        INSERT INTO export_attempts (job_id, number, worker_id, claimed_at, ended_at, outcome, storage_key)
        SELECT id, 1, 'w', created_at, finished_at, iif(finished_at IS NULL, NULL, 'succeeded'), id || '/1-x'
        FROM export_jobs WHERE status <> 'queued'
        """
    )
    connection.execute(
        """
        INSERT INTO export_results (job_id, storage, storage_key, content_type, filename, bytes, rows, sha256,
            created_at, expires_at)
        SELECT id, 'database', id || '/1-x', 'text/csv', 'x', 1, 1, printf('%064d', 0), finished_at, finished_at + 1000
        FROM export_jobs WHERE status = 'succeeded'
        """
    )
    connection.execute("COMMIT")


def plan_of(connection: sqlite3.Connection, name: str) -> list[str]:
    """The steps of SQLite's plan for a statement."""
    compiled = STATEMENTS[name].compile(dialect=sqlite.dialect(paramstyle="named"))
    rows = connection.execute(f"EXPLAIN QUERY PLAN {compiled}", dict.fromkeys(compiled.params))
    return [detail for _id, _parent, _unused, detail in rows]


@pytest.mark.parametrize("name", INDEXES)
def test_a_hot_statement_uses_its_index(filled: sqlite3.Connection, name: str) -> None:
    wanted = re.compile(rf"USING (COVERING )?INDEX {re.escape(INDEXES[name])}( LEFT-JOIN)?$")
    plan = plan_of(filled, name)
    assert any(wanted.search(step) for step in plan), plan


@pytest.mark.parametrize("name", STATEMENTS)
def test_no_statement_scans_a_table_or_sorts(filled: sqlite3.Connection, name: str) -> None:
    plan = plan_of(filled, name)
    scans = [step for step in plan if re.match(r"SCAN (export_|result_|spent_|workers|audit|api_)", step)]
    sorts = [step for step in plan if "TEMP B-TREE" in step]
    assert not scans or name in MAY_SCAN, plan
    assert not sorts or name in MAY_SORT, plan


def test_what_may_scan_jobs_scans_only_the_live_ones_or_stops_at_its_limit(filled: sqlite3.Connection) -> None:
    partial = "|".join(LIVE_INDEXES)
    for name in MAY_SCAN:
        for step in plan_of(filled, name):
            if step.startswith("SCAN export_jobs") and not name.startswith("inspect."):
                assert re.fullmatch(rf"SCAN export_jobs USING (COVERING )?INDEX ix_export_jobs_({partial})", step), name


def test_every_name_here_is_a_statement() -> None:
    assert set(INDEXES) | set(MAY_SCAN) | set(MAY_SORT) <= set(STATEMENTS)
