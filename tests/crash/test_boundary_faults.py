"""What else may happen at a boundary: an error, a pause past the lease, an exit as the out-of-memory killer's."""

from collections.abc import Callable
from pathlib import Path

import pytest

from outlast.boundary import BOUNDARIES
from outlast.errors import FailureCode
from outlast.model import Status
from tests.crash.promises import assert_downloaded, assert_kept
from tests.crash.stage import LARGE, SMALL, START_SECONDS, Ground, Stage
from tests.support.wait import wait_until

TRIES = 8
ELSEWHERE = {"stage.before_part", "stage.after_part"}
"""Boundaries that only an object storage has: test_objects.py raises at them."""


def raising(*prefixes: str) -> tuple[list[str], str]:
    """The boundaries that begin so, and the fault that raises at each one's first pass."""
    names = [name for name in BOUNDARIES if name.split(".")[0] in prefixes and name not in ELSEWHERE]
    return names, ",".join(f"raise@{name}#1" for name in names)


def test_errors_at_every_boundary_of_the_api_cost_no_acknowledged_job(tmp_path: Path, ground: Ground) -> None:
    names, fault = raising("accept", "cancel", "erase")
    with Stage(tmp_path, ground) as stage:
        api = stage.api(fault=fault)
        made: dict[str, str] = {}
        for number in range(TRIES):
            answer = api.create(f"key-{number}")
            if answer.status_code == 202:
                made[f"key-{number}"] = answer.json()["id"]
            there = dict(stage.rows("SELECT request_key, id FROM export_jobs"))
            assert made.items() <= there.items()
        # One that raises before a COMMIT is looked up and made then; so each is asked for twice, of different jobs.
        cancelled, erased = list(made.values())[:2], list(made.values())[2:4]
        for job_id in cancelled:
            assert retried(lambda path: api.call("POST", path).status_code in {200, 409}, f"/exports/{job_id}/cancel")
            assert stage.job(job_id).status is Status.CANCELLED
        for job_id in erased:
            assert retried(lambda path: api.call("DELETE", path).status_code == 204, f"/exports/{job_id}")
            assert stage.job(job_id).erased_at is not None
        assert [name for name in names if not stage.passed(name)] == []
        assert {api.create(f"key-{number}").status_code for number in range(TRIES)} <= {200, 202}
        assert len(stage.rows("SELECT id FROM export_jobs")) == TRIES
        assert api.answers()


def retried(succeeds: Callable[[str], bool], path: str) -> bool:
    """What a client does: the same request again, some times."""
    return any(succeeds(path) for _ in range(TRIES))


def test_errors_at_every_boundary_of_the_worker_cost_no_job(tmp_path: Path, ground: Ground) -> None:
    names, fault = raising("claim", "attempt", "stage", "renew", "complete", "retry")
    with Stage(tmp_path, ground, {"attempt_limit": 100}) as stage:
        stage.switch("wait", on=True)
        stage.switch("fail", on=True)
        waiting = stage.accept("waiting", export="switched", count=3)
        worker = stage.worker(fault=fault)
        wait_until(lambda: stage.passed("renew.after_commit"), START_SECONDS, "a renewal")
        stage.switch("wait", on=False)
        wait_until(lambda: stage.passed("retry.after_commit"), START_SECONDS, "a retry")
        stage.switch("fail", on=False)
        jobs = [waiting, *(stage.accept(f"key-{count}", count=count) for count in (1, SMALL, LARGE))]
        for job in jobs:
            assert_kept(stage, job)
        assert [name for name in names if not stage.passed(name)] == []
        assert worker.exit_status is None


@pytest.mark.parametrize(
    ("boundary", "outcomes"),
    [
        ("complete.before_result", ["lost", "succeeded"]),
        ("complete.between_result_and_status", ["lost", "succeeded"]),
        ("complete.before_commit", ["succeeded"]),
    ],
)
def test_a_worker_that_pauses_in_its_completion_keeps_everybody_out_and_breaks_nothing(
    boundary: str, outcomes: list[str], tmp_path: Path, ground: Ground
) -> None:
    """It holds the write lock. So nobody takes over, and others are refused; what it had verified is verified again."""
    with Stage(tmp_path, ground, {"accept_wait_seconds": 0.5}) as stage:
        job = stage.accept()
        api, paused = stage.api(), stage.worker(fault=f"stop@{boundary}#1")
        wait_until(lambda: stage.passed(boundary), START_SECONDS, "the completion")
        stage.worker()
        wait_until(lambda: "lease_expired" in kinds(stage, job.id), START_SECONDS, "the lease to expire")
        assert api.create("other").status_code == 503
        paused.resume()
        assert_kept(stage, job, outcomes=outcomes)
        assert_downloaded(api, stage, job.id)
        assert api.create("other").status_code == 202


def test_a_worker_that_pauses_before_its_completion_is_fenced(tmp_path: Path, ground: Ground) -> None:
    with Stage(tmp_path, ground) as stage:
        job = stage.accept(count=LARGE)
        paused = stage.worker(fault="stop@stage.after_durable#1")
        wait_until(lambda: stage.passed("stage.after_durable"), START_SECONDS, "the result to be durable")
        stage.worker()
        stage.await_end(job.id)
        paused.resume()
        fenced = "SELECT value FROM counters WHERE name = 'fenced_writes'"
        wait_until(lambda: stage.rows(fenced), START_SECONDS, "the stale worker to be refused")
        assert_kept(stage, job, outcomes=["lost", "succeeded"])
        assert paused.exit_status is None


def test_a_child_that_is_ended_like_by_the_out_of_memory_killer_fails_its_job_in_the_end(
    tmp_path: Path, ground: Ground
) -> None:
    with Stage(tmp_path, ground, {"attempt_limit": 3}) as stage:
        job = stage.accept(count=LARGE)
        worker = stage.worker(fault="exit@child.mid_extraction")
        assert_kept(stage, job, status=Status.FAILED, outcomes=["retried", "retried", "failed"])
        assert stage.job(job.id).error_code is FailureCode.WORKER_LOST
        details = [attempt.error_detail for attempt in stage.evidence(job.id).attempts]
        assert details == ["the child ended with exit status 137"] * 3
        assert worker.exit_status is None


def kinds(stage: Stage, job_id: str) -> list[str]:
    return [fact.kind for fact in stage.explanation(job_id).facts]
