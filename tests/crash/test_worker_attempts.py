"""How attempts end in a real worker: every failure has its code, is retried or not as promised, and leaves nothing."""

import hashlib
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from outlast import Principal
from outlast.errors import FailureCode
from outlast.model import Status
from tests.support.processes import Process
from tests.support.wait import wait_until
from tests.support.workshop import Workshop, alive, await_child, events, workshop_at

MIB = 1024 * 1024


@dataclass(frozen=True)
class Working:
    """A workshop and its worker, which all tests share that break neither."""

    workshop: Workshop
    worker: Process


@pytest.fixture(scope="module")
def working(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Working]:
    directory = tmp_path_factory.mktemp("working")
    with workshop_at(
        directory, attempt_limit=2, attempt_memory_limit_bytes=100 * MIB, result_database_limit_bytes=600_000
    ) as workshop:
        yield Working(workshop, workshop.worker())


@pytest.fixture
def workshop(working: Working) -> Workshop:
    return working.workshop


def test_a_result_is_what_the_export_yields(workshop: Workshop) -> None:
    job = workshop.ended(workshop.accept("numbers", count=1000))
    assert job.status is Status.SUCCEEDED
    assert job.result is not None
    content = workshop.content(job)
    assert content == b'"n"\n' + b"".join(b"%d\n" % number for number in range(1000))
    assert (job.result.bytes, job.result.rows) == (len(content), 1000)
    assert job.result.sha256 == hashlib.sha256(content).hexdigest()
    assert job.result.filename == "numbers.csv"
    assert workshop.outcomes(job.id) == [("succeeded", None)]


def test_a_large_result_moves_to_the_directory_and_nothing_is_left_in_the_database(workshop: Workshop) -> None:
    job = workshop.ended(workshop.accept("wide", rows=2000, width=1000))
    result = job.result
    assert result is not None
    assert result.storage == "directory"
    assert hashlib.sha256(workshop.content(job)).hexdigest() == result.sha256
    wait_until(lambda: workshop.staged(job.id) == [("directory", result.storage_key)], 5, "the pieces to be deleted")


def settled_codes(worker: Process, job_id: str) -> list[str]:
    """What the worker told of the job's attempts; an event follows its commit."""
    return [event["code"] for event in events(worker, "AttemptSettled") if event["job_id"] == job_id]


@pytest.mark.parametrize(
    ("export", "parameters", "code", "detail"),
    [
        ("exiting", {"status": 137}, FailureCode.WORKER_LOST, "the child ended with exit status 137"),
        ("exiting", {"status": 0}, FailureCode.WORKER_LOST, "the child ended with exit status 0"),
        ("leaving", {}, FailureCode.WORKER_LOST, "the child ended with exit status 7"),
        ("slow", {}, FailureCode.ATTEMPT_TIMED_OUT, "the attempt took longer than 0.5 s"),
        ("hungry", {"mib": 300}, FailureCode.OUT_OF_MEMORY, "MemoryError at "),
        ("failing", {"code": "temporarily_unavailable"}, FailureCode.TEMPORARILY_UNAVAILABLE, "as was asked for"),
        ("broken", {"secret": "hunter2"}, FailureCode.INTERNAL_ERROR, "ValueError at "),
    ],
)  # fmt: skip
def test_what_may_pass_is_retried_up_to_the_limit(
    working: Working, export: str, parameters: dict[str, Any], code: FailureCode, detail: str
) -> None:
    workshop, worker = working.workshop, working.worker
    job = workshop.ended(workshop.accept(export, **parameters))
    assert (job.status, job.error_code) == (Status.FAILED, code)
    assert workshop.outcomes(job.id) == [("retried", code), ("failed", code)]
    for attempt in workshop.attempts(job.id):
        assert attempt.error_detail.startswith(detail)
        assert "hunter2" not in attempt.error_detail
    wait_until(lambda: workshop.staged(job.id) == [], 5, "its bytes to be gone")
    wait_until(lambda: settled_codes(worker, job.id) == [code, code], 5, "both attempts to be told of")
    assert "hunter2" not in worker.stdout + worker.stderr


