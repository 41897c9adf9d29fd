"""Two who want the same row: one holds the lock with his change made and not committed, the other waits.

The wait is proved, not assumed: the second has been held up by the lock before the first lets go of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy.engine import Connection

from outlast.database import accept, claim, dialect, jobs, locking, settle
from outlast.database.connection import Database
from outlast.database.schema import counters
from outlast.database.transition import apply
from outlast.database.writer import Batch, Write, Writer
from outlast.errors import FailureCode, LeaseLostError, ProblemCode, RequestRefusedError
from outlast.lifecycle import EXHAUST
from outlast.model import Attempt, Failure, Job, Outcome, Principal, Progress, Status
from outlast.testing.conformance.world import (
    CLAIMANT,
    LEASE_SECONDS,
    LIMITS,
    World,
    milliseconds,
    new_job,
    staged,
)

PROOF_SECONDS = 10.0


class _Second(Database):
    """Another process's view of the database, which counts how often the lock turned it away."""

    turned_away = 0

    @contextmanager
    def write(self) -> Iterator[Connection]:
        try:
            with super().write() as connection:
                yield connection
        except dialect.driver_errors() as error:
            self.turned_away += dialect.is_busy(error)
            raise


# On PostgreSQL the wait goes on inside the second's statement, and the server tells.
_WAITERS = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"


def _is_held_up(first: Connection, second: _Second) -> bool:
    if not dialect.locks_rows(first):
        return second.turned_away > 0
    return bool(first.exec_driver_sql(_WAITERS).scalar_one())


def race(
    world: World, first: Write[Any], second: Write[Any], *, first_commits: bool = True, passes_by: bool = False
) -> Future[Any]:
    """The end of `second`, which waited for the transaction of `first`.

    `passes_by`: where rows are locked singly it doesn't wait, but leaves the row to the first, and ends before him.
    """
    database = _Second(world.database.url.render_as_string(hide_password=False), world.clock)
    writer = Writer(database, queue_limit=10)
    try:
        with world.database.write() as connection:
            first.perform(connection, Batch())
            future = writer.submit(second, wait_seconds=60)
            if passes_by and dialect.locks_rows(connection):
                future.exception(timeout=PROOF_SECONDS)
            else:
                limit = time.monotonic() + PROOF_SECONDS
                while not _is_held_up(connection, database):
                    assert time.monotonic() < limit, "the second never met the lock"
                    time.sleep(0.005)
                assert not future.done()
            if first_commits:
                connection.commit()
            else:
                connection.rollback()
        future.exception(timeout=PROOF_SECONDS)
    finally:
        writer.close()
        database.close()
    return future


def complete(attempt: Attempt) -> Write[Any]:
    return settle.complete(attempt, staged(attempt), lifetime_seconds=600)


def retry(attempt: Attempt) -> Write[Any]:
    failure = Failure(FailureCode.TEMPORARILY_UNAVAILABLE)
    return settle.fail(attempt, failure, Progress(), delay_seconds=1)


def renew(attempt: Attempt) -> Write[Any]:
    return settle.renew(attempt, Progress())


def cancel(attempt: Attempt) -> Write[Any]:
    return jobs.cancel(attempt.job.id, Principal(attempt.job.owner, attempt.job.tenant))


def erase(attempt: Attempt) -> Write[Any]:
    return jobs.erase(attempt.job.id, Principal(attempt.job.owner, attempt.job.tenant))


def reclaim(_attempt: Attempt) -> Write[Any]:
    return claim.claim(CLAIMANT, 1, may_reclaim=True)


def exhaust(attempt: Attempt) -> Write[Any]:
    def perform(connection: Connection, _shared: Batch) -> Job | None:
        return apply(connection, EXHAUST, attempt.job.id)

    return Write("exhaust", attempt.job.id, perform, lambda connection: perform(connection, Batch()))


Maker = Callable[[Attempt], Write[Any]]


