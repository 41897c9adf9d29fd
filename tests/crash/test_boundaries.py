"""A real SIGKILL at every boundary: who passes it dies, others come, time passes, and every promise is kept.

Most of a case is waiting for processes to start and leases to end, so a few are played at a time.
"""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx
import pytest

from outlast.boundary import BOUNDARIES
from outlast.errors import FailureCode, ProblemCode, RequestRefusedError
from outlast.model import Job, Status
from tests.conftest import Bucket
from tests.crash.promises import (
    assert_downloaded,
    assert_kept,
    assert_one_job,
    assert_swept,
    assert_whole,
    download,
)
from tests.crash.stage import LARGE, SEVERAL_PARTS, SMALL, START_SECONDS, Ground, Stage, processes_of_group
from tests.support.processes import Process
from tests.support.wait import wait_until

AT_ONCE = (os.cpu_count() or 1) + 1
SUCCEEDED, FAILED, LOST, RETRIED, RELEASED = "succeeded", "failed", "lost", "retried", "released"


@dataclass(frozen=True)
class Case:
    boundary: str
    play: Callable[[Stage, str], None]
    variant: str = ""
    settings: tuple[tuple[str, float], ...] = ()
    needs_bucket: bool = False

    def __str__(self) -> str:
        return f"{self.boundary}-{self.variant}" if self.variant else self.boundary


def expect_killed(stage: Stage, victim: Process, boundary: str) -> None:
    """The victim dies at the boundary, and nobody of its group survives it."""
    assert victim.wait(START_SECONDS) == -signal.SIGKILL, victim.transcript()
    assert stage.passed(boundary)
    wait_until(lambda: not processes_of_group(victim.pid), 5, "the victim's children to die with it")


# The worker


def worker_dies(
    stage: Stage,
    boundary: str,
    *,
    outcomes: list[str],
    export: str = "rows",
    count: int = SMALL,
    status: Status = Status.SUCCEEDED,
    switch: str | None = None,
    switched_off: bool = True,
) -> None:
    """A worker dies in its first attempt; another takes over."""
    if switch:
        stage.switch(switch, on=True)
    job = stage.accept(export=export, count=count)
    stage.forget()
    expect_killed(stage, stage.worker(fault=f"kill@{boundary}#1"), boundary)
    if switch and switched_off:
        stage.switch(switch, on=False)
    stage.worker()
    assert_kept(stage, job, status=status, outcomes=outcomes)


def child_dies(stage: Stage, boundary: str) -> None:
    """The first attempt's child dies; its parent sees it at once, and tries again with another."""
    job = stage.accept(count=LARGE)
    worker = stage.worker(fault=f"kill@{boundary}#once")
    assert_kept(stage, job, outcomes=[RETRIED, SUCCEEDED])
    assert stage.passed(boundary)
    assert worker.exit_status is None
    assert stage.evidence(job.id).attempts[0].error_code is FailureCode.WORKER_LOST


def stopping_worker_dies(stage: Stage, boundary: str, *, outcomes: list[str]) -> None:
    """A worker is told to stop, and dies while it gives its job back."""
    stage.switch("wait", on=True)
    job = stage.accept(export="switched")
    victim = stage.worker(fault=f"kill@{boundary}#1")
    wait_until(lambda: stage.job(job.id).status is Status.RUNNING, START_SECONDS, "the job to run")
    stage.forget()
    victim.send(signal.SIGTERM)
    expect_killed(stage, victim, boundary)
    stage.switch("wait", on=False)
    stage.worker()
    assert_kept(stage, job, outcomes=outcomes)


def sweeper_dies(stage: Stage, boundary: str, *, count: int) -> None:
    """A worker leaves staged bytes behind; the one that takes over dies sweeping them; a third finishes."""
    job = stage.accept(count=count)
    stage.forget()
    expect_killed(stage, stage.worker(fault="kill@stage.after_durable#1"), "stage.after_durable")
    assert len(stage.staged()) == 1
    stage.forget()
    expect_killed(stage, stage.worker(fault=f"kill@{boundary}#1"), boundary)
    stage.worker()
    assert_kept(stage, job, outcomes=[LOST, SUCCEEDED])