@pytest.mark.parametrize(
    ("export", "parameters", "code"),
    [
        ("bounded", {"count": 11}, FailureCode.RESULT_TOO_LARGE),
        ("bounded", {"count": 10, "width": 9}, FailureCode.RESULT_TOO_LARGE),
        ("failing", {"code": "unencodable_value"}, FailureCode.UNENCODABLE_VALUE),
    ],
)  # fmt: skip
def test_what_will_not_pass_fails_at_once(
    workshop: Workshop, export: str, parameters: dict[str, Any], code: FailureCode
) -> None:
    job = workshop.ended(workshop.accept(export, **parameters))
    assert (job.status, job.error_code) == (Status.FAILED, code)
    assert workshop.outcomes(job.id) == [("failed", code)]
    wait_until(lambda: workshop.staged(job.id) == [], 5, "its bytes to be gone")


def test_a_retry_waits_as_long_as_the_export_asks(workshop: Workshop) -> None:
    job_id = workshop.accept("failing", code="temporarily_unavailable", retry_after_seconds=1000)
    wait_until(lambda: workshop.outcomes(job_id) == [("retried", "temporarily_unavailable")], 10, "the first failure")
    job = workshop.job(job_id)
    assert job.status is Status.QUEUED
    assert 990 < (job.available_at - job.created_at).total_seconds() < 1100


def test_a_retry_past_the_deadline_fails_now(workshop: Workshop) -> None:
    seconds = workshop.exports.settings.deadline_seconds
    job_id = workshop.accept("failing", code="temporarily_unavailable", retry_after_seconds=seconds + 1)
    assert workshop.ended(job_id).error_code is FailureCode.TEMPORARILY_UNAVAILABLE
    assert workshop.outcomes(job_id) == [("failed", "temporarily_unavailable")]


@pytest.mark.parametrize(
    ("column", "value", "detail"),
    [
        ("parameters_json", '{"gate": "changed", "rows": "many"}', "no longer valid: #/parameters/rows"),
        ("columns_json", '["n", "m"]', "columns no longer offered: m"),
        ("format", "clay", "format no longer offered: clay"),
    ],
)
def test_a_job_that_a_deploy_has_outdated_fails(workshop: Workshop, column: str, value: str, detail: str) -> None:
    blocker, job_id = workshop.accept("waiting", gate=f"until-{column}"), workshop.accept("waiting", gate="changed")
    workshop.reached(f"until-{column}")
    workshop.change_request(job_id, column, value)
    workshop.open(f"until-{column}")
    job = workshop.ended(job_id)
    assert (job.error_code, job.error_detail) == (FailureCode.INVALID_PARAMETERS, detail)
    assert workshop.ended(blocker).status is Status.SUCCEEDED


def test_an_owner_who_lost_his_right_gets_no_file_and_an_alert(working: Working) -> None:
    workshop = working.workshop
    blocker, job_id = workshop.accept("waiting", gate="until-banned"), workshop.accept("numbers", owner="5")
    workshop.reached("until-banned")
    workshop.ban("5")
    workshop.open("until-banned")
    assert workshop.ended(job_id).error_code is FailureCode.OWNERSHIP_VIOLATION
    assert workshop.outcomes(job_id) == [("failed", "ownership_violation")]
    assert [event["job_id"] for event in events(working.worker, "OwnershipViolated")] == [job_id]
    assert workshop.ended(blocker).status is Status.SUCCEEDED


def test_an_export_that_nobody_declares_is_left_alone(workshop: Workshop) -> None:
    blocker, job_id = workshop.accept("waiting", gate="until-unknown"), workshop.accept("numbers")
    workshop.reached("until-unknown")
    workshop.change_request(job_id, "export", "forgotten")
    workshop.open("until-unknown")
    assert workshop.ended(workshop.accept("numbers")).status is Status.SUCCEEDED
    assert workshop.job(job_id).status is Status.QUEUED
    assert workshop.ended(blocker).status is Status.SUCCEEDED


