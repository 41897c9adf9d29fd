"""The COMMIT whose outcome the sender never learned: whatever it was, every write ends up done exactly once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy.engine import Connection
from sqlalchemy.exc import OperationalError

from outlast.database import accept, audit, chunks, claim, jobs, settle
from outlast.database.schema import export_attempts, export_jobs, export_results, result_chunks
from outlast.database.writer import Batch, Write
from outlast.errors import FailureCode, LeaseLostError, RequestRefusedError
from outlast.model import Failure, Outcome, Principal, Progress, Status
from outlast.testing.conformance.world import CLAIMANT, DEADLINE_SECONDS, LIMITS, RELEASE_LIMIT, World, new_job, staged

OWNER = Principal("7")


@dataclass(frozen=True, slots=True)
class Deed:
    """A write, and what is true of its result and of the world once it was done exactly once."""

    write: Write[Any]
    done: Callable[[Any], bool]


def _accept(world: World) -> Deed:
    new = new_job("a")
    return Deed(
        accept.accept(new, LIMITS),
        lambda result: not result.replayed and result.job.id == new.id and len(world.rows(export_jobs.select())) == 1,
    )


def _replay(world: World) -> Deed:
    job = world.accept("a")
    write = accept.accept(new_job("a", id="another"), LIMITS)
    return Deed(write, lambda result: result.replayed and result.job == job)


def _complete(world: World) -> Deed:
    attempt = world.attempt()
    return Deed(
        settle.complete(attempt, staged(attempt, 70), lifetime_seconds=600),
        lambda result: (
            result.status is Status.SUCCEEDED
            and len(world.rows(export_results.select())) == 1
            and world.counter("live_result_bytes") == 70
        ),
    )


def _retry(world: World) -> Deed:
    attempt = world.attempt()
    failure = Failure(FailureCode.TEMPORARILY_UNAVAILABLE)
    return Deed(
        settle.fail(attempt, failure, Progress(), delay_seconds=5),
        lambda result: result.status is Status.QUEUED and _outcomes(world) == [Outcome.RETRIED],
    )


def _fail(world: World) -> Deed:
    attempt = world.attempt()
    return Deed(
        settle.fail(attempt, Failure(FailureCode.RESULT_TOO_LARGE), Progress(), delay_seconds=5),
        lambda result: result.status is Status.FAILED and _outcomes(world) == [Outcome.FAILED],
    )


def _release(world: World) -> Deed:
    attempt = world.attempt()
    return Deed(
        settle.release(attempt, release_limit=RELEASE_LIMIT),
        lambda result: (result.status, result.release_count, _outcomes(world)) == (
            Status.QUEUED, 1, [Outcome.RELEASED],
        ),
    )  # fmt: skip


def _renew(world: World) -> Deed:
    attempt = world.attempt()
    world.pass_seconds(5)
    return Deed(
        settle.renew(attempt, Progress(4, 50)),
        lambda result: result.lease_until > attempt.lease.until and result.progress == Progress(4, 50),
    )


def _stage(world: World) -> Deed:
    attempt = world.attempt()
    return Deed(chunks.stage_chunk(attempt, 0, b"bytes"), lambda _result: len(world.rows(result_chunks.select())) == 1)


def _cancel(world: World) -> Deed:
    job = world.accept()
    return Deed(jobs.cancel(job.id, OWNER), lambda result: result.status is Status.CANCELLED)


def _cancel_by_operator(world: World) -> Deed:
    job = world.accept()
    return Deed(
        jobs.cancel(job.id, None, operator=audit.Act("ada", "asked by phone")),
        lambda result: result.status is Status.CANCELLED and _audited(world, job.id) == ["cancel"],
    )


def _erase(world: World) -> Deed:
    attempt = world.attempt()
    return Deed(
        jobs.erase(attempt.job.id, OWNER),
        lambda result: result.job.erased_at is not None and _outcomes(world) == [Outcome.CANCELLED],
    )


def _requeue(world: World) -> Deed:
    job = world.fail(world.attempt(), FailureCode.RESULT_TOO_LARGE)
    return Deed(
        jobs.requeue(
            job.id, expected_count=1, further_attempts=2, deadline_seconds=DEADLINE_SECONDS,
            operator=audit.Act("ada", "the source is back"),
        ),
        lambda result: (result.status, result.attempt_limit, _audited(world, job.id)) == (
            Status.QUEUED, 3, ["requeue"],
        ),
    )  # fmt: skip


DEEDS = [
    _accept, _replay, _complete, _retry, _fail, _release, _renew, _stage, _cancel, _cancel_by_operator, _erase,
    _requeue,
]  # fmt: skip


def _outcomes(world: World) -> list[str]:
    return [row.outcome for row in world.rows(export_attempts.select())]


def _audited(world: World, job_id: str) -> list[str]:
    with world.database.read() as connection:
        return [entry.action for entry in audit.of_job(connection, job_id)]


def lose_next_commit(monkeypatch: pytest.MonkeyPatch, *, committed: bool, then: Callable[[], object] = int) -> None:
    """Let the next COMMIT fail for its sender, after it was done or instead of it; `then` happens at once."""
    original = Connection.commit

    def commit(connection: Connection) -> None:
        monkeypatch.setattr(Connection, "commit", original)
        if committed:
            original(connection)
        else:
            connection.rollback()
        then()
        raise OperationalError("COMMIT", None, Exception("the connection was cut"))

    monkeypatch.setattr(Connection, "commit", commit)


@pytest.mark.parametrize("committed", [True, False], ids=["committed", "not committed"])
class TestLostCommits:
    @pytest.mark.parametrize("deed", DEEDS, ids=lambda deed: deed.__name__.strip("_"))
    def test_it_is_done_exactly_once(
        self, world: World, monkeypatch: pytest.MonkeyPatch, deed: Callable[[World], Deed], committed: bool
    ) -> None:
        it = deed(world)
        lose_next_commit(monkeypatch, committed=committed)
        assert it.done(world.do(it.write))

    def test_a_claim_is_held_or_was_never_made(
        self, world: World, monkeypatch: pytest.MonkeyPatch, committed: bool
    ) -> None:
        job = world.accept()
        lose_next_commit(monkeypatch, committed=committed)
        attempts = world.do(claim.claim(CLAIMANT, 1, may_reclaim=True))
        assert [attempt.job.id for attempt in attempts] == ([job.id] if committed else [])
        for attempt in attempts or world.claim():
            assert world.complete(attempt).status is Status.SUCCEEDED

    def test_an_attempt_that_was_cancelled_meanwhile_is_lost(
        self, world: World, monkeypatch: pytest.MonkeyPatch, committed: bool
    ) -> None:
        """The lost settlement is a retry, so that even if it was made a cancellation may follow."""
        attempt = world.attempt()
        write = settle.fail(attempt, Failure(FailureCode.INTERNAL_ERROR), Progress(), delay_seconds=5)
        cancel = jobs.cancel(attempt.job.id, OWNER)

        def cancel_meanwhile() -> None:
            other = type(world.database)(world.database.url.render_as_string(hide_password=False), world.clock)
            with other.write() as connection:
                cancel.perform(connection, Batch())
                connection.commit()
            other.close()

        lose_next_commit(monkeypatch, committed=committed, then=cancel_meanwhile)
        if committed:
            assert world.do(write).status is Status.CANCELLED
        else:
            with pytest.raises(LeaseLostError):
                world.do(write)
        assert _outcomes(world) == [Outcome.RETRIED if committed else Outcome.CANCELLED]

    def test_a_refusal_stays_one(self, world: World, monkeypatch: pytest.MonkeyPatch, committed: bool) -> None:
        world.accept("a")
        lose_next_commit(monkeypatch, committed=committed)
        with pytest.raises(RequestRefusedError):
            world.do(accept.accept(new_job("a", request_fingerprint="v1:x", parameters_fingerprint="v1:y"), LIMITS))
