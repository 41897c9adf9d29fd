"""An attempt's end lands once and is known, whatever happens between its writer and the database."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from outlast import Principal
from outlast.database import jobs
from outlast.database.writer import Write, Writer
from outlast.errors import FailureCode, OutcomeUnknownError
from outlast.model import Attempt, Failure, Job, StagedResult, Status
from outlast.telemetry.events import AttemptSettled, Event, LoopFailed, OwnershipViolated, WriteFenced
from outlast.worker.lease import HeldLease
from outlast.worker.settlement import DEFECT_LIMIT, Settlement
from tests.support.desk import Desk, desk_at

T = TypeVar("T")


class Forgetful(Writer):
    """Writes, and loses the answer of the first write."""

    forgotten = False

    def run(self, write: Write[T], *, wait_seconds: float) -> T:
        result = super().run(write, wait_seconds=wait_seconds)
        if not self.forgotten:
            self.forgotten = True
            raise OutcomeUnknownError
        return result


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_at(tmp_path) as desk:
        yield desk


@pytest.fixture
def told(desk: Desk) -> list[Event]:
    events: list[Event] = []
    desk.accept()
    desk.exports.hooks.add(events.append)
    return events


def settlement(desk: Desk, writer: Writer | None = None) -> Settlement:
    exports = desk.exports
    return Settlement(exports.settings, writer or exports.writer, exports.hooks, lambda: None)


def held(desk: Desk) -> HeldLease:
    attempt = desk.claim()
    return HeldLease(attempt, time.monotonic() + 30, 0, 0, lambda: None)


def result_of(attempt: Attempt) -> StagedResult:
    return StagedResult("database", attempt.storage_key, "text/csv", "f.csv", 1, 1, "ab" * 32, None)


def job_of(desk: Desk, lease: HeldLease) -> Job:
    return desk.exports.service.get(Principal("7"), lease.attempt.job.id).job


def kinds(told: list[Event]) -> list[type[Event]]:
    return [type(event) for event in told]


def test_a_settlement_whose_answer_was_lost_is_looked_up(desk: Desk, told: list[Event]) -> None:
    lease, writer = held(desk), Forgetful(desk.exports.database, queue_limit=10)
    assert settlement(desk, writer).complete(lease, result_of(lease.attempt), time.monotonic())
    writer.close()
    assert job_of(desk, lease).status is Status.SUCCEEDED
    assert kinds(told) == [LoopFailed, AttemptSettled]


def test_a_failure_whose_answer_was_lost_counts_once(desk: Desk, told: list[Event]) -> None:
    lease, writer = held(desk), Forgetful(desk.exports.database, queue_limit=10)
    settlement(desk, writer).fail(lease, Failure(FailureCode.WORKER_LOST), time.monotonic())
    writer.close()
    assert job_of(desk, lease).status is Status.QUEUED
    assert [attempt.outcome for attempt in desk.explain(lease.attempt.job.id).attempts] == ["retried"]
    assert kinds(told) == [LoopFailed, AttemptSettled]


def test_a_completion_waits_for_a_locked_database(desk: Desk, told: list[Event]) -> None:
    lease = held(desk)
    with closing(sqlite3.connect(desk.path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(1.5, lambda: other.execute("ROLLBACK"))
        release.start()
        assert settlement(desk).complete(lease, result_of(lease.attempt), time.monotonic())
        release.join()
    assert job_of(desk, lease).status is Status.SUCCEEDED
    assert kinds(told) == [AttemptSettled]


def test_without_the_lease_nothing_lands_and_the_fence_is_told(desk: Desk, told: list[Event]) -> None:
    lease = held(desk)
    job = lease.attempt.job
    desk.pass_seconds(31)
    settlement(desk).complete(lease, result_of(lease.attempt), time.monotonic())
    assert job_of(desk, lease).status is Status.RUNNING
    assert told == [WriteFenced(job.id, 1, lease.attempt.worker_id, "complete")]
    assert lease.lost


def test_a_completion_that_meets_a_cancellation_is_fenced(desk: Desk, told: list[Event]) -> None:
    lease = held(desk)
    desk.write(jobs.cancel(lease.attempt.job.id, None))
    settlement(desk).complete(lease, result_of(lease.attempt), time.monotonic())
    assert job_of(desk, lease).status is Status.CANCELLED
    assert kinds(told) == [WriteFenced]


def test_a_completion_that_the_database_refuses_is_given_up(desk: Desk, told: list[Event]) -> None:
    lease = held(desk)
    impossible = replace(result_of(lease.attempt), sha256="short")
    assert not settlement(desk).complete(lease, impossible, time.monotonic())
    assert told == [LoopFailed("settlement", "IntegrityError")] * DEFECT_LIMIT
    assert job_of(desk, lease).status is Status.RUNNING


def test_an_ownership_violation_raises_an_alert(desk: Desk, told: list[Event]) -> None:
    lease = held(desk)
    settlement(desk).fail(lease, Failure(FailureCode.OWNERSHIP_VIOLATION), time.monotonic())
    assert kinds(told) == [OwnershipViolated, AttemptSettled]


def test_a_refused_release_says_so(desk: Desk, told: list[Event]) -> None:
    lease = held(desk)
    assert settlement(desk).release(lease, time.monotonic())
    assert not settlement(desk).release(lease, time.monotonic())
    assert kinds(told) == [AttemptSettled, WriteFenced]
