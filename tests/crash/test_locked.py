"""Another program holds the database's write lock for longer than anybody waits."""

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from outlast.model import Status
from tests.crash.promises import assert_downloaded, assert_kept
from tests.crash.stage import DATABASE, START_SECONDS, Ground, Stage
from tests.support.processes import running
from tests.support.wait import wait_until

ACCEPT_WAIT_SECONDS = 1.0
CALLERS = 8
IN_DIRECTORY = {"result_database_limit_bytes": 0, "accept_wait_seconds": ACCEPT_WAIT_SECONDS}
HOLDER = """
import signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
signal.pause()
"""


@contextmanager
def locked(stage: Stage) -> Iterator[None]:
    """Until the block ends, a process of its own holds the lock; it never stood at the turnstile."""
    command = [sys.executable, "-c", HOLDER, str(stage.data / DATABASE)]
    with running(command, stage.directory, name="holder") as holder:
        holder.wait_for_output("held", 10)
        yield


def test_a_post_is_refused_in_bounded_time_and_succeeds_later(tmp_path: Path, ground: Ground) -> None:
    with Stage(tmp_path, ground, {"accept_wait_seconds": ACCEPT_WAIT_SECONDS}) as stage:
        api = stage.api()
        before = api.create("before")

        def timed(number: int) -> tuple[int, str | None, float]:
            began = time.monotonic()
            answer = api.create(f"key-{number}")
            return answer.status_code, answer.headers.get("Retry-After"), time.monotonic() - began

        with locked(stage), ThreadPoolExecutor(CALLERS) as callers:
            answers = list(callers.map(timed, range(CALLERS)))
            # What needs no lock goes on.
            assert api.call("GET", f"/exports/{before.json()['id']}").status_code == 200
        assert {(status, retry_after) for status, retry_after, _ in answers} == {(503, "1")}
        assert all(ACCEPT_WAIT_SECONDS * 0.9 < seconds < ACCEPT_WAIT_SECONDS + 2 for _, _, seconds in answers)
        assert len(stage.rows("SELECT id FROM export_jobs")) == 1
        assert [timed(number)[0] for number in range(CALLERS)] == [202] * CALLERS
        assert len(stage.rows("SELECT id FROM export_jobs")) == 1 + CALLERS


def test_a_completion_waits_and_lands_while_its_lease_lives(tmp_path: Path, ground: Ground) -> None:
    with Stage(tmp_path, ground, {**IN_DIRECTORY, "lease_seconds": 12}) as stage:
        stage.switch("wait", on=True)
        job = stage.accept(export="switched", count=3)
        api = stage.api()
        stage.worker(fault="mark@stage.after_durable")
        wait_until(lambda: stage.job(job.id).status is Status.RUNNING, START_SECONDS, "the job to run")
        with locked(stage):
            stage.switch("wait", on=False)
            wait_until(lambda: stage.passed("stage.after_durable"), 10, "the result to be durable")
            # So long that others give up.
            assert [api.create("other").status_code for _ in range(2)] == [503, 503]
            assert stage.job(job.id).status is Status.RUNNING
        assert_kept(stage, job, outcomes=["succeeded"])
        assert_downloaded(api, stage, job.id)


def test_a_completion_that_waits_past_its_lease_costs_an_attempt_at_most(tmp_path: Path, ground: Ground) -> None:
    with Stage(tmp_path, ground, IN_DIRECTORY) as stage:
        stage.switch("wait", on=True)
        job = stage.accept(export="switched", count=3)
        worker = stage.worker(fault="mark@stage.after_durable")
        wait_until(lambda: stage.job(job.id).status is Status.RUNNING, START_SECONDS, "the job to run")
        with locked(stage):
            stage.switch("wait", on=False)
            wait_until(lambda: stage.passed("stage.after_durable"), 10, "the result to be durable")
            wait_until(lambda: "lease_expired" in kinds(stage, job.id), 10, "the lease to expire")
        assert_kept(stage, job)
        assert stage.outcomes(job.id) in (["succeeded"], ["lost", "succeeded"])
        assert worker.exit_status is None


def kinds(stage: Stage, job_id: str) -> list[str]:
    return [fact.kind for fact in stage.explanation(job_id).facts]
