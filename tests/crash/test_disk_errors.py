"""The disk answers EIO: at a sync, at a write, now and then or for good, injected into live processes' system calls."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from outlast.errors import FailureCode
from outlast.model import Status
from tests.crash.promises import assert_downloaded, assert_kept, download
from tests.crash.stage import LARGE, SMALL, Ground, Stage
from tests.support.tools import require_tool

CALLERS = 8
ROUNDS = 3
BOUNDED_SECONDS = 9.0
"""What a request waits at most, and then its lost COMMIT's outcome is looked for; and something for a slow machine."""


@dataclass(frozen=True)
class Failing:
    """Makes a command's system calls fail: `calls` as strace names them, `when` as it counts them (n, n+, n+step).

    Counted are all of them, or those on the file `only`.
    """

    calls: str
    when: str
    log: Path
    only: Path | None = None

    def __call__(self, command: Sequence[str]) -> Sequence[str]:
        injected = f"inject={self.calls}:error=EIO:when={self.when}"
        options = (
            "-DD",
            "-f",
            "-qq",
            "--seccomp-bpf",
            "-o",
            str(self.log),
            "-e",
            f"trace={self.calls}",
            "-e",
            injected,
        )
        return [str(require_tool("strace")), *options, "--", *command]

    def assert_happened(self) -> None:
        assert "EIO (Input/output error) (INJECTED)" in self.log.read_text()


@pytest.mark.parametrize(("calls", "when"), [("fdatasync", "3+4"), ("pwrite64", "9+40")])
def test_errors_now_and_then_cost_no_acknowledged_job(calls: str, when: str, tmp_path: Path, ground: Ground) -> None:
    with Stage(tmp_path, ground) as stage:
        failing = Failing(calls, when, tmp_path / "strace", stage.wal)
        api = stage.api(wrap=failing)
        keys = [f"key-{number}" for number in range(CALLERS * ROUNDS)]
        with ThreadPoolExecutor(CALLERS) as callers:
            answers = dict(zip(keys, callers.map(api.create, keys), strict=True))
        assert {answer.status_code for answer in answers.values()} <= {202, 503}
        assert any(answer.status_code == 202 for answer in answers.values())
        assert api.answers()
        api.process.kill()
        failing.assert_happened()
        there = dict(stage.rows("SELECT request_key, id FROM export_jobs"))
        acknowledged = {key: answer.json()["id"] for key, answer in answers.items() if answer.status_code == 202}
        assert acknowledged.items() <= there.items()
        again = stage.api()
        assert all(again.create(key).json()["id"] == there.get(key, "a new one") for key in there)
        assert {again.create(key).status_code for key in keys} == {202}
        assert len(stage.rows("SELECT id FROM export_jobs")) == len(keys)


def test_errors_for_good_are_said_in_bounded_time(tmp_path: Path, ground: Ground) -> None:
    failing = Failing("fdatasync", "1+", tmp_path / "strace")
    with Stage(tmp_path, ground) as stage:
        api = stage.api(wrap=failing)
        began = time.monotonic()
        with ThreadPoolExecutor(CALLERS) as callers:
            answers = list(callers.map(lambda number: api.create(f"key-{number}"), range(CALLERS)))
        assert time.monotonic() - began < BOUNDED_SECONDS
        assert {answer.status_code for answer in answers} == {503}
        assert api.answers()
        assert api.call("GET", "/exports").status_code == 200
        api.process.kill()
        failing.assert_happened()
        again = stage.api()
        assert {again.create(f"key-{number}").status_code for number in range(CALLERS)} == {202}
        assert len(stage.rows("SELECT id FROM export_jobs")) == CALLERS


@pytest.mark.parametrize(("calls", "when"), [("fdatasync", "4+5"), ("pwrite64", "9+700")])
def test_a_worker_whose_commits_fail_now_and_then_ends_every_job_once(
    calls: str, when: str, tmp_path: Path, ground: Ground
) -> None:
    with Stage(tmp_path, ground, {"attempt_limit": 50}) as stage:
        failing = Failing(calls, when, tmp_path / "strace", stage.wal)
        jobs = [stage.accept(f"key-{count}", count=count) for count in (1, SMALL, LARGE)]
        worker = stage.worker(wrap=failing)
        for job in jobs:
            assert_kept(stage, job)
        failing.assert_happened()
        assert worker.exit_status is None


def test_a_result_that_can_not_be_made_durable_is_made_again(tmp_path: Path, ground: Ground) -> None:
    failing = Failing("fsync", "1", tmp_path / "strace")
    with Stage(tmp_path, ground, {"result_database_limit_bytes": 0}) as stage:
        job = stage.accept()
        stage.worker(wrap=failing)
        assert_kept(stage, job, outcomes=["retried", "succeeded"])
        failing.assert_happened()
        assert stage.evidence(job.id).attempts[0].error_code is FailureCode.TEMPORARILY_UNAVAILABLE
        assert_downloaded(stage.api(), stage, job.id)


def test_a_result_that_never_gets_durable_is_never_served(tmp_path: Path, ground: Ground) -> None:
    failing = Failing("fsync", "1+", tmp_path / "strace")
    with Stage(tmp_path, ground, {"result_database_limit_bytes": 0, "attempt_limit": 2}) as stage:
        job = stage.accept()
        stage.worker(wrap=failing)
        assert stage.await_end(job.id).status is Status.FAILED
        failing.assert_happened()
        assert stage.outcomes(job.id) == ["retried", "failed"]
        assert stage.job(job.id).error_code is FailureCode.TEMPORARILY_UNAVAILABLE
        assert download(stage.api(), stage, job.id).status_code == 409
