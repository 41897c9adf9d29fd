"""A database under an operator's eyes: jobs in any state, by the real writes, at times that the test chooses."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from outlast import Exports, FailureCode, Owner, Principal
from outlast.database import explain, health, inspect, jobs, migrate, settle
from outlast.database.audit import Act
from outlast.database.claim import Claimant, claim
from outlast.database.explain import Explanation
from outlast.database.health import Health
from outlast.database.transition import apply
from outlast.database.writer import Write
from outlast.lifecycle import EXHAUST
from outlast.model import Attempt, Failure, Job, Progress, StagedResult

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
CLOCK = "(SELECT value FROM counters WHERE name = 'test_clock')"
WORKER = "worker-1"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Desk:
    """The app, and the database's clock, which moves only by `pass_seconds`."""

    exports: Exports
    path: Path

    def pass_seconds(self, seconds: float) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(
                "UPDATE counters SET value = value + ? WHERE name = 'test_clock'", (round(seconds * 1000),)
            )

    def accept(self, key: str = "key-1", owner: str = "7", export: str = "tasks", note: str = "secret-value") -> Job:
        body = {"export": export, "parameters": {"note": note}}
        return self.exports.service.accept(Principal(owner), key, body).job

    def see_worker(self, worker_id: str = WORKER, *exports: str, stopped: bool = False) -> None:
        """Write the worker's row, as its incarnation does."""
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(
                "INSERT INTO workers (id, host, pid, exports_json, started_at, seen_at, stopped_at)"
                " SELECT ?, 'host-a', 4242, ?, value, value, CASE WHEN ? THEN value END"
                " FROM counters WHERE name = 'test_clock'",
                (worker_id, json.dumps(exports or ("tasks",)), stopped),
            )

    def claim(self, worker_id: str = WORKER) -> Attempt:
        claimant = Claimant(worker_id, self.exports.names, 30.0, 4, 1024)
        [attempt] = self.write(claim(claimant, 1, may_reclaim=True))
        return attempt

    def renew(self, attempt: Attempt, rows: int, count: int) -> None:
        self.write(settle.renew(attempt, Progress(rows, count)))

    def complete(self, attempt: Attempt, rows: int = 10, count: int = 41_000_000) -> Job:
        staged = StagedResult(
            "database", attempt.storage_key, "text/csv", "tasks.csv", count, rows, "ab" * 32, as_of=None
        )
        return self.write(settle.complete(attempt, staged, lifetime_seconds=3600))

    def fail(self, attempt: Attempt, code: FailureCode, detail: str = "", delay_seconds: float = 5) -> Job:
        return self.write(settle.fail(attempt, Failure(code, detail), Progress(), delay_seconds=delay_seconds))

    def release(self, attempt: Attempt) -> Job:
        return self.write(settle.release(attempt, release_limit=3))

    def exhaust(self, job_id: str) -> None:
        self.write(Write("exhaust", job_id, lambda connection, _: apply(connection, EXHAUST, job_id), lambda _: None))

    def requeue(self, job: Job, reason: str = "the disk was replaced") -> Job:
        return self.write(
            jobs.requeue(
                job.id, expected_count=job.attempt_count, further_attempts=2, deadline_seconds=3600,
                operator=Act("ada@host-a", reason),
            )
        )  # fmt: skip

    def write(self, write: Write[T]) -> T:
        return self.exports.writer.run(write, wait_seconds=5)

    def explain(self, job_id: str) -> Explanation:
        with self.exports.database.read() as connection:
            evidence = inspect.evidence(connection, job_id, worker_seen_seconds=60)
        return explain.explain(evidence, self.exports.settings)

    def health(self) -> Health:
        return health.health(self.exports.database, self.exports.settings)


@contextmanager
def desk_at(directory: Path) -> Iterator[Desk]:
    """An empty desk with the exports `tasks` and `orders`, whose clock begins at START."""
    path = directory / "jobs.db"
    exports = Exports(database_url=f"sqlite:///{path}", clock_expression=CLOCK, attempt_limit=3)

    def rows(owner: Owner, note: str = "") -> Iterator[dict[str, object]]:
        yield {"id": 1, "note": note + owner.id}

    exports.export("tasks", columns=["id", "note"])(rows)
    exports.export("orders", columns=["id", "note"])(rows)
    migrate.upgrade(exports.database)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO counters (name, value) VALUES ('test_clock', ?)", (round(START.timestamp() * 1000),)
        )
    try:
        yield Desk(exports, path)
    finally:
        exports.close()


def after(seconds: float) -> datetime:
    """So long after START."""
    return START + timedelta(seconds=seconds)
