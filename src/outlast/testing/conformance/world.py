"""A database with a clock that stands still, and the verbs of those who use it, each through the real writer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, TypeVar

import pytest
from sqlalchemy import Executable, Select
from sqlalchemy.engine import Connection

from outlast.database import accept, claim, jobs, settle
from outlast.database.admission import Limits
from outlast.database.audit import Act
from outlast.database.connection import Database
from outlast.database.new_jobs import NewJob
from outlast.database.schema import counters, export_attempts, export_jobs, export_results, workers
from outlast.database.transition import apply
from outlast.database.writer import Batch, Write, Writer
from outlast.errors import FailureCode
from outlast.lifecycle import EXHAUST
from outlast.model import Attempt, Failure, Job, Principal, Progress, StagedResult

T = TypeVar("T")

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
LEASE_SECONDS = 30.0
DEADLINE_SECONDS = 3600.0
ATTEMPT_LIMIT = 3
RELEASE_LIMIT = 2
WAIT_SECONDS = 10.0

LIMITS = Limits(
    pending_limit=1000,
    oldest_age_limit_seconds=3600.0,
    storage_budget_bytes=10**9,
    owner_pending_limit=1000,
    worker_seen_seconds=60.0,
)
CLAIMANT = claim.Claimant(
    "worker-1", ("tasks",), lease_seconds=LEASE_SECONDS, owner_running_limit=1000, reserve_bytes=1000
)

_CLOCKS = {
    "sqlite": "(SELECT value FROM counters WHERE name = 'test_clock')",
    "postgresql": "(SELECT to_timestamp(value / 1000.0) FROM outlast.counters WHERE name = 'test_clock')",
}
DETAILS: dict[str, Any] = {"columns": [{"name": "größe", "type": "integer"}], "extraction": "database", "options": {}}
"""What every staged result here says for its manifest."""


def clock_expression(backend: str) -> str:
    """The database's clock for these tests: a row of its own, in milliseconds, that moves only when it is told to."""
    return _CLOCKS[backend]


def milliseconds(instant: datetime) -> int:
    """Since the epoch."""
    return round(instant.timestamp() * 1000)


def new_job(key: str, *, owner: str = "7", export: str = "tasks", **changes: Any) -> NewJob:
    """A request, whose key is also its fingerprint and its job's id."""
    new = NewJob(
        id=f"job-{key}", tenant="default", owner=owner, request_key=key, request_fingerprint=f"v1:{key}",
        parameters_fingerprint=f"v1:p{key}", export=export, parameters_json="{}", format="csv", columns=("id", "title"),
        attempt_limit=ATTEMPT_LIMIT, deadline_seconds=DEADLINE_SECONDS,
    )  # fmt: skip
    return replace(new, **changes)


def staged(attempt: Attempt, size: int = 10) -> StagedResult:
    """A result of the attempt, as if its bytes were durable."""
    return StagedResult(
        "database", attempt.storage_key, "text/csv", "tasks.csv", bytes=size, rows=3, sha256="ab" * 32, as_of=None,
        details=DETAILS,
    )  # fmt: skip