def test_a_storage_that_can_not_be_written_is_retried(tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.write_text("a file where a directory should be")
    with workshop_at(
        tmp_path, results_directory=str(results), result_database_limit_bytes=0, attempt_limit=1000
    ) as workshop:
        workshop.worker()
        job_id = workshop.accept("numbers")
        refused = ("retried", FailureCode.TEMPORARILY_UNAVAILABLE)
        wait_until(lambda: refused in workshop.outcomes(job_id), 10, "a refusal")
        assert "the storage can't take the bytes" in workshop.attempts(job_id)[0].error_detail
        results.unlink()
        assert workshop.ended(job_id).status is Status.SUCCEEDED


def test_a_job_longer_than_three_leases_is_one_attempt(working: Working) -> None:
    workshop = working.workshop
    job_id = workshop.accept("waiting", gate="long", rows=5)
    workshop.reached("long")
    first = workshop.job(job_id).lease_until
    assert first is not None

    def renewed_for_three_leases() -> bool:
        until = workshop.job(job_id).lease_until
        assert until is not None
        return (until - first).total_seconds() > 3 * workshop.exports.settings.lease_seconds

    wait_until(renewed_for_three_leases, 20, "three leases to pass")
    assert workshop.job(job_id).progress.rows >= 1
    workshop.open("long")
    assert workshop.ended(job_id).status is Status.SUCCEEDED
    assert workshop.outcomes(job_id) == [("succeeded", None)]
    assert job_id not in [event["job_id"] for event in events(working.worker, "WriteFenced")]


def test_a_cancelled_export_is_killed_even_if_it_is_deaf(working: Working) -> None:
    workshop, worker = working.workshop, working.worker
    job_id = workshop.accept("waiting", gate="never")
    workshop.reached("never")
    child = await_child(worker)
    workshop.exports.service.cancel(Principal("1"), job_id)
    wait_until(lambda: not alive(child), 5, "the child to be killed")
    assert workshop.job(job_id).status is Status.CANCELLED
    assert workshop.outcomes(job_id) == [("cancelled", None)]
    fenced = [(job_id, "renew")]
    wait_until(
        lambda: [(event["job_id"], event["action"]) for event in events(worker, "WriteFenced")] == fenced, 5, "a fence"
    )
    wait_until(lambda: workshop.staged(job_id) == [], 5, "its bytes to be gone")
    assert workshop.ended(workshop.accept("numbers")).status is Status.SUCCEEDED


def test_a_child_is_replaced_after_its_number_of_attempts_and_works_until_then(tmp_path: Path) -> None:
    with workshop_at(tmp_path) as workshop:
        first = await_child(workshop.worker(child_attempt_limit=3))
        for _ in range(3):
            workshop.ended(workshop.accept("numbers"))
            assert alive(first)

        def succeeded() -> bool:
            workshop.ended(workshop.accept("numbers"))
            return not alive(first)

        wait_until(succeeded, 20, "a successor")


def test_a_child_that_was_killed_while_idle_costs_no_attempt(working: Working) -> None:
    workshop = working.workshop
    workshop.ended(workshop.accept("numbers"))
    child = await_child(working.worker)
    os.kill(child, signal.SIGKILL)
    wait_until(lambda: not alive(child), 5, "the child's death")
    job_id = workshop.accept("numbers")
    assert workshop.ended(job_id).status is Status.SUCCEEDED
    assert workshop.outcomes(job_id) == [("succeeded", None)]


def test_a_killed_child_is_seen_long_before_its_lease_ends(tmp_path: Path) -> None:
    with workshop_at(tmp_path, lease_seconds=300) as workshop:
        worker = workshop.worker()
        job_id = workshop.accept("waiting", gate="kill")
        workshop.reached("kill")
        os.kill(await_child(worker), signal.SIGKILL)
        wait_until(lambda: workshop.outcomes(job_id)[0] == ("retried", "worker_lost"), 5, "the loss to be noted")
        assert workshop.attempts(job_id)[0].error_detail == "the child was ended by signal 9 (SIGKILL)"
        workshop.open("kill")
        assert workshop.ended(job_id).status is Status.SUCCEEDED
