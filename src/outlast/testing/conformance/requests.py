"""Acceptance: one job for each key, and only while there is room."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from outlast.database import accept
from outlast.database.new_jobs import NewJob
from outlast.database.schema import export_jobs, spent_keys
from outlast.errors import FailureCode, ProblemCode, RequestRefusedError
from outlast.model import Status
from outlast.testing.conformance.world import DEADLINE_SECONDS, LIMITS, START, World, new_job


def refusal(world: World, new: NewJob, **limits: Any) -> RequestRefusedError:
    with pytest.raises(RequestRefusedError) as refused:
        world.do(accept.accept(new, replace(LIMITS, **limits)))
    return refused.value


def together(world: World, *jobs: NewJob, **limits: Any) -> list[accept.Accepted | ProblemCode]:
    """Send all of them in one batch; tell what each was answered."""
    with world.database.write() as connection:  # holds the writer back
        writes = [accept.accept(new, replace(LIMITS, **limits)) for new in jobs]
        futures = [world.writer.submit(write, wait_seconds=10) for write in writes]
        connection.rollback()
    errors = [future.exception() for future in futures]
    return [
        error.code if isinstance(error, RequestRefusedError) else future.result()
        for error, future in zip(errors, futures, strict=True)
    ]


def job_count(world: World) -> int:
    return len(world.rows(export_jobs.select()))


class TestRequests:
    def test_a_new_key_makes_a_job(self, world: World) -> None:
        accepted = world.do(accept.accept(new_job("a"), LIMITS))
        assert not accepted.replayed
        job = accepted.job
        assert (job.status, job.created_at, job.attempt_count) == (Status.QUEUED, START, 0)
        assert job.deadline_at == START + timedelta(seconds=DEADLINE_SECONDS)

    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {"parameters_fingerprint": "v1:a default was added"},
            {"request_fingerprint": "v1:the body was reordered"},
        ],
    )
    def test_either_fingerprint_brings_the_original_job_back(self, world: World, changes: dict[str, Any]) -> None:
        first = world.accept("a")
        replayed = world.do(accept.accept(new_job("a", **changes, id="another"), LIMITS))
        assert (replayed.replayed, replayed.job) == (True, first)
        assert job_count(world) == 1

    def test_another_request_under_the_key_is_refused(self, world: World) -> None:
        world.accept("a")
        other = new_job("a", request_fingerprint="v1:x", parameters_fingerprint="v1:y")
        assert refusal(world, other).code is ProblemCode.KEY_CONFLICT
        assert job_count(world) == 1

    def test_a_key_belongs_to_its_owner_and_tenant(self, world: World) -> None:
        jobs = [
            world.accept("a", owner=owner, tenant=tenant, id=f"{owner}{tenant}")
            for owner in ("7", "8")
            for tenant in ("red", "blue")
        ]
        assert len({job.id for job in jobs}) == 4

    def test_a_replay_is_answered_whatever_became_of_the_job(self, world: World) -> None:
        job = world.fail(world.attempt(key="a"), FailureCode.RESULT_TOO_LARGE)
        replayed = world.do(accept.accept(new_job("a"), LIMITS))
        assert (replayed.replayed, replayed.job) == (True, job)

    def test_fifty_at_once_make_one_job(self, world: World) -> None:
        writes = [accept.accept(new_job("a", id=f"job-{number}"), LIMITS) for number in range(50)]
        futures = [world.writer.submit(write, wait_seconds=10) for write in writes]
        accepted = [future.result() for future in futures]
        assert len({one.job.id for one in accepted}) == 1
        assert [one.replayed for one in accepted].count(False) == 1
        assert job_count(world) == 1

    def test_a_batch_of_new_requests_makes_each_job_as_it_is_answered(
        self, world: World, caplog: pytest.LogCaptureFixture
    ) -> None:
        jobs = [
            new_job(
                "a", owner="7", columns=("id", "title"), parameters_json='{"quote":"\\" \'ä\'"}', request_id="request-1"
            ),
            new_job("b", owner="8", tenant="other", deadline_seconds=0.0015, trace_context="00-1-2-00"),
            new_job("c", owner="7", regenerated_from="another", attempt_limit=2),
        ]
        answers = together(world, *jobs)
        assert [answer.job for answer in answers if not isinstance(answer, ProblemCode)] == [
            world.job(new.id) for new in jobs
        ]
        assert not caplog.records  # as there would be, had they failed together
        alone = world.do(accept.accept(replace(jobs[0], id="alone", request_key="alone"), LIMITS)).job
        assert replace(alone, id="a", request_key="a") == replace(world.job(jobs[0].id), id="a", request_key="a")

    def test_in_a_batch_each_request_is_answered_by_itself(self, world: World) -> None:
        first = world.accept("a")
        spent = new_job("spent")
        world.change(
            spent_keys.insert().values(
                tenant=spent.tenant, owner=spent.owner, request_key=spent.request_key,
                request_fingerprint=spent.request_fingerprint, parameters_fingerprint=spent.parameters_fingerprint,
                keep_until=START + timedelta(seconds=60),
            )
        )  # fmt: skip
        other = new_job("a", id="other", request_fingerprint="v1:x", parameters_fingerprint="v1:y")
        new, replayed, refused, gone = together(world, new_job("b"), new_job("a", id="again"), other, spent)
        assert isinstance(new, accept.Accepted)
        assert not new.replayed
        assert replayed == accept.Accepted(first, replayed=True)
        assert (refused, gone) == (ProblemCode.KEY_CONFLICT, ProblemCode.KEY_SPENT)
        assert job_count(world) == 2

    def test_the_key_of_a_purged_job_stays_spent_for_its_lifetime(self, world: World) -> None:
        new = new_job("a")
        world.change(
            spent_keys.insert().values(
                tenant=new.tenant, owner=new.owner, request_key=new.request_key,
                request_fingerprint=new.request_fingerprint, parameters_fingerprint=new.parameters_fingerprint,
                keep_until=START + timedelta(seconds=60),
            )
        )  # fmt: skip
        assert refusal(world, new).code is ProblemCode.KEY_SPENT
        other = new_job("a", request_fingerprint="v1:x", parameters_fingerprint="v1:y")
        assert refusal(world, other).code is ProblemCode.KEY_CONFLICT
        assert refusal(world, new_job("a", parameters_fingerprint="v1:y")).code is ProblemCode.KEY_SPENT
        assert job_count(world) == 0
        world.pass_seconds(60)
        assert world.accept("a").status is Status.QUEUED


class TestLimits:
    def test_a_full_queue_refuses_and_says_when_to_come_back(self, world: World) -> None:
        for owner in ("7", "8"):
            world.accept(owner=owner)
        refused = refusal(world, new_job("x", owner="9"), pending_limit=2)
        assert refused.code is ProblemCode.QUEUE_FULL
        assert refused.retry_after_seconds is not None
        assert refused.retry_after_seconds >= 1
        world.claim()
        world.do(accept.accept(new_job("x", owner="9"), replace(LIMITS, pending_limit=2)))

    def test_a_batch_is_counted_once_and_exactly(self, world: World) -> None:
        jobs = [new_job(f"{owner}{number}", owner=owner) for owner in ("7", "8") for number in range(5)]
        answers = together(world, *jobs, pending_limit=5, owner_pending_limit=3)
        codes = [answer if isinstance(answer, ProblemCode) else None for answer in answers]
        assert codes.count(None) == job_count(world) == 5
        assert codes[:5] == [None] * 3 + [ProblemCode.OWNER_LIMIT] * 2
        assert codes[5:] == [None] * 2 + [ProblemCode.QUEUE_FULL] * 3

    def test_an_owner_at_his_limit_is_refused_alone(self, world: World) -> None:
        world.accept(owner="7")
        assert refusal(world, new_job("x", owner="7"), owner_pending_limit=1).code is ProblemCode.OWNER_LIMIT
        world.do(accept.accept(new_job("x", owner="8"), replace(LIMITS, owner_pending_limit=1)))
        world.do(
            accept.accept(new_job("x", id="other", owner="7", tenant="other"), replace(LIMITS, owner_pending_limit=1))
        )

    def test_work_that_waits_too_long_refuses_only_if_some_live_worker_knows_it(self, world: World) -> None:
        world.accept()
        world.pass_seconds(11)
        late = {"oldest_age_limit_seconds": 10.0}
        world.see_worker("orders")
        world.see_worker("tasks", seen_at=START - timedelta(seconds=60))
        world.see_worker("tasks", stopped_at=world.now)
        world.do(accept.accept(new_job("x"), replace(LIMITS, oldest_age_limit_seconds=10.0)))
        world.see_worker("tasks", "orders")
        assert refusal(world, new_job("y"), **late).code is ProblemCode.QUEUE_TOO_OLD
        world.claim()
        world.do(accept.accept(new_job("y"), replace(LIMITS, oldest_age_limit_seconds=10.0)))

    def test_results_and_running_attempts_use_the_storage_up(self, world: World) -> None:
        world.complete(world.attempt(), size=600)
        attempt = world.attempt()  # reserves 1000
        assert refusal(world, new_job("x"), storage_budget_bytes=1600).code is ProblemCode.STORAGE_FULL
        world.do(accept.accept(new_job("x"), replace(LIMITS, storage_budget_bytes=1601)))
        world.complete(attempt, size=10)
        world.do(accept.accept(new_job("y"), replace(LIMITS, storage_budget_bytes=611)))

    def test_a_replay_is_answered_over_every_limit(self, world: World) -> None:
        job = world.accept("a")
        world.complete(world.claim()[0], size=10)
        world.accept("b")
        world.see_worker("tasks")
        world.pass_seconds(10)
        full = replace(
            LIMITS, pending_limit=1, owner_pending_limit=1, storage_budget_bytes=1, oldest_age_limit_seconds=1.0
        )
        for key in ("a", "b"):
            assert world.do(accept.accept(new_job(key), full)).replayed
        assert world.job(job.id).status is Status.SUCCEEDED

    def test_the_wait_follows_from_the_recent_pace_within_bounds(self, world: World) -> None:
        world.accept("waits", export="orders")

        def told() -> int | None:
            return refusal(world, new_job("x"), pending_limit=1).retry_after_seconds

        assert told() == 30
        for _ in range(2):
            world.complete(world.attempt())
        world.pass_seconds(40)
        assert told() == 20
        world.pass_seconds(100_000)
        assert told() == 300
