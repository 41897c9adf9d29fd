"""Random interleavings of workers, owners, operators, clock jumps and crashes, against the real database.

Every write goes through the real writer, and any of them may lose its COMMIT or die with its process. After every step
the database is asked whether everything holds that was promised.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from outlast.boundary import BOUNDARIES, arm
from outlast.database import accept, audit, claim, housekeeping, jobs, migrate, results, settle
from outlast.database.connection import Database
from outlast.database.new_jobs import NewJob
from outlast.database.writer import Batch, Write, Writer
from outlast.errors import FailureCode, LeaseLostError, ProblemCode, RequestRefusedError
from outlast.model import Attempt, Failure, Job, Principal, Progress
from outlast.testing.conformance.world import (
    CLAIMANT,
    DEADLINE_SECONDS,
    LEASE_SECONDS,
    LIMITS,
    START,
    clock_expression,
    milliseconds,
    new_job,
    staged,
)

T = TypeVar("T")

RUNNING_LIMIT = 2
RELEASE_LIMIT = 2
RETENTION_SECONDS = 900.0
KEY_LIFETIME_SECONDS = 2700.0
MEMORY = Path("/dev/shm")  # noqa: S108 - where a COMMIT costs no disk

JUMPS = [1, 5, *[int(LEASE_SECONDS)] * 4, 900, int(DEADLINE_SECONDS), -1, -20]


@dataclass(frozen=True, slots=True)
class Settlement:
    """What the holder of a lease may do."""

    name: str
    write: Callable[[Attempt], Write[Any]]
    live: bool = True


def failure(name: str, code: FailureCode, delay_seconds: float) -> Settlement:
    return Settlement(
        name, lambda attempt: settle.fail(attempt, Failure(code), Progress(), delay_seconds=delay_seconds)
    )


SETTLEMENTS = {
    settlement.name: settlement
    for settlement in (
        Settlement("complete", lambda attempt: settle.complete(attempt, staged(attempt, 70), lifetime_seconds=600)),
        failure("fail", FailureCode.RESULT_TOO_LARGE, 0),
        failure("retry", FailureCode.TEMPORARILY_UNAVAILABLE, 5),
        failure("retry too late", FailureCode.TEMPORARILY_UNAVAILABLE, DEADLINE_SECONDS),
        Settlement("release", lambda attempt: settle.release(attempt, release_limit=RELEASE_LIMIT), live=False),
        Settlement("renew", lambda attempt: settle.renew(attempt, Progress(1, 100)), live=False),
    )
}
STEPS = [
    *SETTLEMENTS, "accept", "accept", "accept", "claim", "claim", "claim", "claim", "claim", "complete", "complete",
    "renew", "fail", "retry", "cancel", "erase", "requeue", "requeue", "stale requeue", "exhaust", "exhaust", "sweep",
    "purge", "jump", "jump", "jump", "jump", "crash while accepting", "crash while claiming", "crash while completing",
]  # fmt: skip


class Crash(BaseException):
    """The process is gone: nobody looks anything up."""


@pytest.fixture(scope="module", autouse=True)
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One migrated file, copied for every example."""
    path = tmp_path_factory.mktemp("template") / "jobs.db"
    database = Database(f"sqlite:///{path}")
    migrate.upgrade(database)
    database.close()
    Lifecycle.template = path
    yield
    arm(None)


