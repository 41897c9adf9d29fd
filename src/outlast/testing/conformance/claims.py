"""Who gets which job, and in what order."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from outlast.database import claim
from outlast.errors import FailureCode
from outlast.model import Outcome, Status
from outlast.testing.conformance.world import ATTEMPT_LIMIT, CLAIMANT, LEASE_SECONDS, START, World

MANY = claim.PAGE + 4
"""More due jobs of one owner than a claim of one looks at."""


class TestClaims:
    def test_a_claim_opens_the_attempt_under_a_fresh_lease(self, world: World) -> None:
        job = world.accept()
        [attempt] = world.claim(reserve_bytes=77)
        assert (attempt.number, attempt.job.status, attempt.job.started_at) == (1, Status.RUNNING, START)
        assert attempt.lease.until == START + timedelta(seconds=LEASE_SECONDS)
        assert attempt.storage_key.startswith(f"{job.id}/1-")
        [row] = world.attempts(job.id)
        assert (row.number, row.worker_id, row.claimed_at, row.ended_at) == (1, "worker-1", START, None)
        assert (row.storage_key, row.reserved_bytes) == (attempt.storage_key, 77)

    def test_tokens_are_never_used_again(self, world: World) -> None:
        tokens = {world.attempt().lease.token for _ in range(5)}
        attempt = world.attempt(attempt_limit=3)
        for _ in range(2):
            world.release(attempt)
            [attempt] = world.claim()
            tokens.add(attempt.lease.token)
        assert len(tokens) == 7
        assert min(len(token) for token in tokens) >= 32

    def test_the_oldest_due_job_comes_first_whatever_its_export(self, world: World) -> None:
        expected = []
        for number, export in enumerate(["orders", "tasks", "orders", "tasks"]):
            expected.append(world.accept(f"{number}", export=export).id)
            world.pass_seconds(1)
        attempts = world.claim(4, exports=("tasks", "orders"))
        assert [attempt.job.id for attempt in attempts] == expected

    def test_a_claim_takes_no_more_than_it_asked_for(self, world: World) -> None:
        for _ in range(5):
            world.accept()
        assert len(world.claim(3)) == 3
        assert len(world.claim(3)) == 2
        assert world.claim(3) == []

    def test_what_is_not_due_waits(self, world: World) -> None:
        job = world.accept()
        world.set_time(START - timedelta(seconds=1))
        assert world.claim() == []
        world.set_time(START)
        assert [attempt.job.id for attempt in world.claim()] == [job.id]

    def test_an_unknown_export_is_never_claimed_nor_reclaimed(self, world: World) -> None:
        job = world.accept(export="orders")
        assert world.claim(10) == []
        [attempt] = world.claim(exports=("orders",))
        world.pass_seconds(LEASE_SECONDS)
        assert world.claim(10) == []
        assert world.job(job.id).status is Status.RUNNING
        world.renew(attempt)

    def test_expired_leases_of_unknown_exports_stand_in_nobodys_way(self, world: World) -> None:
        for _ in range(MANY):
            world.accept(export="orders")
        world.claim(MANY, exports=("orders",))
        world.pass_seconds(1)
        mine = world.attempt()
        world.pass_seconds(LEASE_SECONDS)
        [again] = world.claim(1)
        assert (again.job.id, again.number) == (mine.job.id, 2)

    def test_an_owner_gets_no_more_than_his_running_limit(self, world: World) -> None:
        for owner in ("7", "7", "7", "8"):
            world.accept(owner=owner)
        claimed = world.claim(10, owner_running_limit=2)
        assert sorted(attempt.job.owner for attempt in claimed) == ["7", "7", "8"]
        assert world.claim(10, owner_running_limit=2) == []
        world.complete(next(attempt for attempt in claimed if attempt.job.owner == "7"))
        assert [attempt.job.owner for attempt in world.claim(10, owner_running_limit=2)] == ["7"]

    def test_the_same_owner_in_another_tenant_is_another(self, world: World) -> None:
        for tenant in ("red", "red", "blue"):
            world.accept(tenant=tenant)
        claimed = world.claim(10, owner_running_limit=1)
        assert sorted(attempt.job.tenant for attempt in claimed) == ["blue", "red"]

    def test_a_reclaim_is_exempt_from_the_running_limit(self, world: World) -> None:
        first = world.attempt(owner="7")
        world.accept(owner="7")
        world.pass_seconds(LEASE_SECONDS)
        [attempt] = world.claim(10, owner_running_limit=1)
        assert (attempt.job.id, attempt.number) == (first.job.id, 2)

    def test_others_are_served_behind_the_backlog_of_an_owner_at_his_limit(self, world: World) -> None:
        for _ in range(MANY):
            world.accept(owner="7")
        for owner in ("1", "8", "9"):
            world.accept(owner=owner)
        [attempt] = world.claim(owner_running_limit=1)
        assert attempt.job.owner == "7"
        served = [world.claim(owner_running_limit=1)[0].job.owner for _ in range(3)]
        assert sorted(served) == ["1", "8", "9"]
        assert world.claim(owner_running_limit=1) == []

    def test_behind_a_backlog_the_owners_take_turns(self, world: World) -> None:
        for _ in range(MANY):
            world.accept(owner="5")
        world.claim(owner_running_limit=1)
        for owner in ("1", "8"):
            for _ in range(4):
                world.accept(owner=owner)
        worker = replace(CLAIMANT, owner_running_limit=1, turn=claim.Turn())
        served = []
        for _ in range(6):
            [attempt] = world.do(claim.claim(worker, 1, may_reclaim=True))
            served.append(attempt.job.owner)
            world.complete(attempt)
        assert sorted(served[:2]) == sorted(served[2:4]) == sorted(served[4:]) == ["1", "8"]

    def test_a_lost_attempt_is_closed_as_the_next_one_opens(self, world: World) -> None:
        first = world.attempt()
        world.pass_seconds(LEASE_SECONDS)
        [second] = world.claim(worker_id="worker-2")
        lost, opened = world.attempts(first.job.id)
        assert (lost.outcome, lost.error_code, lost.ended_at) == (Outcome.LOST, "worker_lost", world.now)
        assert lost.lease_until == first.lease.until
        assert (opened.number, opened.worker_id, opened.ended_at) == (2, "worker-2", None)
        assert second.lease.token != first.lease.token

    def test_who_may_not_reclaim_does_not(self, world: World) -> None:
        world.attempt()
        world.pass_seconds(LEASE_SECONDS)
        assert world.claim(may_reclaim=False) == []

    def test_a_live_lease_is_not_reclaimed(self, world: World) -> None:
        world.attempt()
        world.pass_seconds(LEASE_SECONDS - 0.001)
        assert world.claim() == []

    def test_a_poison_job_is_claimed_no_more_often_than_allowed(self, world: World) -> None:
        attempt = world.attempt()
        for number in range(2, ATTEMPT_LIMIT + 1):
            world.pass_seconds(LEASE_SECONDS)
            [attempt] = world.claim()
            assert attempt.number == number
        world.pass_seconds(LEASE_SECONDS)
        assert world.claim() == []
        ended = world.exhaust(attempt.job)
        assert ended is not None
        assert (ended.status, ended.error_code) == (Status.FAILED, FailureCode.WORKER_LOST)
        assert [row.outcome for row in world.attempts(attempt.job.id)] == [Outcome.LOST] * ATTEMPT_LIMIT

    def test_looking_for_work_tells_whether_a_claim_would_find_some(self, world: World) -> None:
        def looks(*, may_reclaim: bool = True) -> bool:
            with world.database.read() as connection:
                return claim.claimable(connection, CLAIMANT, may_reclaim=may_reclaim)

        assert not looks()
        world.accept(export="orders")
        assert not looks()
        world.attempt()
        assert not looks()
        world.pass_seconds(LEASE_SECONDS)
        assert looks()
        assert not looks(may_reclaim=False)
        world.accept()
        assert looks(may_reclaim=False)
