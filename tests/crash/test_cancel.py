"""A cancellation at every boundary of an attempt: the one who is answered first is right, and nothing is left over."""

from pathlib import Path

import pytest

from outlast.model import Job, Principal, Status
from tests.crash.promises import assert_kept
from tests.crash.stage import START_SECONDS, Api, Ground, Stage
from tests.support.processes import Process
from tests.support.wait import wait_until

PATH = (
    "attempt.before_authorisation",
    "stage.before_chunk",
    "stage.after_chunk",
    "stage.before_durable",
    "stage.after_durable",
    "complete.before_result",
    "complete.between_result_and_status",
    "complete.before_commit",
    "complete.after_commit",
)
"""What an attempt passes in its worker, each once, where the result is one piece."""
LOCKED = {"claim.before_commit", *PATH[-4:-1]}
"""Where the worker holds the database's write lock, so that nobody is heard until it goes on."""
LATE = {*PATH[-4:]}
"""From where on the completion wins the race."""
SETTINGS = {"accept_wait_seconds": 0.3, "lease_seconds": 6}


def cancel(api: Api, job: Job) -> int:
    return api.call("POST", f"/exports/{job.id}/cancel").status_code


def test_the_worker_pauses_at_each_boundary_and_its_job_is_cancelled(tmp_path: Path, ground: Ground) -> None:
    """The boundaries come from the last to the first, so that the n-th job passes its own for the n-th time."""
    names = PATH[::-1]
    with Stage(tmp_path, ground, SETTINGS) as stage:
        api = stage.api()
        worker = stage.worker(fault=",".join(f"stop@{name}#{number}" for number, name in enumerate(names, 1)))
        for name in names:
            assert_cancelled_at(name, stage, api, worker, stage.accept(name, count=1))
        assert worker.exit_status is None


@pytest.mark.parametrize("boundary", ["claim.before_commit", "claim.after_commit"])
def test_the_worker_pauses_in_its_claim_and_the_job_is_cancelled(boundary: str, tmp_path: Path, ground: Ground) -> None:
    with Stage(tmp_path, ground, SETTINGS) as stage:
        job, api = stage.accept(count=1), stage.api()
        assert_cancelled_at(boundary, stage, api, stage.worker(fault=f"stop@{boundary}#1"), job)


def assert_cancelled_at(name: str, stage: Stage, api: Api, worker: Process, job: Job) -> None:
    """The cancellation, or the completion where that is first, and all that follows from it."""
    wait_until(lambda: stage.passed(name), START_SECONDS, f"the worker to pause at {name}")
    status = cancel(api, job)
    assert status == (503 if name in LOCKED else 409 if name in LATE else 200)
    worker.resume()
    if status == 503:
        status = wait_until(lambda: (again := cancel(api, job)) != 503 and again, 10, "the lock to be free")
    if status == 200:
        assert_kept(stage, job, status=Status.CANCELLED)
        assert stage.outcomes(job.id) in ([], ["cancelled"])
    else:
        assert status == 409
        assert_kept(stage, job, outcomes=["succeeded"])


@pytest.mark.parametrize("boundary", ["child.before_extraction", "child.mid_extraction", "child.before_end"])
def test_the_child_pauses_and_its_job_is_cancelled(boundary: str, tmp_path: Path, ground: Ground) -> None:
    """A child that can't even be told is killed, and the next job finds another."""
    with Stage(tmp_path, ground) as stage:
        job = stage.accept()
        worker = stage.worker(fault=f"stop@{boundary}#once")
        wait_until(lambda: stage.passed(boundary), START_SECONDS, "the child to pause")
        stage.exports.service.cancel(Principal(job.owner), job.id)
        assert_kept(stage, job, status=Status.CANCELLED, outcomes=["cancelled"])
        assert_kept(stage, stage.accept("next"), outcomes=["succeeded"])
        assert worker.exit_status is None