class Lifecycle(RuleBasedStateMachine):
    template: Path

    def __init__(self) -> None:
        super().__init__()
        self.directory = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
        self.path = Path(shutil.copy(self.template, self.directory / "jobs.db"))
        self.raw = sqlite3.connect(self.path, isolation_level=None)
        self.raw.row_factory = sqlite3.Row
        self.now = START
        self.raw.execute("INSERT INTO counters VALUES ('test_clock', ?)", (milliseconds(START),))
        self.ids = 0
        self.attempts: list[Attempt] = []
        self.keys: dict[tuple[str, str], str] = {}
        self.tokens: dict[str, tuple[str, int]] = {}
        self.before: dict[str, dict[str, Any]] = {}
        self.may_change: set[str] = set()
        self.may_vanish = False
        self.start_process()
        for owner, key in (("7", "a"), ("7", "b"), ("8", "c")):
            self.accepts(owner, key, "tasks", None)

    def teardown(self) -> None:
        self.writer.close()
        self.database.close()
        self.raw.close()
        shutil.rmtree(self.directory)

    def start_process(self) -> None:
        self.database = Database(f"sqlite:///{self.path}", clock_expression("sqlite"))
        self.writer = Writer(self.database, queue_limit=10)

    def do(self, write: Write[T], moment: str | None) -> T:
        """Let the writer do it; its COMMIT may be lost, and has then to be looked up."""
        with losing(write, moment):
            return self.writer.run(write, wait_seconds=30)

    def row(self, job_id: str) -> sqlite3.Row | None:
        found: sqlite3.Row | None = self.raw.execute("SELECT * FROM export_jobs WHERE id = ?", (job_id,)).fetchone()
        return found

    def holds(self, attempt: Attempt, *, live: bool) -> bool:
        """Whether the attempt has the current lease, by the rows as they are."""
        row = self.row(attempt.job.id)
        if row is None or row["lease_token"] != attempt.lease.token:
            return False
        return not live or row["lease_until"] > milliseconds(self.now)

    # What may happen. One rule with a choice of its own: Hypothesis would leave whole rules out of a run.

    @rule(
        what=st.sampled_from(STEPS),
        which=st.sampled_from([0, 0, 0, 1, 1, 2, 2, 3, 4]),
        owner=st.sampled_from("78"),
        key=st.sampled_from("abcdef"),
        export=st.sampled_from(["tasks", "tasks", "tasks", "orders"]),
        worker=st.sampled_from(["w1", "w2", "w3"]),
        limit=st.integers(1, 3),
        seconds=st.sampled_from(JUMPS),
        moment=st.sampled_from([None, None, None, None, "before_commit", "after_commit"]),
        yes=st.sampled_from([True, True, True, False]),
    )
    def step(
        self, what: str, which: int, owner: str, key: str, export: str, worker: str, limit: int, seconds: int,
        moment: str | None, yes: bool,
    ) -> None:  # fmt: skip
        """One thing happens; `which` counts jobs and attempts from the newest, and `moment` loses a COMMIT."""
        attempt = self.attempts[-1 - which % len(self.attempts)] if self.attempts else None
        job_id = f"job-{1 + which % self.ids}"
        if what == "accept":
            self.accepts(owner, key, export, moment)
        elif what == "claim" or attempt is None:
            self.claims(worker, limit, yes, moment)
        elif what in SETTLEMENTS:
            self.settles(attempt, SETTLEMENTS[what], moment)
        elif what == "jump":
            self.clock_jumps(seconds)
        elif what in {"exhaust", "sweep", "purge"}:
            self.keeps_house(what, yes, moment)
        elif what == "crash while accepting":
            self.crashes_while_accepting(owner, key, yes)
        elif what == "crash while claiming":
            self.crash(claim.claim(claimant(worker), limit, may_reclaim=True), committed=yes)
        elif what == "crash while completing":
            self.crashes_while_completing(attempt, yes)
        else:
            self.intervenes(attempt.job.id if yes else job_id, what, moment)

    def accepts(self, owner: str, key: str, export: str, moment: str | None) -> None:
        known = self.keys.get((owner, key), "")
        if self.row(known) is None and self.is_spent(owner, key):
            with pytest.raises(RequestRefusedError) as refused:
                self.do(accept.accept(self.request(owner, key, export), LIMITS), moment)
            assert refused.value.code is ProblemCode.KEY_SPENT
            return
        new = self.request(owner, key, export)
        was_there = self.row(known) is not None
        accepted = self.do(accept.accept(new, LIMITS), moment)
        assert (accepted.replayed, accepted.job.id) == (was_there, known if was_there else new.id), "not the key's job"
        self.keys[owner, key] = accepted.job.id

    def is_spent(self, owner: str, key: str) -> bool:
        query = "SELECT 1 FROM spent_keys WHERE owner = ? AND request_key = ? AND keep_until > ?"
        return self.raw.execute(query, (owner, key, milliseconds(self.now))).fetchone() is not None

    def request(self, owner: str, key: str, export: str) -> NewJob:
        self.ids += 1
        fingerprint = f"v1:{owner}{key}"
        return new_job(
            key, owner=owner, export=export, id=f"job-{self.ids}", request_fingerprint=fingerprint,
            parameters_fingerprint=fingerprint, attempt_limit=3,
        )  # fmt: skip

    def claims(self, worker: str, limit: int, may_reclaim: bool, moment: str | None) -> None:
        taken = self.do(claim.claim(claimant(worker), limit, may_reclaim=may_reclaim), moment)
        for attempt in taken:
            assert attempt.job.export == "tasks", "an unknown export was claimed"
            assert self.holds(attempt, live=True)
        self.attempts += taken

    def settles(self, attempt: Attempt, how: Settlement, moment: str | None) -> None:
        """It succeeds exactly when the attempt has the lease; whatever is lost on the way."""
        expected = self.holds(attempt, live=how.live)
        if how.name == "release":
            row = self.row(attempt.job.id)
            expected = expected and row is not None and row["release_count"] < RELEASE_LIMIT
        try:
            self.do(how.write(attempt), moment)
        except LeaseLostError:
            assert not expected, "the current lease's holder was turned away"
        else:
            assert expected, "somebody settled without the current lease"

    def intervenes(self, job_id: str, how: str, moment: str | None) -> None:
        """An owner or an operator; refused exactly when the job's state forbids it."""
        row = self.row(job_id)
        owner = Principal("nobody" if row is None else row["owner"])
        if how == "cancel":
            write: Write[Any] = jobs.cancel(job_id, owner)
            expected = row is not None and row["finished_at"] is None
        elif how == "erase":
            write = jobs.erase(job_id, owner)
            expected = row is not None
        else:
            count = 0 if row is None else row["attempt_count"] + (how == "stale requeue")
            write = requeue(job_id, count)
            expected = row is not None and (row["status"], row["erased_at"], how) == ("failed", None, "requeue")
            self.may_change.add(job_id)
        try:
            self.do(write, moment)
        except RequestRefusedError:
            assert not expected
        else:
            assert expected

    def keeps_house(self, what: str, may_reclaim: bool, moment: str | None) -> None:
        if what == "exhaust":
            query = "SELECT id FROM export_jobs WHERE lease_until > ?"
            live = {row["id"] for row in self.raw.execute(query, (milliseconds(self.now),))}
            ended = self.do(housekeeping.exhaust(may_reclaim=may_reclaim), moment)
            assert not live & {one.job.id for one in ended}, "a job was exhausted while its lease lived"
        elif what == "sweep":
            with self.database.read() as connection:
                gone = [row.job_id for row in housekeeping.expired(connection, grace_seconds=0)]
            for job_id in gone:
                self.do(results.mark_deleted(job_id), moment)
        else:
            self.may_vanish = True
            self.do(
                housekeeping.purge(retention_seconds=RETENTION_SECONDS, key_lifetime_seconds=KEY_LIFETIME_SECONDS),
                moment,
            )

    def clock_jumps(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)
        self.raw.execute("UPDATE counters SET value = ? WHERE name = 'test_clock'", (milliseconds(self.now),))

    def crashes_while_accepting(self, owner: str, key: str, committed: bool) -> None:
        new = self.request(owner, key, "tasks")
        taken = self.row(self.keys.get((owner, key), "")) is not None or self.is_spent(owner, key)
        self.crash(accept.accept(new, LIMITS), committed=committed)
        made = self.row(new.id) is not None
        assert made == (committed and not taken)
        if made:
            self.keys[owner, key] = new.id

    def crashes_while_completing(self, attempt: Attempt, committed: bool) -> None:
        expected = committed and self.holds(attempt, live=True)
        was_there = self.has_result(attempt.job.id)
        self.crash(SETTLEMENTS["complete"].write(attempt), committed=committed)
        assert self.has_result(attempt.job.id) == (was_there or expected)

    def has_result(self, job_id: str) -> bool:
        return self.raw.execute("SELECT 1 FROM export_results WHERE job_id = ?", (job_id,)).fetchone() is not None

    def crash(self, write: Write[Any], *, committed: bool) -> None:
        """The process dies in the middle of a transaction, or as soon as it was committed; another one starts."""
        with suppress(Crash, LeaseLostError, RequestRefusedError), self.database.write() as connection:
            write.perform(connection, Batch())
            if committed:
                connection.commit()
            die()
        self.writer.close()
        self.database.close()
        self.start_process()

    # What holds after every step

    @invariant()
    def everything_that_was_promised(self) -> None:
        for what, query in NEVER.items():
            found = self.raw.execute(query).fetchall()
            assert not found, f"{what}: {[tuple(row) for row in found]}"
        after = {row["id"]: dict(row) for row in self.raw.execute("SELECT * FROM export_jobs")}
        for job_id, was in self.before.items():
            self.check_change(job_id, was, after.get(job_id))
        for job_id, row in after.items():
            if row["lease_token"] is not None:
                claimed = (job_id, row["attempt_count"])
                assert self.tokens.setdefault(row["lease_token"], claimed) == claimed, "a token was used again"
        self.before, self.may_change, self.may_vanish = after, set(), False

    def check_change(self, job_id: str, was: dict[str, Any], now: dict[str, Any] | None) -> None:
        if now is None:
            assert self.may_vanish
            assert was["finished_at"] is not None, "a live job vanished"
            return
        assert now["attempt_count"] - was["attempt_count"] in {0, 1}, "the attempt number does not rise by one"
        if was["finished_at"] is not None and job_id not in self.may_change:
            assert now | {"erased_at": None} == was | {"erased_at": None}, "an ended job changed"
        if was["erased_at"] is not None:
            assert now == was, "an erased job changed"