def purger_dies(stage: Stage, boundary: str) -> None:
    """A worker dies purging an ended job; another goes on, and the key stays spent."""
    job = stage.accept()
    stage.forget()
    expect_killed(stage, stage.worker(fault=f"kill@{boundary}#1"), boundary)
    kept = {"purge.before_commit": [(job.id,)], "purge.after_commit": []}[boundary]
    assert stage.rows("SELECT id FROM export_jobs") == kept
    assert len(stage.rows("SELECT * FROM spent_keys")) == 1 - len(kept)
    stage.worker()
    wait_until(lambda: not stage.rows("SELECT id FROM export_jobs"), START_SECONDS, "the job to be purged")
    with pytest.raises(RequestRefusedError) as refusal:
        stage.accept()
    assert refusal.value.code is ProblemCode.KEY_SPENT
    assert_swept(stage)


def exhauster_dies(stage: Stage, boundary: str, *, start: Callable[[Stage, str], Process]) -> None:
    """Whoever ends a job that is past its deadline dies doing so; a worker comes."""
    job = stage.accept()
    wait_until(lambda: stage.explanation(job.id).at > job.deadline_at, 10, "the deadline to pass")
    stage.forget()
    expect_killed(stage, start(stage, f"kill@{boundary}#1"), boundary)
    assert stage.job(job.id).status is {"exhaust.before_commit": Status.QUEUED}.get(boundary, Status.FAILED)
    stage.worker()
    assert_kept(stage, job, status=Status.FAILED, outcomes=[])
    assert stage.job(job.id).error_code is FailureCode.DEADLINE_EXCEEDED


# The API


def accepting_api_dies(stage: Stage, boundary: str) -> None:
    """The API dies while it accepts; the same request, sent again, leads to one job, which a worker ends."""
    victim = stage.api(fault=f"kill@{boundary}#1")
    assert victim.send_create() is None
    expect_killed(stage, victim.process, boundary)
    stage.worker()
    api = stage.api()
    committed = boundary in {"accept.after_commit", "accept.before_response"}
    answer = api.create()
    assert answer.status_code in ({200, 202} if committed else {202})
    assert answer.headers.get("Idempotency-Replayed") == ("true" if committed else None)
    job = stage.job(answer.json()["id"])
    assert_kept(stage, job, outcomes=[SUCCEEDED])
    assert_downloaded(api, stage, job.id)


def cancelling_api_dies(stage: Stage, boundary: str) -> None:
    """The API dies while it cancels; asked again, it says that the job has ended, or ends it."""
    job = stage.accept()
    victim = stage.api(fault=f"kill@{boundary}#1")
    stage.forget()
    assert not answered(victim.call, "POST", f"/exports/{job.id}/cancel")
    expect_killed(stage, victim.process, boundary)
    committed = boundary == "cancel.after_commit"
    assert stage.job(job.id).status is (Status.CANCELLED if committed else Status.QUEUED)
    assert stage.api().call("POST", f"/exports/{job.id}/cancel").status_code == (409 if committed else 200)
    stage.worker()
    assert_kept(stage, job, status=Status.CANCELLED, outcomes=[])


def erasing_api_dies(stage: Stage, boundary: str) -> None:
    """The API dies while it erases; asked again, the result is gone for good, and so are its bytes."""
    job = stage.accept()
    stage.worker()
    assert_kept(stage, job, outcomes=[SUCCEEDED])
    victim = stage.api(fault=f"kill@{boundary}#1")
    assert not answered(victim.call, "DELETE", f"/exports/{job.id}")
    expect_killed(stage, victim.process, boundary)
    api = stage.api()
    committed = boundary == "erase.after_commit"
    assert download(api, stage, job.id).status_code == (410 if committed else 200)
    assert api.call("DELETE", f"/exports/{job.id}").status_code == 204
    assert download(api, stage, job.id).status_code == 410
    wait_until(lambda: not stage.staged(), START_SECONDS, "the erased bytes to be deleted")
    assert_one_job(stage, job)
    assert_whole(stage, job.id)


