"""A lease is kept as long as it is ours, and whoever works under it hears when it isn't."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from outlast import Principal
from outlast.database import jobs
from outlast.model import Attempt, Progress
from outlast.telemetry.events import Event, LoopFailed, WriteFenced
from outlast.worker.lease import HeldLease, Renewer
from tests.support.desk import Desk, after, desk_at
from tests.support.wait import wait_until


class Holder:
    """Somebody who holds leases, and notes what he hears."""

    def __init__(self, desk: Desk) -> None:
        self.lost = threading.Event()
        self.told: list[Event] = []
        self.troubles = 0
        desk.exports.hooks.add(self.told.append)
        self.renewer = Renewer(desk.exports.writer, desk.exports.hooks, self._trouble)

    def hold(self, attempt: Attempt, lease_seconds: float) -> HeldLease:
        attempt = replace(attempt, lease=replace(attempt.lease, seconds=lease_seconds))
        return self.renewer.hold(attempt, time.monotonic(), self.lost.set)

    def _trouble(self) -> None:
        self.troubles += 1


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_at(tmp_path) as desk:
        yield desk


@pytest.fixture
def holder(desk: Desk) -> Iterator[Holder]:
    holder = Holder(desk)
    yield holder
    holder.renewer.close()


@pytest.fixture
def attempt(desk: Desk) -> Attempt:
    desk.accept()
    return desk.claim()


def test_a_lease_is_renewed_again_and_again(desk: Desk, holder: Holder, attempt: Attempt) -> None:
    holder.hold(attempt, 0.3)
    desk.pass_seconds(5)
    wait_until(lambda: lease_until(desk, attempt) == after(5.3), 5, "a renewal")
    desk.pass_seconds(40)  # past its end, and nobody has reclaimed it
    wait_until(lambda: lease_until(desk, attempt) == after(45.3), 5, "another")
    assert not holder.lost.is_set()


def test_what_is_dropped_is_renewed_no_more(desk: Desk, holder: Holder, attempt: Attempt) -> None:
    dropped, kept = holder.hold(attempt, 0.3), holder.hold(claimed(desk), 0.3)
    holder.renewer.drop(dropped)
    desk.pass_seconds(5)
    wait_until(lambda: lease_until(desk, kept.attempt) == after(5.3), 5, "the other's renewal")
    assert lease_until(desk, attempt) != after(5.3)


def test_progress_is_told_sooner_than_the_lease_needs(desk: Desk, holder: Holder, attempt: Attempt) -> None:
    held = holder.hold(attempt, 3000.0)
    held.progress = Progress(7, 70, 100)
    job = attempt.job
    wait_until(
        lambda: desk.exports.service.get(Principal(job.owner), job.id).job.progress == held.progress, 5, "progress"
    )


def test_a_cancelled_jobs_lease_is_lost_and_the_fence_is_told(desk: Desk, holder: Holder, attempt: Attempt) -> None:
    holder.hold(attempt, 0.3)
    desk.write(jobs.cancel(attempt.job.id, None))
    assert holder.lost.wait(5)
    wait_until(lambda: WriteFenced(attempt.job.id, 1, attempt.worker_id, "renew") in holder.told, 5, "the fence")


def test_a_settlement_finds_out_by_itself(desk: Desk, holder: Holder, attempt: Attempt) -> None:
    settling, other = holder.hold(attempt, 0.3), holder.hold(claimed(desk), 0.3)
    settling.settling = True
    desk.write(jobs.cancel(attempt.job.id, None))
    desk.pass_seconds(5)
    wait_until(lambda: lease_until(desk, other.attempt) == after(5.3), 5, "a renewal of both")
    desk.pass_seconds(5)
    wait_until(lambda: lease_until(desk, other.attempt) == after(10.3), 5, "another")
    assert not holder.lost.is_set()
    assert not [event for event in holder.told if isinstance(event, WriteFenced)]


def test_a_locked_database_costs_no_lease_before_its_end(desk: Desk, holder: Holder, attempt: Attempt) -> None:
    holder.hold(attempt, 3.0)
    with closing(sqlite3.connect(desk.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert not holder.lost.wait(1.5)
        other.execute("ROLLBACK")
    desk.pass_seconds(5)
    wait_until(lambda: lease_until(desk, attempt) == after(8), 5, "a renewal")


def test_a_database_that_stays_locked_costs_the_lease_at_its_end(desk: Desk, holder: Holder, attempt: Attempt) -> None:
    held = holder.hold(attempt, 0.6)
    with closing(sqlite3.connect(desk.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert holder.lost.wait(10)
        assert time.monotonic() >= held.ends_at
    assert holder.troubles > 0
    assert any(isinstance(event, LoopFailed) and event.loop == "renewer" for event in holder.told)


def claimed(desk: Desk) -> Attempt:
    desk.accept("another")
    return desk.claim()


def lease_until(desk: Desk, attempt: Attempt) -> object:
    return desk.exports.service.get(Principal(attempt.job.owner), attempt.job.id).job.lease_until