class TestRaces:
    """The first commit stands."""

    @pytest.mark.parametrize("settlement", [complete, retry, renew])
    @pytest.mark.parametrize("ending", [cancel, erase])
    def test_who_comes_after_the_end_settles_nothing(self, world: World, ending: Maker, settlement: Maker) -> None:
        attempt = world.attempt()
        future = race(world, ending(attempt), settlement(attempt))
        assert isinstance(future.exception(), LeaseLostError)
        assert world.job(attempt.job.id).status is Status.CANCELLED
        assert world.result_count(attempt.job.id) == 0
        [row] = world.attempts(attempt.job.id)
        assert row.outcome == Outcome.CANCELLED

    def test_a_cancellation_after_completion_is_refused(self, world: World) -> None:
        attempt = world.attempt()
        error = race(world, complete(attempt), cancel(attempt)).exception()
        assert isinstance(error, RequestRefusedError)
        assert error.code is ProblemCode.ALREADY_ENDED
        assert world.job(attempt.job.id).status is Status.SUCCEEDED
        assert world.result_count(attempt.job.id) == 1

    def test_an_erasure_after_completion_erases_the_result(self, world: World) -> None:
        attempt = world.attempt()
        erasure = race(world, complete(attempt), erase(attempt)).result()
        assert not erasure.cancelled
        job = world.job(attempt.job.id)
        assert job.status is Status.SUCCEEDED
        assert job.erased_at is not None

    def test_a_cancellation_after_a_retry_ends_the_queued_job(self, world: World) -> None:
        attempt = world.attempt()
        assert race(world, retry(attempt), cancel(attempt)).result().status is Status.CANCELLED
        [row] = world.attempts(attempt.job.id)
        assert row.outcome == Outcome.RETRIED

    @pytest.mark.parametrize("settlement", [complete, retry, renew])
    def test_who_comes_after_a_reclaim_settles_nothing(self, world: World, settlement: Maker) -> None:
        attempt = world.attempt()
        world.pass_seconds(LEASE_SECONDS)
        future = race(world, reclaim(attempt), settlement(attempt))
        assert isinstance(future.exception(), LeaseLostError)
        assert world.job(attempt.job.id).attempt_count == 2

    @pytest.mark.parametrize("settlement", [complete, retry])
    def test_a_settlement_that_waited_past_its_leases_end_is_refused(self, world: World, settlement: Maker) -> None:
        attempt = world.attempt()

        def hold_until_it_is_over(connection: Connection, _shared: Batch) -> None:
            locking.lock_job(connection, attempt.job.id)
            over = milliseconds(world.now + timedelta(seconds=LEASE_SECONDS))
            connection.execute(counters.update().where(counters.c.name == "test_clock").values(value=over))

        hold = Write(
            "hold", "hold", hold_until_it_is_over, lambda connection: hold_until_it_is_over(connection, Batch())
        )
        assert isinstance(race(world, hold, settlement(attempt)).exception(), LeaseLostError)
        assert world.job(attempt.job.id).status is Status.RUNNING

    def test_a_reclaim_after_a_renewal_finds_nothing(self, world: World) -> None:
        attempt = world.attempt()
        world.pass_seconds(LEASE_SECONDS)
        assert race(world, renew(attempt), reclaim(attempt), passes_by=True).result() == []
        assert world.complete(attempt).status is Status.SUCCEEDED

    def test_a_cancellation_after_a_reclaim_ends_the_new_attempt(self, world: World) -> None:
        attempt = world.attempt()
        world.pass_seconds(LEASE_SECONDS)
        assert race(world, reclaim(attempt), cancel(attempt)).result().status is Status.CANCELLED
        assert [row.outcome for row in world.attempts(attempt.job.id)] == [Outcome.LOST, Outcome.CANCELLED]

    def test_a_renewal_saves_a_job_from_being_exhausted(self, world: World) -> None:
        attempt = world.attempt(attempt_limit=1)
        world.pass_seconds(LEASE_SECONDS)
        assert race(world, renew(attempt), exhaust(attempt)).result() is None
        assert world.complete(attempt).status is Status.SUCCEEDED

    @pytest.mark.parametrize("first", [cancel, erase, complete])
    def test_a_first_that_rolls_back_leaves_no_trace(self, world: World, first: Maker) -> None:
        attempt = world.attempt()
        future = race(world, first(attempt), complete(attempt), first_commits=False)
        assert future.result().status is Status.SUCCEEDED

    def test_two_claims_never_take_the_same_job(self, world: World) -> None:
        world.accept()
        mine, theirs = (claim.claim(CLAIMANT, 1, may_reclaim=True) for _ in range(2))
        assert race(world, mine, theirs).result() == []

    def test_a_key_whose_holder_rolls_back_is_free(self, world: World) -> None:
        mine = accept.accept(new_job("a", id="mine"), LIMITS)
        theirs = accept.accept(new_job("a", id="theirs", request_fingerprint="v1:theirs"), LIMITS)
        accepted = race(world, mine, theirs, first_commits=False).result()
        assert (accepted.replayed, accepted.job.id) == (False, "theirs")

    def test_a_key_whose_holder_commits_is_taken(self, world: World) -> None:
        mine = accept.accept(new_job("a", id="mine"), LIMITS)
        theirs = accept.accept(new_job("a", id="theirs"), LIMITS)
        accepted = race(world, mine, theirs).result()
        assert (accepted.replayed, accepted.job.id) == (True, "mine")
