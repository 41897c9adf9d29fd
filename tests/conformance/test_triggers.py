"""What the database refuses whatever the code does: raw SQL against each rule, generated from the table."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import product
from pathlib import Path

import pytest

from outlast.database.triggers import GUARDED, IMMUTABLE
from outlast.lifecycle import TRANSITIONS, Limit, Token, Transition
from outlast.model import ENDED, Status

LEASE = {"lease_token": "'t1'", "lease_until": "9000", "worker_id": "'w1'"}
NO_LEASE = dict.fromkeys(LEASE, "NULL")
COUNT_CHANGES = (-1, 0, 1, 2)
LIMIT_CHANGES = {
    Limit.KEPT: {},
    Limit.RAISED: {"attempt_limit": "attempt_limit + 1", "release_count": "release_count + 1"},
    Limit.RENEWED: {"attempt_limit": "attempt_limit + 2", "deadline_at": "deadline_at + 1"},
}


@pytest.fixture
def raw(database_path: Path) -> Iterator[sqlite3.Connection]:
    """The file as any tool opens it; foreign keys on."""
    with closing(sqlite3.connect(database_path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("BEGIN")
        yield connection


def insert(raw: sqlite3.Connection, table: str, **values: object) -> None:
    marks = ", ".join("?" * len(values))
    raw.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", list(values.values()))  # noqa: S608


def insert_job(raw: sqlite3.Connection, **changes: object) -> None:
    values: dict[str, object] = {
        "id": "j", "tenant": "default", "owner": "7", "request_key": "k", "request_fingerprint": "a",
        "parameters_fingerprint": "b", "export": "tasks", "parameters_json": "{}", "format": "csv",
        "columns_json": "[]", "status": "queued", "created_at": 1, "available_at": 1, "deadline_at": 9000,
        "attempt_limit": 5,
    }  # fmt: skip
    insert(raw, "export_jobs", **(values | changes))


def insert_attempt(raw: sqlite3.Connection, number: int = 1, **changes: object) -> None:
    values: dict[str, object] = {"worker_id": "w1", "claimed_at": 1, "storage_key": f"j/{number}-x"}
    insert(raw, "export_attempts", job_id="j", number=number, **(values | changes))


def insert_result(raw: sqlite3.Connection, **changes: object) -> None:
    values: dict[str, object] = {
        "job_id": "j", "storage": "database", "storage_key": "j/1-x", "content_type": "text/csv", "filename": "x",
        "bytes": 70, "rows": 1, "sha256": "0" * 64, "created_at": 1, "expires_at": 2,
    }  # fmt: skip
    insert(raw, "export_results", **(values | changes))


def update(raw: sqlite3.Connection, table: str = "export_jobs", **values: str) -> int:
    """Set columns to SQL expressions."""
    changes = ", ".join(f"{name} = {value}" for name, value in values.items())
    return raw.execute(f"UPDATE {table} SET {changes}").rowcount  # noqa: S608


def finished(status: Status) -> dict[str, str]:
    """What the CHECKs ask of a row in this status, beside the lease."""
    return {
        "status": f"'{status}'",
        "finished_at": "5" if status in ENDED else "NULL",
        "error_code": "'internal_error'" if status is Status.FAILED else "NULL",
    }


def reach(raw: sqlite3.Connection, status: Status) -> None:
    """A job in this status, by allowed updates."""
    insert_job(raw)
    if status is not Status.QUEUED:
        update(raw, status="'running'", attempt_count="1", **LEASE)
        insert_attempt(raw)
    if status is Status.SUCCEEDED:
        insert_result(raw)
    if status in ENDED:
        update(raw, **finished(status), **NO_LEASE)


@contextmanager
def refused(raw: sqlite3.Connection, reason: str) -> Iterator[None]:
    raw.execute("SAVEPOINT attempt")
    with pytest.raises(sqlite3.IntegrityError, match=reason):
        yield
    raw.execute("ROLLBACK TO attempt")


def allows(transition: Transition, old: Status, new: Status, token: Token, count: int, limit: Limit) -> bool:
    """Whether the table has this change. A new limit may also be the old one."""
    kept_is_new = transition.limit is Limit.RENEWED and limit is Limit.KEPT
    return (
        old in transition.sources
        and transition.target is new
        and transition.token is token
        and int(transition.opens) == count
        and (transition.limit is limit or kept_is_new)
    )


def tokens_from_to(old: Status, new: Status) -> dict[Token, dict[str, str]]:
    """What can happen to the lease on this way, as the CHECKs allow it."""
    if new is not Status.RUNNING:
        return {Token.CLEARED: NO_LEASE}
    fresh = {Token.FRESH: LEASE | {"lease_token": "'t2'"}}
    return fresh | ({Token.KEPT: LEASE} if old is Status.RUNNING else {})


@pytest.mark.parametrize("new", Status)
@pytest.mark.parametrize("old", Status)
def test_only_the_tables_transitions_pass(raw: sqlite3.Connection, old: Status, new: Status) -> None:
    reach(raw, old)
    if new is Status.SUCCEEDED and old is Status.RUNNING:
        insert_result(raw)
    tokens = tokens_from_to(old, new)
    passed, expected = set(), set()
    for token, count, limit in product(tokens, COUNT_CHANGES, LIMIT_CHANGES):
        change = (token, count, limit)
        if any(allows(transition, old, new, *change) for transition in TRANSITIONS):
            expected.add(change)
        raw.execute("SAVEPOINT change")
        try:
            update(
                raw, attempt_count=f"attempt_count + {count}", **finished(new), **tokens[token], **LIMIT_CHANGES[limit]
            )
            passed.add(change)
        except sqlite3.IntegrityError:
            pass
        raw.execute("ROLLBACK TO change")
    assert passed == expected


def test_nobody_else_may_take_a_kept_lease(raw: sqlite3.Connection) -> None:
    reach(raw, Status.RUNNING)
    with refused(raw, "not a transition"):
        update(raw, worker_id="'w2'")
    assert update(raw, lease_until="8000") == 1


@pytest.mark.parametrize("change", [{"release_count": "1"}, {"attempt_limit": "6"}, {"deadline_at": "9001"}])
def test_a_release_raises_limit_and_count_together_and_moves_no_deadline(
    raw: sqlite3.Connection, change: dict[str, str]
) -> None:
    reach(raw, Status.RUNNING)
    with refused(raw, "not a transition"):
        update(raw, status="'queued'", **NO_LEASE, **change)


def test_a_requeue_leaves_an_attempt_to_claim(raw: sqlite3.Connection) -> None:
    reach(raw, Status.FAILED)
    requeued = finished(Status.QUEUED)
    with refused(raw, "not a transition"):
        update(raw, **requeued, attempt_limit="1")
    with refused(raw, "not a transition"):
        update(raw, **requeued, release_count="1", attempt_limit="6")
    assert update(raw, **requeued, attempt_limit="2") == 1


@pytest.mark.parametrize("column", IMMUTABLE)
@pytest.mark.parametrize("status", Status)
def test_what_was_asked_for_never_changes(raw: sqlite3.Connection, status: Status, column: str) -> None:
    reach(raw, status)
    with refused(raw, "what was asked for never changes"):
        update(raw, **{column: "'x'"})


@pytest.mark.parametrize("column", sorted(set(GUARDED)))
@pytest.mark.parametrize("status", sorted(ENDED))
def test_an_ended_job_never_changes(raw: sqlite3.Connection, status: Status, column: str) -> None:
    reach(raw, status)
    with refused(raw, "not a transition|success needs its result"):
        update(raw, **{column: "7"})


@pytest.mark.parametrize(
    ("table", "changes", "reason"),
    [
        ("export_jobs", {"status": "'paused'"}, "status_known"),
        ("export_jobs", {"lease_token": "NULL"}, "running_has_lease"),
        ("export_jobs", {"lease_until": "NULL"}, "running_has_lease"),
        ("export_jobs", {"worker_id": "NULL"}, "running_has_lease"),
        ("export_jobs", {"finished_at": "1"}, "ended_is_finished"),
        ("export_jobs", {"error_code": "'internal_error'"}, "failed_has_code"),
        ("export_jobs", {"lease_until": "9001"}, "lease_within_deadline"),
        ("export_jobs", {"erased_at": "1"}, "erased_is_ended"),
        ("export_jobs", {"progress_rows": "-1"}, "counts_not_negative"),
        ("export_jobs", {"progress_bytes": "-1"}, "counts_not_negative"),
        ("export_jobs", {"estimated_rows": "-1"}, "counts_not_negative"),
        ("export_jobs", {"estimate_source": "'guessed'"}, "estimate_source_known"),
        ("export_attempts", {"outcome": "'lost'"}, "ended_has_outcome"),
        ("export_attempts", {"ended_at": "1"}, "ended_has_outcome"),
        ("export_attempts", {"ended_at": "1", "outcome": "'vanished'"}, "outcome_known"),
        ("export_attempts", {"reserved_bytes": "-1"}, "counts_not_negative"),
        ("export_attempts", {"storage_key": "'j/2-y'"}, "no attempt becomes another"),
        ("export_attempts", {"number": "2"}, "no attempt becomes another"),
        ("export_attempts", {"worker_id": "'w2'"}, "no attempt becomes another"),
        ("export_attempts", {"claimed_at": "2"}, "no attempt becomes another"),
    ],
)
def test_a_running_job_keeps_its_rules(
    raw: sqlite3.Connection, table: str, changes: dict[str, str], reason: str
) -> None:
    reach(raw, Status.RUNNING)
    with refused(raw, f"{reason}|not a transition"):  # the trigger speaks before the CHECKs do
        update(raw, table, **changes)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"status": "running", "lease_token": "t", "lease_until": 1, "worker_id": "w"}, "begins queued"),
        ({"status": "failed", "finished_at": 1, "error_code": "internal_error"}, "begins queued"),
        ({"attempt_count": 1}, "without attempts"),
        ({"release_count": 1}, "without attempts"),
        ({"attempt_limit": 0}, "counts_not_negative"),
        ({"request_key": ""}, "key_not_empty"),
        ({"finished_at": 1}, "ended_is_finished"),
        ({"erased_at": 1}, "erased_is_ended"),
        ({"lease_until": 1}, "running_has_lease"),
        ({"tenant": None}, "NOT NULL"),
    ],
)
def test_a_job_begins_queued_and_blank(raw: sqlite3.Connection, changes: dict[str, object], reason: str) -> None:
    with refused(raw, reason):
        insert_job(raw, **changes)


def test_a_key_makes_one_job(raw: sqlite3.Connection) -> None:
    insert_job(raw)
    with refused(raw, "UNIQUE"):
        insert_job(raw, id="another")
    insert_job(raw, id="another", tenant="other")


def test_success_needs_its_result_and_only_success_has_one(raw: sqlite3.Connection) -> None:
    reach(raw, Status.RUNNING)
    with refused(raw, "success needs its result"):
        update(raw, **finished(Status.SUCCEEDED), **NO_LEASE)
    insert_result(raw)
    for status in (Status.FAILED, Status.CANCELLED, Status.QUEUED):
        with refused(raw, "only success has one"):
            update(raw, **finished(status), **NO_LEASE)
    assert update(raw, **finished(Status.SUCCEEDED), **NO_LEASE) == 1


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.RUNNING])
def test_only_a_running_job_gets_a_result_or_an_attempt(raw: sqlite3.Connection, status: Status) -> None:
    reach(raw, status)
    with refused(raw, "a result needs a running job|UNIQUE"):
        insert_result(raw)
    with refused(raw, "an attempt is opened by its claim"):
        insert_attempt(raw, 2)


def test_an_attempt_is_the_one_that_was_claimed(raw: sqlite3.Connection) -> None:
    reach(raw, Status.RUNNING)
    with refused(raw, "an attempt is opened by its claim"):
        insert_attempt(raw, 2)
    update(raw, attempt_count="2", **LEASE | {"lease_token": "'t2'"})
    with refused(raw, "UNIQUE"):  # the first is still open
        insert_attempt(raw, 2)
    update(raw, "export_attempts", ended_at="2", outcome="'lost'")
    with refused(raw, "UNIQUE"):
        insert_attempt(raw, 2, storage_key="j/1-x")
    insert_attempt(raw, 2)


@pytest.mark.parametrize(
    "column", ["ended_at", "outcome", "error_code", "error_detail", "rows", "bytes", "lease_until"]
)
def test_an_ended_attempt_never_changes(raw: sqlite3.Connection, column: str) -> None:
    reach(raw, Status.RUNNING)
    update(raw, "export_attempts", ended_at="2", outcome="'lost'")
    with refused(raw, "an ended attempt never changes"):
        update(raw, "export_attempts", **{column: "7"})


@pytest.mark.parametrize(
    "column", ["job_id", "storage", "storage_key", "sha256", "bytes", "rows", "details_json", "warnings_json"]
)
def test_a_committed_result_never_changes(raw: sqlite3.Connection, column: str) -> None:
    reach(raw, Status.SUCCEEDED)
    with refused(raw, "a committed result never changes"):
        update(raw, "export_results", **{column: "7"})


def test_deleted_bytes_stay_deleted(raw: sqlite3.Connection) -> None:
    reach(raw, Status.SUCCEEDED)
    update(raw, "export_results", deleted_at="3")
    with refused(raw, "a committed result never changes"):
        update(raw, "export_results", deleted_at="NULL")


def test_erased_is_for_good(raw: sqlite3.Connection) -> None:
    reach(raw, Status.FAILED)
    assert update(raw, erased_at="3") == 1
    for value in ("NULL", "4"):
        with refused(raw, "erased is for good"):
            update(raw, erased_at=value)
    with refused(raw, "erased_is_ended"):
        update(raw, **finished(Status.QUEUED))


def test_a_live_job_and_its_history_are_not_deleted(raw: sqlite3.Connection) -> None:
    reach(raw, Status.RUNNING)
    with refused(raw, "only an ended job may be purged"):
        raw.execute("DELETE FROM export_jobs")
    with refused(raw, "goes only with the job"):
        raw.execute("DELETE FROM export_attempts")


def test_a_purged_job_takes_its_history_with_it(raw: sqlite3.Connection) -> None:
    reach(raw, Status.SUCCEEDED)
    with refused(raw, "goes only with the job"):
        raw.execute("DELETE FROM export_results")
    raw.execute("DELETE FROM export_jobs")
    for table in ("export_attempts", "export_results"):
        assert raw.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)  # noqa: S608


def test_live_bytes_are_counted_until_they_are_deleted_or_purged(raw: sqlite3.Connection) -> None:
    def live() -> int:
        return int(raw.execute("SELECT value FROM counters WHERE name = 'live_result_bytes'").fetchone()[0])

    reach(raw, Status.SUCCEEDED)
    assert live() == 70
    raw.execute("SAVEPOINT either")
    raw.execute("DELETE FROM export_jobs")
    assert live() == 0
    raw.execute("ROLLBACK TO either")
    update(raw, "export_results", deleted_at="3")
    assert live() == 0
    raw.execute("DELETE FROM export_jobs")
    assert live() == 0


def test_the_audit_log_is_append_only(raw: sqlite3.Connection) -> None:
    insert(
        raw, "audit_log", id="a", at=1, actor="ada", action="cancel", job_id="j", reason="why", before_json="{}",
        after_json="{}",
    )  # fmt: skip
    with refused(raw, "append-only"):
        update(raw, "audit_log", reason="'another'")
    with refused(raw, "append-only"):
        raw.execute("DELETE FROM audit_log")


def test_a_piece_of_a_result_is_bounded(raw: sqlite3.Connection) -> None:
    insert(raw, "result_chunks", storage_key="a", position=0, data=b"x" * 262_144)
    with refused(raw, "chunk_bounded"):
        insert(raw, "result_chunks", storage_key="a", position=1, data=b"x" * 262_145)
