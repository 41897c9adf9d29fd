"""The host's clock is stepped while a job runs: the fence holds, and the job ends."""

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from outlast.model import Status
from outlast.retry import renewal_interval_seconds
from tests.crash.promises import assert_kept
from tests.crash.stage import SETTINGS, START_SECONDS, Ground, Stage
from tests.support.processes import Process
from tests.support.wait import wait_until

HOUR_SECONDS = 3_600


class Clock:
    """The clock of every process that is started with its environment."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.step(0)

    def step(self, seconds: int) -> None:
        """From now on it is so many seconds ahead of the real one."""
        fresh = self._path.with_suffix(".new")
        fresh.write_text(f"{seconds:+d}s\n")
        fresh.replace(self._path)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "LD_PRELOAD": str(_library()),
            "FAKETIME_TIMESTAMP_FILE": str(self._path),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",  # without it Python hangs
        }


def _library() -> Path:
    found = os.environ.get("LIBFAKETIME")
    if found:
        return Path(found)
    package = find_spec("libfaketime")
    assert package is not None
    assert package.origin is not None
    return next(Path(package.origin).parent.rglob("libfaketime.so.1"))


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    return Clock(tmp_path / "clock")


def running_job(stage: Stage, clock: Clock) -> tuple[str, Process]:
    """A job whose attempt waits, and its worker."""
    stage.switch("wait", on=True)
    job = stage.accept(export="switched", count=3)
    worker = stage.worker(environment=clock.environment)
    wait_until(lambda: stage.job(job.id).status is Status.RUNNING, START_SECONDS, "the job to run")
    return job.id, worker


def await_renewal(stage: Stage, job_id: str) -> None:
    before = stage.job(job_id).lease_until
    limit = 4 * renewal_interval_seconds(SETTINGS["lease_seconds"]) + 5
    wait_until(lambda: stage.job(job_id).lease_until != before, limit, "a renewal")


def test_forwards_past_the_lease_of_a_paused_worker(tmp_path: Path, ground: Ground, clock: Clock) -> None:
    with Stage(tmp_path, ground) as stage:
        job_id, stale = running_job(stage, clock)
        stale.pause()
        clock.step(HOUR_SECONDS)
        stage.worker(environment=clock.environment)
        wait_until(lambda: stage.job(job_id).attempt_count == 2, START_SECONDS, "the lease to be taken over")
        stage.switch("wait", on=False)
        stage.await_end(job_id)
        stale.resume()
        fenced = "SELECT value FROM counters WHERE name = 'fenced_writes'"
        wait_until(lambda: stage.rows(fenced), 10, "the stale worker to be refused")
        assert_kept(stage, stage.job(job_id), outcomes=["lost", "succeeded"])
        assert stale.exit_status is None


def test_forwards_past_the_lease_of_a_working_worker(tmp_path: Path, ground: Ground, clock: Clock) -> None:
    with Stage(tmp_path, ground) as stage:
        job_id, _ = running_job(stage, clock)
        stage.worker(environment=clock.environment)
        clock.step(HOUR_SECONDS)
        await_renewal(stage, job_id)
        stage.switch("wait", on=False)
        assert_kept(stage, stage.job(job_id))
        assert stage.outcomes(job_id) in (["succeeded"], ["lost", "succeeded"])


def test_backwards_and_the_worker_goes_on(tmp_path: Path, ground: Ground, clock: Clock) -> None:
    with Stage(tmp_path, ground) as stage:
        job_id, _ = running_job(stage, clock)
        clock.step(-HOUR_SECONDS)
        await_renewal(stage, job_id)
        stage.switch("wait", on=False)
        assert_kept(stage, stage.job(job_id), outcomes=["succeeded"], in_order=False)


def test_backwards_and_the_worker_dies(tmp_path: Path, ground: Ground, clock: Clock) -> None:
    """Its last renewal was made by the new time, so its lease ends as soon as any other."""
    with Stage(tmp_path, ground) as stage:
        job_id, victim = running_job(stage, clock)
        clock.step(-HOUR_SECONDS)
        await_renewal(stage, job_id)
        victim.kill()
        stage.switch("wait", on=False)
        stage.worker(environment=clock.environment)
        assert_kept(stage, stage.job(job_id), outcomes=["lost", "succeeded"], in_order=False)