class World:
    """Everything happens at `now`, until somebody moves it."""

    def __init__(self, database: Database) -> None:
        """Set the clock to START."""
        self.database = database
        self.clock = clock_expression(database.url.get_backend_name())
        self.writer = Writer(database, queue_limit=1000)
        self.now = START
        self._keys = count(1)
        self.change(counters.insert().values(name="test_clock", value=milliseconds(START)))

    def close(self) -> None:
        """Stop the writer; the database is its maker's to close."""
        self.writer.close()

    def set_time(self, instant: datetime) -> None:
        """Move the database's clock, forwards or backwards."""
        self.now = instant
        clock = counters.update().where(counters.c.name == "test_clock")
        self.change(clock.values(value=milliseconds(instant)))

    def pass_seconds(self, seconds: float) -> None:
        """Move the database's clock by so much."""
        self.set_time(self.now + timedelta(seconds=seconds))

    def change(self, *statements: Executable) -> None:
        """Execute the statements as they are, in one transaction."""
        with self.database.write() as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    def do(self, write: Write[T]) -> T:
        """Let the writer do it, and wait for the COMMIT."""
        return self.writer.run(write, wait_seconds=WAIT_SECONDS)

    def accept(self, key: str | None = None, *, owner: str = "7", export: str = "tasks", **changes: Any) -> Job:
        """A new job, by default under a new key."""
        new = new_job(key or f"k{next(self._keys):04}", owner=owner, export=export, **changes)
        return self.do(accept.accept(new, LIMITS)).job

    def claim(self, limit: int = 1, *, may_reclaim: bool = True, **changes: Any) -> list[Attempt]:
        """Claim as worker-1, who knows `tasks`; `changes` make him another."""
        claimant = replace(CLAIMANT, turn=claim.Turn(), **changes)
        return self.do(claim.claim(claimant, limit, may_reclaim=may_reclaim))

    def attempt(self, **changes: Any) -> Attempt:
        """The one attempt of a new job."""
        job = self.accept(**changes)
        [attempt] = self.claim(exports=(job.export,))
        assert attempt.job.id == job.id
        return attempt

    def complete(self, attempt: Attempt, size: int = 10) -> Job:
        """Commit a result of so many bytes."""
        return self.do(settle.complete(attempt, staged(attempt, size), lifetime_seconds=600))

    def fail(
        self, attempt: Attempt, code: FailureCode = FailureCode.INTERNAL_ERROR, *, delay_seconds: float = 5
    ) -> Job:
        """End the attempt with a failure: retried if the code is retryable and there is budget."""
        return self.do(settle.fail(attempt, Failure(code, "why"), Progress(1, 2), delay_seconds=delay_seconds))

    def release(self, attempt: Attempt) -> Job:
        """Give it back."""
        return self.do(settle.release(attempt, release_limit=RELEASE_LIMIT))

    def renew(self, attempt: Attempt, progress: Progress | None = None) -> Job:
        """Extend the lease."""
        return self.do(settle.renew(attempt, progress or Progress()))

    def cancel(self, job: Job) -> Job:
        """As its owner."""
        return self.do(jobs.cancel(job.id, Principal(job.owner, job.tenant)))

    def erase(self, job: Job) -> Job:
        """As its owner."""
        return self.do(jobs.erase(job.id, Principal(job.owner, job.tenant))).job

    def requeue(self, job: Job, *, further_attempts: int = 2) -> Job:
        """As an operator who saw the job as it is given here."""
        return self.do(
            jobs.requeue(
                job.id, expected_count=job.attempt_count, further_attempts=further_attempts,
                deadline_seconds=DEADLINE_SECONDS, operator=Act("ada", "the source is back"),
            )
        )  # fmt: skip

    def exhaust(self, job: Job) -> Job | None:
        """End the job if it can't be saved any more; None when it can."""

        def perform(connection: Connection, _shared: Batch) -> Job | None:
            return apply(connection, EXHAUST, job.id)

        return self.do(Write("exhaust", job.id, perform, lambda connection: perform(connection, Batch())))

    def see_worker(self, *exports: str, seen_at: datetime | None = None, stopped_at: datetime | None = None) -> None:
        """A worker who knows these exports shows itself."""
        self.change(
            workers.insert().values(
                id=f"worker-{next(self._keys)}", host="host-a", pid=1, exports_json=json.dumps(exports),
                started_at=START, seen_at=seen_at or self.now, stopped_at=stopped_at,
            )
        )  # fmt: skip

    def job(self, job_id: str) -> Job:
        """As it stands now."""
        with self.database.read() as connection:
            seen = jobs.get(connection, job_id)
        assert seen is not None
        return seen.job

    def attempts(self, job_id: str) -> list[Any]:
        """The rows of its attempts, in order."""
        query = export_attempts.select().where(export_attempts.c.job_id == job_id).order_by(export_attempts.c.number)
        return self.rows(query)

    def result_count(self, job_id: str) -> int:
        """How many results it has: one or none."""
        return len(self.rows(export_results.select().where(export_results.c.job_id == job_id)))

    def token(self, job_id: str) -> str | None:
        """The current lease's token, which no interface shows."""
        [row] = self.rows(export_jobs.select().where(export_jobs.c.id == job_id))
        token: str | None = row.lease_token
        return token

    def counter(self, name: str) -> int:
        """A maintained total."""
        [row] = self.rows(counters.select().where(counters.c.name == name))
        return int(row.value)

    def rows(self, query: Select[Any]) -> list[Any]:
        """What a query gives now."""
        with self.database.read() as connection:
            return list(connection.execute(query).all())


@pytest.fixture
def world(database: Database) -> Iterator[World]:
    """The database's users."""
    world = World(database)
    yield world
    world.close()