def answered(call: Callable[..., object], *request: str) -> bool:
    """Whether the server lived long enough to answer."""
    try:
        call(*request)
    except httpx.TransportError:
        return False
    return True


# The operator's commands


def cancelling_operator_dies(stage: Stage, boundary: str) -> None:
    """The command dies while it cancels: the act and its record are there together, or neither is."""
    job = stage.accept()
    stage.forget()
    cancel = ("jobs", "cancel", job.id, "--reason", "a test", "--yes")
    expect_killed(stage, stage.start(*cancel, fault=f"kill@{boundary}#1"), boundary)
    committed = boundary == "cancel.after_commit"
    assert stage.job(job.id).status is (Status.CANCELLED if committed else Status.QUEUED)
    assert acts(stage, job) == (["cancel"] if committed else [])
    assert stage.run(*cancel).exit_status == (1 if committed else 0)
    assert acts(stage, job) == ["cancel"]
    stage.worker()
    assert_kept(stage, job, status=Status.CANCELLED, outcomes=[])


def requeueing_operator_dies(stage: Stage, boundary: str) -> None:
    """The command dies while it requeues; repeated with the attempts it expects, it requeues once."""
    stage.switch("refuse", on=True)
    job = stage.accept(export="switched")
    worker = stage.worker()
    assert_kept(stage, job, status=Status.FAILED, outcomes=[FAILED])
    worker.kill()
    stage.switch("refuse", on=False)
    stage.forget()
    requeue = ("jobs", "requeue", job.id, "--reason", "a test", "--yes", "--expected-attempts", "1")
    expect_killed(stage, stage.start(*requeue, fault=f"kill@{boundary}#1"), boundary)
    committed = boundary == "requeue.after_commit"
    assert stage.job(job.id).status is (Status.QUEUED if committed else Status.FAILED)
    assert stage.run(*requeue).exit_status == (1 if committed else 0)
    assert acts(stage, job) == ["requeue"]
    stage.worker()
    assert_kept(stage, job, outcomes=[FAILED, SUCCEEDED])


def acts(stage: Stage, job: Job) -> list[str]:
    return [act.action for act in stage.evidence(job.id).acts]


# The matrix


def armed_worker(stage: Stage, fault: str) -> Process:
    return stage.worker(fault=fault)


def armed_api(stage: Stage, fault: str) -> Process:
    return stage.start("api", "--port", "0", fault=fault)


PAST = (("deadline_seconds", 0.5),)
PURGING = (("retention_seconds", 0.5), ("result_lifetime_seconds", 0.2), ("expired_grace_seconds", 0.1))
TAKEN_OVER = partial(worker_dies, outcomes=[LOST, SUCCEEDED])
SWITCHED = partial(worker_dies, export="switched", count=3)
IN_OBJECTS = partial(Case, variant="objects", needs_bucket=True)

