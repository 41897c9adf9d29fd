"""Workers that are killed, paused, restarted or stopped: who holds the lease settles, and nobody else."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from outlast import Principal
from outlast.errors import FailureCode
from outlast.model import Status
from tests.support.wait import wait_until
from tests.support.workshop import Workshop, alive, await_child, children, events, workshop_at


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    with workshop_at(tmp_path) as workshop:
        yield workshop


@pytest.mark.parametrize("state", ["idle", "busy", "paused"])
def test_a_killed_workers_child_dies_too(workshop: Workshop, state: str) -> None:
    worker = workshop.worker()
    if state != "idle":
        workshop.accept("waiting", gate="never")
        workshop.reached("never")
    child = await_child(worker)
    if state == "paused":
        os.kill(child, signal.SIGSTOP)
    worker.kill()
    wait_until(lambda: not alive(child), 5, "the child to die with its parent")


def test_a_paused_worker_commits_nothing_and_says_so(workshop: Workshop) -> None:
    paused = workshop.worker()
    job_id = workshop.accept("waiting", gate="both")
    workshop.reached("both")
    paused.pause()
    other = workshop.worker()
    wait_until(lambda: len(workshop.attempts(job_id)) == 2, 20, "the other worker to take over")
    workshop.open("both")
    job = workshop.ended(job_id)
    assert job.status is Status.SUCCEEDED
    result = job.result
    paused.resume()
    wait_until(lambda: events(paused, "WriteFenced"), 10, "the paused worker to find out")
    assert {event["job_id"] for event in events(paused, "WriteFenced")} == {job_id}
    assert [event["attempt"] for event in events(other, "LeaseExpired")] == [1]
    assert workshop.ended(workshop.accept("numbers")).status is Status.SUCCEEDED
    assert workshop.job(job_id).result == result
    assert workshop.outcomes(job_id) == [("lost", "worker_lost"), ("succeeded", None)]
    assert result is not None
    wait_until(lambda: workshop.staged(job_id) == [(result.storage, result.storage_key)], 10, "the orphan to be swept")


def test_a_worker_that_is_resumed_after_its_key_was_swept_leaves_nothing_behind(tmp_path: Path) -> None:
    with workshop_at(tmp_path, result_database_limit_bytes=0) as workshop:
        late = workshop.worker(fault="stop@stage.after_chunk")
        job_id = workshop.accept("numbers")
        wait_until(lambda: workshop.marked("stage.after_chunk"), 20, "the first worker to stand still")
        [(_storage, swept)] = workshop.staged(job_id)
        workshop.worker()
        result = workshop.ended(job_id).result
        assert result is not None
        wait_until(lambda: swept not in [key for _, key in workshop.staged(job_id)], 10, "its key to be swept")
        late.resume()
        wait_until(lambda: events(late, "WriteFenced"), 10, "it to find out")
        assert late.stop(15) == 0
        assert workshop.staged(job_id) == [("directory", result.storage_key)]


def test_a_restarted_worker_inherits_nothing(workshop: Workshop) -> None:
    first = workshop.worker()
    job_id = workshop.accept("waiting", gate="restart")
    workshop.reached("restart")
    first.kill()
    lease_until = workshop.job(job_id).lease_until
    workshop.open("restart")
    second = workshop.worker()
    assert workshop.ended(job_id).status is Status.SUCCEEDED
    lost, won = workshop.attempts(job_id)
    assert (lost.outcome, won.outcome) == ("lost", "succeeded")
    assert lost.worker_id != won.worker_id
    assert lease_until is not None
    assert won.claimed_at >= lease_until.timestamp() * 1000
    [started] = events(second, "WorkerStarted")
    assert won.worker_id == started["worker_id"]


def test_a_job_whose_last_attempt_is_lost_fails(tmp_path: Path) -> None:
    with workshop_at(tmp_path, attempt_limit=1) as workshop:
        first = workshop.worker()
        job_id = workshop.accept("waiting", gate="never")
        workshop.reached("never")
        first.kill()
        second = workshop.worker()
        job = workshop.ended(job_id)
        assert (job.status, job.error_code) == (Status.FAILED, FailureCode.WORKER_LOST)
        assert workshop.outcomes(job_id) == [("lost", "worker_lost")]
        wait_until(lambda: [event["code"] for event in events(second, "JobEnded")] == ["worker_lost"], 5, "the event")


def test_a_deadline_ends_a_running_job_and_its_child(workshop: Workshop) -> None:
    worker = workshop.worker()
    workshop.ended(workshop.accept("numbers"))
    job_id = workshop.accept("hurried", gate="never")
    workshop.reached("never")
    child = await_child(worker)
    job = workshop.ended(job_id)
    assert (job.status, job.error_code) == (Status.FAILED, FailureCode.DEADLINE_EXCEEDED)
    wait_until(lambda: not alive(child), 5, "the child to be killed")
    assert workshop.ended(workshop.accept("numbers")).status is Status.SUCCEEDED


def test_a_stopping_worker_finishes_what_it_has_and_takes_nothing_more(workshop: Workshop) -> None:
    worker = workshop.worker()
    job_id, next_id = workshop.accept("waiting", gate="stop"), workshop.accept("numbers")
    workshop.reached("stop")
    worker.send(signal.SIGTERM)
    workshop.open("stop")
    assert worker.wait(15) == 0
    assert workshop.job(job_id).status is Status.SUCCEEDED
    assert workshop.job(next_id).status is Status.QUEUED
    [stopped] = events(worker, "WorkerStopped")
    assert stopped["released"] == 0
    [row] = workshop.query("SELECT id, exports_json, stopped_at >= started_at FROM workers")
    assert row == (stopped["worker_id"], json.dumps(workshop.exports.names), True)


def test_a_stopping_worker_gives_back_what_it_can_not_finish(tmp_path: Path) -> None:
    with workshop_at(tmp_path, drain_seconds=0.2) as workshop:
        worker = workshop.worker()
        job_id = workshop.accept("waiting", gate="given-back")
        workshop.reached("given-back")
        child = await_child(worker)
        assert worker.stop(15) == 0
        assert not alive(child)
        job = workshop.job(job_id)
        assert (job.status, job.attempt_limit, job.release_count) == (Status.QUEUED, 4, 1)
        assert workshop.outcomes(job_id) == [("released", None)]
        assert [event["released"] for event in events(worker, "WorkerStopped")] == [1]
        workshop.open("given-back")
        workshop.worker()
        assert workshop.ended(job_id).status is Status.SUCCEEDED
        assert workshop.outcomes(job_id) == [("released", None), ("succeeded", None)]


def test_a_second_signal_gives_back_at_once(tmp_path: Path) -> None:
    with workshop_at(tmp_path, drain_seconds=300) as workshop:
        worker = workshop.worker()
        job_id = workshop.accept("waiting", gate="never")
        workshop.reached("never")
        worker.send(signal.SIGTERM)
        worker.send(signal.SIGINT)
        assert worker.wait(15) == 0
        assert workshop.outcomes(job_id) == [("released", None)]


def test_ctrl_c_reaches_the_children_and_ends_no_attempt(workshop: Workshop) -> None:
    worker = workshop.worker()
    job_id = workshop.accept("waiting", gate="ctrl-c")
    workshop.reached("ctrl-c")
    worker.send_to_group(signal.SIGINT)
    workshop.open("ctrl-c")
    assert worker.wait(15) == 0
    assert workshop.outcomes(job_id) == [("succeeded", None)]


def test_a_job_that_was_released_too_often_waits_for_its_lease_to_end(tmp_path: Path) -> None:
    with workshop_at(tmp_path, drain_seconds=0.1, release_limit=1) as workshop:
        first = workshop.worker()
        job_id = workshop.accept("waiting", gate="often")
        workshop.reached("often")
        first.stop(15)
        second = workshop.worker()
        wait_until(lambda: len(workshop.attempts(job_id)) == 2, 15, "the second attempt")
        await_child(second)
        second.stop(15)
        assert workshop.job(job_id).status is Status.RUNNING
        workshop.open("often")
        workshop.worker()
        assert workshop.ended(job_id).status is Status.SUCCEEDED
        assert [outcome for outcome, _code in workshop.outcomes(job_id)] == ["released", "lost", "succeeded"]


def test_two_workers_share_the_work_and_nothing_is_done_twice(workshop: Workshop) -> None:
    workers = [workshop.worker(concurrency=2), workshop.worker(concurrency=2)]
    wait_until(lambda: all(len(children(worker)) == 2 for worker in workers), 20, "two children each")
    ids = [workshop.accept("numbers", owner=str(number % 3)) for number in range(30)]
    for job_id in ids:
        assert workshop.ended(job_id).status is Status.SUCCEEDED
        assert workshop.outcomes(job_id) == [("succeeded", None)]
    settled = [event["job_id"] for worker in workers for event in events(worker, "AttemptSettled")]
    assert sorted(settled) == sorted(ids)


def test_a_worker_without_a_child_claims_nothing(workshop: Workshop) -> None:
    broken = workshop.directory / "broken-child"
    broken.touch()
    worker = workshop.worker()
    job_id = workshop.accept("numbers")
    wait_until(lambda: "no child process: the app can't be loaded" in worker.stderr, 15, "the reason")
    assert workshop.attempts(job_id) == []
    broken.unlink()
    assert workshop.ended(job_id).status is Status.SUCCEEDED
    assert workshop.outcomes(job_id) == [("succeeded", None)]


def test_an_erased_running_job_leaves_no_bytes(workshop: Workshop) -> None:
    worker = workshop.worker()
    job_id = workshop.accept("waiting", gate="never", rows=100)
    workshop.reached("never")
    child = await_child(worker)
    workshop.exports.service.erase(Principal("1"), job_id)
    wait_until(lambda: not alive(child), 5, "the child to be killed")
    wait_until(lambda: workshop.staged(job_id) == [], 10, "its bytes to be gone")
    assert workshop.job(job_id).status is Status.CANCELLED
