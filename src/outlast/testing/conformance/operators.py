"""Cancel, erase, requeue and exhaust: what ends or reopens a job from outside."""

from __future__ import annotations

from typing import Any

import pytest

from outlast.database import audit, jobs
from outlast.database.writer import Write
from outlast.errors import FailureCode, LeaseLostError, ProblemCode, RequestRefusedError
from outlast.model import Outcome, Principal, Status
from outlast.testing.conformance.world import DEADLINE_SECONDS, LEASE_SECONDS, START, World


class TestOperators:
    def test_a_queued_job_is_cancelled_at_once(self, world: World) -> None:
        job = world.cancel(world.accept())
        assert (job.status, job.finished_at) == (Status.CANCELLED, START)
        assert world.claim() == []

    def test_a_running_job_is_cancelled_and_its_worker_fenced_off(self, world: World) -> None:
        attempt = world.attempt()
        job = world.cancel(attempt.job)
        assert (job.status, world.token(job.id)) == (Status.CANCELLED, None)
        [row] = world.attempts(job.id)
        assert (row.outcome, row.ended_at) == (Outcome.CANCELLED, START)
        with pytest.raises(LeaseLostError):
            world.renew(attempt)

    def test_an_ended_job_is_not_cancelled(self, world: World) -> None:
        job = world.complete(world.attempt())
        with pytest.raises(RequestRefusedError) as refused:
            world.cancel(job)
        assert refused.value.code is ProblemCode.ALREADY_ENDED

    @pytest.mark.parametrize("stranger", [Principal("8"), Principal("7", tenant="other")])
    def test_somebody_elses_job_is_not_there(self, world: World, stranger: Principal) -> None:
        job = world.accept()
        writes: list[Write[Any]] = [jobs.cancel(job.id, stranger), jobs.erase(job.id, stranger)]
        for write in [*writes, jobs.cancel("nobody's", stranger)]:
            with pytest.raises(RequestRefusedError) as refused:
                world.do(write)
            assert (refused.value.code, refused.value.detail) == (ProblemCode.NOT_FOUND, None)
        assert world.job(job.id).status is Status.QUEUED

    def test_erasing_a_live_job_cancels_it(self, world: World) -> None:
        attempt = world.attempt()
        erased = world.erase(attempt.job)
        assert (erased.status, erased.erased_at) == (Status.CANCELLED, START)
        with pytest.raises(LeaseLostError):
            world.complete(attempt)

    def test_erasing_again_changes_nothing(self, world: World) -> None:
        job = world.complete(world.attempt())
        erased = world.erase(job)
        world.pass_seconds(5)
        assert world.erase(job) == erased
        assert (erased.status, erased.erased_at) == (Status.SUCCEEDED, START)

    def test_a_requeued_job_has_a_new_limit_and_deadline(self, world: World) -> None:
        failed = world.fail(world.attempt(), FailureCode.RESULT_TOO_LARGE)
        world.pass_seconds(100)
        job = world.requeue(failed, further_attempts=1)
        assert (job.status, job.error_code, job.finished_at) == (Status.QUEUED, None, None)
        assert (job.attempt_count, job.attempt_limit) == (1, 2)
        assert (job.deadline_at - world.now).total_seconds() == DEADLINE_SECONDS
        [attempt] = world.claim()
        assert attempt.number == 2

    def test_requeueing_twice_is_harmless_and_written_down_once(self, world: World) -> None:
        failed = world.fail(world.attempt(), FailureCode.RESULT_TOO_LARGE)
        world.requeue(failed)
        with pytest.raises(RequestRefusedError) as refused:
            world.requeue(failed)
        assert refused.value.code is ProblemCode.STATE_CHANGED
        again = world.fail(world.claim()[0], FailureCode.RESULT_TOO_LARGE)
        with pytest.raises(RequestRefusedError) as refused:
            world.requeue(failed)
        assert refused.value.code is ProblemCode.STATE_CHANGED
        assert world.job(failed.id) == again
        with world.database.read() as connection:
            [entry] = audit.of_job(connection, failed.id)
        assert (entry.actor, entry.action, entry.reason) == ("ada", "requeue", "the source is back")

    def test_an_erased_job_is_not_requeued(self, world: World) -> None:
        failed = world.fail(world.attempt(), FailureCode.RESULT_TOO_LARGE)
        world.erase(failed)
        with pytest.raises(RequestRefusedError) as refused:
            world.requeue(failed)
        assert refused.value.code is ProblemCode.STATE_CHANGED

    def test_nothing_is_exhausted_while_a_lease_lives(self, world: World) -> None:
        attempt = world.attempt(attempt_limit=1)
        assert world.exhaust(attempt.job) is None
        world.pass_seconds(LEASE_SECONDS - 0.001)
        assert world.exhaust(attempt.job) is None
        assert world.complete(attempt).status is Status.SUCCEEDED

    @pytest.mark.parametrize("export", ["tasks", "nobody_knows"])
    def test_a_deadline_ends_a_job_that_waits(self, world: World, export: str) -> None:
        job = world.accept(export=export)
        world.pass_seconds(DEADLINE_SECONDS - 0.001)
        assert world.exhaust(job) is None
        world.pass_seconds(0.001)
        ended = world.exhaust(job)
        assert ended is not None
        assert (ended.status, ended.error_code) == (Status.FAILED, FailureCode.DEADLINE_EXCEEDED)

    def test_a_deadline_ends_a_job_whose_worker_was_lost(self, world: World) -> None:
        attempt = world.attempt()
        world.pass_seconds(DEADLINE_SECONDS)
        ended = world.exhaust(attempt.job)
        assert ended is not None
        assert ended.error_code is FailureCode.DEADLINE_EXCEEDED
        [row] = world.attempts(ended.id)
        assert (row.outcome, row.error_code, row.lease_until) == (
            Outcome.LOST, "worker_lost", attempt.lease.until,
        )  # fmt: skip

    def test_what_can_be_saved_is_not_exhausted(self, world: World) -> None:
        attempt = world.attempt()
        world.pass_seconds(LEASE_SECONDS)
        assert world.exhaust(attempt.job) is None
        assert len(world.claim()) == 1

    def test_an_operators_cancellation_is_written_down(self, world: World) -> None:
        job = world.accept()
        world.do(jobs.cancel(job.id, None, operator=audit.Act("ada", "asked by phone")))
        with world.database.read() as connection:
            [entry] = audit.of_job(connection, job.id)
        assert (entry.action, entry.actor, entry.reason) == ("cancel", "ada", "asked by phone")