CASES = (
    *(
        Case(f"accept.{moment}", accepting_api_dies)
        for moment in ("before_insert", "before_commit", "after_commit", "before_response")
    ),
    Case("claim.before_commit", partial(worker_dies, outcomes=[SUCCEEDED])),
    Case("claim.after_commit", TAKEN_OVER),
    Case("attempt.before_authorisation", TAKEN_OVER),
    *(Case(f"child.{moment}", child_dies) for moment in ("before_extraction", "mid_extraction", "before_end")),
    *(
        Case(f"stage.{moment}", partial(TAKEN_OVER, count=count), variant)
        for moment in ("before_chunk", "after_chunk", "before_durable", "after_durable")
        for variant, count in (("database", SMALL), ("directory", LARGE))
    ),
    Case("stage.mid_move", partial(TAKEN_OVER, count=LARGE)),
    *(
        IN_OBJECTS(f"stage.{moment}", partial(TAKEN_OVER, count=SEVERAL_PARTS))
        for moment in ("before_part", "after_part", "before_durable")
    ),
    IN_OBJECTS("stage.after_durable", TAKEN_OVER),
    *(
        Case(f"renew.{moment}", partial(SWITCHED, outcomes=[LOST, SUCCEEDED], switch="wait"))
        for moment in ("before_commit", "after_commit")
    ),
    *(
        Case(f"complete.{moment}", TAKEN_OVER)
        for moment in ("before_result", "between_result_and_status", "before_commit")
    ),
    Case("complete.after_commit", partial(worker_dies, outcomes=[SUCCEEDED]), "database"),
    Case("complete.after_commit", partial(worker_dies, outcomes=[SUCCEEDED], count=LARGE), "directory"),
    IN_OBJECTS("complete.after_commit", partial(worker_dies, outcomes=[SUCCEEDED])),
    Case("retry.before_commit", partial(SWITCHED, outcomes=[LOST, SUCCEEDED], switch="fail")),
    Case("retry.after_commit", partial(SWITCHED, outcomes=[RETRIED, SUCCEEDED], switch="fail")),
    *(
        Case(
            f"fail.{moment}",
            partial(SWITCHED, outcomes=outcomes, status=Status.FAILED, switch="refuse", switched_off=False),
        )
        for moment, outcomes in (("before_commit", [LOST, FAILED]), ("after_commit", [FAILED]))
    ),
    Case("release.before_commit", partial(stopping_worker_dies, outcomes=[LOST, SUCCEEDED])),
    Case("release.after_commit", partial(stopping_worker_dies, outcomes=[RELEASED, SUCCEEDED])),
    *(
        Case(f"exhaust.{moment}", partial(exhauster_dies, start=start), who, PAST)
        for moment in ("before_commit", "after_commit")
        for who, start in (("worker", armed_worker), ("api", armed_api))
    ),
    *(
        Case(f"sweep.{moment}", partial(sweeper_dies, count=count), variant)
        for moment in ("before_delete", "after_delete")
        for variant, count in (("database", SMALL), ("directory", LARGE))
    ),
    *(
        IN_OBJECTS(f"sweep.{moment}", partial(sweeper_dies, count=SMALL))
        for moment in ("before_delete", "after_delete")
    ),
    *(Case(f"purge.{moment}", purger_dies, settings=PURGING) for moment in ("before_commit", "after_commit")),
    *(
        Case(f"{act}.{moment}", play, who)
        for act, who, play in (
            ("cancel", "owner", cancelling_api_dies),
            ("cancel", "operator", cancelling_operator_dies),
            ("erase", "owner", erasing_api_dies),
            ("requeue", "operator", requeueing_operator_dies),
        )
        for moment in ("before_commit", "after_commit")
    ),
)


@pytest.fixture(scope="module")
def played(
    request: pytest.FixtureRequest, ground: Ground, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[Case, Future[None]]]:
    """The selected cases, each being played or about to be."""
    items = [item for item in request.session.items if isinstance(item, pytest.Function)]
    selected = [case for case in CASES if any(item.name.endswith(f"[{case}]") for item in items)]
    bucket: Bucket | None = None
    if any(case.needs_bucket for case in selected):
        bucket = request.getfixturevalue("bucket")

    def play(case: Case) -> None:
        settings: dict[str, Any] = dict(case.settings)
        if case.needs_bucket and bucket is not None:
            settings["storage_url"] = bucket.prefix()
        with Stage(tmp_path_factory.mktemp(str(case)), ground, settings) as stage:
            case.play(stage, case.boundary)

    with pytest.MonkeyPatch.context() as environment, ThreadPoolExecutor(AT_ONCE) as pool:
        for name, value in bucket.environment.items() if bucket else ():
            environment.setenv(name, value)
        yield {case: pool.submit(play, case) for case in selected}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_kill_there_breaks_no_promise(case: Case, played: dict[Case, Future[None]]) -> None:
    played[case].result()


def test_somebody_is_killed_at_every_boundary() -> None:
    assert {case.boundary for case in CASES} == BOUNDARIES.keys()