NEVER = {
    "succeeded without a result, or a result without success": """
        SELECT id, status FROM export_jobs LEFT JOIN export_results ON job_id = id
        WHERE (status = 'succeeded') <> (job_id IS NOT NULL)""",
    "running without exactly its open attempt": """
        SELECT id, status, attempt_count FROM export_jobs WHERE (status = 'running') <> EXISTS (
            SELECT 1 FROM export_attempts WHERE job_id = id AND ended_at IS NULL AND number = attempt_count)""",
    "an open attempt too many": """
        SELECT job_id FROM export_attempts WHERE ended_at IS NULL GROUP BY job_id HAVING count(*) > 1""",
    "attempt numbers that are not 1 to the count": """
        SELECT id, attempt_count FROM export_jobs WHERE attempt_count <> (
            SELECT count(*) FROM export_attempts WHERE job_id = id AND number BETWEEN 1 AND attempt_count)
        OR EXISTS (SELECT 1 FROM export_attempts WHERE job_id = id AND number > attempt_count)""",
    "more running jobs of an owner than allowed": f"""
        SELECT owner, count(*) FROM export_jobs WHERE status = 'running' GROUP BY owner
        HAVING count(*) > {RUNNING_LIMIT}""",  # noqa: S608 - our own number
    "live bytes that were counted wrongly": """
        SELECT value FROM counters WHERE name = 'live_result_bytes' AND value <> (
            SELECT coalesce(sum(bytes), 0) FROM export_results WHERE deleted_at IS NULL)""",
    "a result that points to another attempt than the one that succeeded": """
        SELECT r.job_id FROM export_results AS r WHERE NOT EXISTS (
            SELECT 1 FROM export_attempts AS a
            WHERE a.job_id = r.job_id AND a.storage_key = r.storage_key AND a.outcome = 'succeeded')""",
    "history without its job": """
        SELECT job_id FROM export_attempts WHERE job_id NOT IN (SELECT id FROM export_jobs)
        UNION ALL SELECT job_id FROM export_results WHERE job_id NOT IN (SELECT id FROM export_jobs)""",
}


def claimant(worker: str) -> claim.Claimant:
    return replace(CLAIMANT, worker_id=worker, owner_running_limit=RUNNING_LIMIT, turn=claim.Turn())


def requeue(job_id: str, expected_count: int) -> Write[Job]:
    return jobs.requeue(
        job_id, expected_count=expected_count, further_attempts=1, deadline_seconds=DEADLINE_SECONDS,
        operator=audit.Act("ada", "why"),
    )  # fmt: skip


def die() -> NoReturn:
    raise Crash


@contextmanager
def losing(write: Write[Any], moment: str | None) -> Iterator[None]:
    """The write's COMMIT fails for its sender, before or after it was done, where a boundary allows it."""
    name = f"{write.name}.{moment}"
    if moment is None or name not in BOUNDARIES:
        yield
        return

    def fault(passed: str) -> None:
        if passed == name:
            arm(None)
            raise OSError("injected")

    arm(fault)
    try:
        yield
    finally:
        arm(None)


TestLifecycle = pytest.mark.timeout(900)(Lifecycle.TestCase)  # a failure takes minutes to shrink
TestLifecycle.settings = settings(stateful_step_count=60)
