"""Leases, and what ends an attempt."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from outlast.database import accept, chunks, jobs, settle
from outlast.errors import FailureCode, LeaseLostError
from outlast.model import Attempt, Job, Outcome, Progress, Status
from outlast.testing.conformance.world import (
    DEADLINE_SECONDS,
    DETAILS,
    LEASE_SECONDS,
    LIMITS,
    RELEASE_LIMIT,
    START,
    World,
    new_job,
    staged,
)

SETTLEMENTS = ["complete", "fail", "retry", "release", "renew"]


def settle_by(world: World, how: str, attempt: Attempt) -> Job:
    if how == "fail":
        return world.fail(attempt, FailureCode.RESULT_TOO_LARGE)
    if how == "retry":
        return world.fail(attempt, FailureCode.TEMPORARILY_UNAVAILABLE)
    job: Job = getattr(world, how)(attempt)
    return job


class TestLeases:
    """Only the current lease's holder settles; the database's clock judges the lease."""

    @pytest.mark.parametrize("how", SETTLEMENTS)
    def test_after_a_reclaim_the_old_token_settles_nothing(self, world: World, how: str) -> None:
        old = world.attempt()
        world.pass_seconds(LEASE_SECONDS)
        [new] = world.claim(worker_id="worker-2")
        assert (new.job.id, new.number) == (old.job.id, 2)
        before = world.job(old.job.id), world.attempts(old.job.id)
        with pytest.raises(LeaseLostError):
            settle_by(world, how, old)
        assert (world.job(old.job.id), world.attempts(old.job.id)) == before
        assert world.result_count(old.job.id) == 0
        assert world.complete(new).status is Status.SUCCEEDED

    @pytest.mark.parametrize("how", ["complete", "fail", "retry"])
    def test_an_expired_lease_settles_nothing_until_it_is_renewed(self, world: World, how: str) -> None:
        attempt = world.attempt()
        world.pass_seconds(LEASE_SECONDS)
        with pytest.raises(LeaseLostError):
            settle_by(world, how, attempt)
        assert world.job(attempt.job.id).status is Status.RUNNING
        world.renew(attempt)
        assert settle_by(world, how, attempt).status is not Status.RUNNING

    def test_an_expired_lease_may_be_given_back(self, world: World) -> None:
        attempt = world.attempt()
        world.pass_seconds(LEASE_SECONDS)
        assert world.release(attempt).status is Status.QUEUED

    @pytest.mark.parametrize("how", SETTLEMENTS)
    def test_an_ended_job_is_settled_no_more(self, world: World, how: str) -> None:
        attempt = world.attempt()
        ended = world.complete(attempt)
        with pytest.raises(LeaseLostError):
            settle_by(world, how, attempt)
        assert world.job(attempt.job.id).status is ended.status
        assert world.result_count(attempt.job.id) == 1

    def test_a_renewal_extends_the_lease_by_its_length_from_now(self, world: World) -> None:
        attempt = world.attempt()
        world.pass_seconds(20)
        job = world.renew(attempt, Progress(5, 600, 9, "planner"))
        assert job.lease_until == START + timedelta(seconds=20 + LEASE_SECONDS)
        assert job.progress == Progress(5, 600, 9, "planner")

    @pytest.mark.parametrize("rows", [9, 10])
    def test_an_estimate_that_was_reached_is_dropped(self, world: World, rows: int) -> None:
        attempt = world.attempt()
        world.renew(attempt, Progress(8, 600, 9, "counted"))
        assert world.renew(attempt, Progress(rows, 700, 9, "counted")).progress == Progress(rows, 700)

    def test_where_nothing_is_estimated_nobody_estimates(self, world: World) -> None:
        attempt = world.attempt()
        assert world.renew(attempt, Progress(5, 600, None, "planner")).progress == Progress(5, 600)

    def test_a_success_has_no_estimate(self, world: World) -> None:
        attempt = world.attempt()
        world.renew(attempt, Progress(1, 5, 9, "counted"))
        world.complete(attempt)
        assert world.job(attempt.job.id).progress == Progress(3, 10)

    def test_the_next_attempt_begins_without_an_estimate(self, world: World) -> None:
        attempt = world.attempt()
        world.renew(attempt, Progress(5, 600, 9, "planner"))
        world.pass_seconds(LEASE_SECONDS)
        [after] = world.claim()
        assert after.job.progress == Progress()

    def test_a_committed_result_is_read_back_as_it_was_staged(self, world: World) -> None:
        attempt = world.attempt()
        world.complete(attempt)
        with world.database.read() as connection:
            seen = jobs.get(connection, attempt.job.id)
        assert seen is not None
        assert seen.job.result is not None
        assert (seen.job.result.rows, seen.job.result.details) == (3, DETAILS)

    def test_no_lease_outlives_the_deadline(self, world: World) -> None:
        attempt = world.attempt(deadline_seconds=40.0)
        deadline = START + timedelta(seconds=40)
        assert attempt.lease.until == START + timedelta(seconds=LEASE_SECONDS)
        world.pass_seconds(20)
        assert world.renew(attempt).lease_until == deadline
        world.pass_seconds(20)
        assert world.renew(attempt).lease_until == deadline
        with pytest.raises(LeaseLostError):
            world.complete(attempt)
        assert world.claim() == []

    def test_a_clock_that_steps_back_breaks_no_fence(self, world: World) -> None:
        old = world.attempt()
        world.pass_seconds(LEASE_SECONDS)
        [new] = world.claim()
        world.set_time(START)
        with pytest.raises(LeaseLostError):
            world.complete(old)
        assert world.complete(new).status is Status.SUCCEEDED

    def test_the_holder_is_told_whether_he_still_holds_it(self, world: World) -> None:
        attempt = world.attempt()
        with world.database.read() as connection:
            assert settle.holds_lease(connection, attempt)
        world.pass_seconds(LEASE_SECONDS)
        with world.database.read() as connection:
            assert not settle.holds_lease(connection, attempt)

    def test_bytes_are_staged_only_while_the_lease_lives(self, world: World) -> None:
        attempt = world.attempt()
        world.do(chunks.stage_chunk(attempt, 0, b"first"))
        world.pass_seconds(LEASE_SECONDS)
        with pytest.raises(LeaseLostError):
            world.do(chunks.stage_chunk(attempt, 1, b"late"))
        with world.database.read() as connection:
            assert chunks.read_chunk(connection, attempt.storage_key, 0) == b"first"
            assert chunks.read_chunk(connection, attempt.storage_key, 1) is None

    def test_a_renewal_reserves_what_was_written(self, world: World) -> None:
        attempt = world.attempt()
        world.renew(attempt, Progress(rows=1, bytes=5000))
        [row] = world.attempts(attempt.job.id)
        assert (row.rows, row.bytes, row.reserved_bytes) == (1, 5000, 5000)


class TestSettling:
    """What each settlement leaves behind."""

    def test_success_comes_with_its_result_and_its_bytes_are_counted(self, world: World) -> None:
        attempt = world.attempt()
        job = world.complete(attempt, size=70)
        assert (job.status, job.finished_at, job.worker_id, job.lease_until) == (
            Status.SUCCEEDED, START, None, None,
        )  # fmt: skip
        result = world.job(job.id).result
        assert result is not None
        assert (result.bytes, result.storage_key) == (70, attempt.storage_key)
        assert result.expires_at == START + timedelta(seconds=600)
        [row] = world.attempts(job.id)
        assert (row.outcome, row.ended_at, row.rows, row.bytes) == (Outcome.SUCCEEDED, START, 3, 70)
        assert world.counter("live_result_bytes") == 70
        assert world.token(job.id) is None

    def test_a_retryable_failure_waits_for_its_backoff(self, world: World) -> None:
        attempt = world.attempt()
        job = world.fail(attempt, FailureCode.TEMPORARILY_UNAVAILABLE, delay_seconds=5)
        assert (job.status, job.error_code) == (Status.QUEUED, None)
        [row] = world.attempts(job.id)
        assert (row.outcome, row.error_code, row.error_detail) == (Outcome.RETRIED, "temporarily_unavailable", "why")
        world.pass_seconds(4.999)
        assert world.claim() == []
        world.pass_seconds(0.001)
        [again] = world.claim()
        assert again.number == 2
        assert again.storage_key != attempt.storage_key

    def test_a_retry_past_the_deadline_fails_now(self, world: World) -> None:
        attempt = world.attempt()
        job = world.fail(attempt, FailureCode.TEMPORARILY_UNAVAILABLE, delay_seconds=DEADLINE_SECONDS)
        assert (job.status, job.error_code) == (Status.FAILED, FailureCode.TEMPORARILY_UNAVAILABLE)

    def test_a_used_budget_fails_now(self, world: World) -> None:
        attempt = world.attempt(attempt_limit=1)
        job = world.fail(attempt, FailureCode.TEMPORARILY_UNAVAILABLE)
        assert (job.status, job.error_detail) == (Status.FAILED, "why")
        [row] = world.attempts(job.id)
        assert row.outcome == Outcome.FAILED

    def test_a_permanent_failure_spends_no_further_attempt(self, world: World) -> None:
        attempt = world.attempt()
        job = world.fail(attempt, FailureCode.RESULT_TOO_LARGE)
        assert (job.status, job.error_code, job.attempt_count) == (Status.FAILED, FailureCode.RESULT_TOO_LARGE, 1)
        assert world.claim() == []

    def test_every_code_has_its_own_fate(self, world: World) -> None:
        for code in FailureCode:
            job = world.fail(world.attempt(), code, delay_seconds=1000)
            assert job.status is (Status.QUEUED if code.retryable else Status.FAILED), code

    def test_a_release_costs_no_attempt_but_only_so_often(self, world: World) -> None:
        attempt = world.attempt(attempt_limit=1)
        for released in range(1, RELEASE_LIMIT + 1):
            job = world.release(attempt)
            assert (job.status, job.available_at) == (Status.QUEUED, START)
            assert (job.attempt_limit, job.release_count) == (1 + released, released)
            [attempt] = world.claim()
            assert attempt.number == 1 + released
        with pytest.raises(LeaseLostError):
            world.release(attempt)
        assert world.job(attempt.job.id).status is Status.RUNNING
        outcomes = [row.outcome for row in world.attempts(attempt.job.id)]
        assert outcomes == [Outcome.RELEASED] * RELEASE_LIMIT + [None]


class TestBatches:
    """What is made at once is what would have been made one by one."""

    def test_completions_that_meet_in_a_batch(self, world: World) -> None:
        for _ in range(4):
            world.accept()
        attempts = world.claim(4)
        assert [attempt.number for attempt in attempts] == [1] * 4
        with world.database.write() as connection:  # holds the writer back, so that all of it is one batch
            futures = [
                world.writer.submit(
                    settle.complete(attempt, staged(attempt, size), lifetime_seconds=600), wait_seconds=9
                )
                for size, attempt in enumerate(attempts, 70)
            ]
            connection.rollback()
        for size, (attempt, future) in enumerate(zip(attempts, futures, strict=True), 70):
            job = future.result()
            read = world.job(attempt.job.id)
            assert read == replace(job, result=read.result)
            assert read.result is not None
            assert (read.status, read.result.bytes, read.result.storage_key) == (
                Status.SUCCEEDED, size, attempt.storage_key,
            )  # fmt: skip
            [row] = world.attempts(job.id)
            assert (row.outcome, row.rows, row.bytes) == (Outcome.SUCCEEDED, 3, size)
        assert world.counter("live_result_bytes") == 70 + 71 + 72 + 73

    def test_one_lost_lease_in_a_batch_costs_the_others_nothing(self, world: World) -> None:
        for _ in range(3):
            world.accept()
        attempts = world.claim(3)
        world.cancel(attempts[1].job)
        with world.database.write() as connection:
            futures = [
                world.writer.submit(settle.complete(attempt, staged(attempt), lifetime_seconds=600), wait_seconds=9)
                for attempt in [*attempts, attempts[0]]
            ]
            connection.rollback()
        ends = [type(future.exception()) for future in futures]
        assert ends == [type(None), LeaseLostError, type(None), LeaseLostError]
        assert [world.result_count(attempt.job.id) for attempt in attempts] == [1, 0, 1]

    def test_what_is_asked_for_arrives_as_it_was_sent(self, world: World) -> None:
        """Jobs go into the database by two ways, alone and in a batch; both keep every character."""
        odd = "a\"b\\c'd\n\t\u00e9\u4f60\U0001f600{}[]%?:x"
        changes: dict[str, Any] = {
            "parameters_json": json.dumps({"note": odd}, ensure_ascii=False), "columns": (odd, "title"),
            "request_id": odd, "trace_context": odd, "regenerated_from": odd, "deadline_seconds": 12.3456,
        }  # fmt: skip
        alone = world.do(accept.accept(new_job("alone", **changes), LIMITS)).job
        with world.database.write() as connection:
            futures = [
                world.writer.submit(accept.accept(new_job(key, **changes), LIMITS), wait_seconds=9) for key in "ab"
            ]
            connection.rollback()
        for future in futures:
            job = future.result().job
            assert job == world.job(job.id)
            assert replace(job, id=alone.id, request_key=alone.request_key) == alone
