"""What section 2 of the design promises of a job, whatever happened to the processes; asserted from what is left."""

import csv
import hashlib
import io
import json
from collections.abc import Sequence

import httpx

from outlast.model import Job, Outcome, Principal, Status
from tests.crash import exporting
from tests.crash.stage import Api, Stage
from tests.support.wait import wait_until

SWEEP_SECONDS = 15.0


def assert_kept(
    stage: Stage,
    job: Job,
    *,
    status: Status = Status.SUCCEEDED,
    outcomes: Sequence[str] | None = None,
    in_order: bool = True,
) -> None:
    """As `assert_ended`, and nothing else lies about, and the file is sound."""
    assert_ended(stage, job, status=status, outcomes=outcomes, in_order=in_order)
    assert_swept(stage)
    assert_sound(stage)


def assert_ended(
    stage: Stage,
    job: Job,
    *,
    status: Status = Status.SUCCEEDED,
    outcomes: Sequence[str] | None = None,
    in_order: bool = True,
) -> None:
    """The job ended as it should, once; its one result is whole; and `explain` says so.

    Without `outcomes` its attempts may have ended in any way; not `in_order` are they where the clock was stepped back.
    """
    found = stage.await_end(job.id)
    assert found.status is status, stage.explanation(job.id)
    if outcomes is not None:
        assert stage.outcomes(job.id) == list(outcomes)
    assert_one_job(stage, job)
    assert_whole(stage, job.id)
    if status is Status.SUCCEEDED:
        assert_file(stage, job.id)
    else:
        assert found.result is None
    assert_explained(stage, job.id, in_order=in_order)


def assert_one_job(stage: Stage, job: Job) -> None:
    """The key has made this job and no other, and the same request leads to it again."""
    assert stage.rows(
        "SELECT id FROM export_jobs WHERE tenant = ? AND owner = ? AND request_key = ?",
        job.tenant, job.owner, job.request_key,
    ) == [(job.id,)]  # fmt: skip
    body = {"export": job.export, "parameters": json.loads(job.parameters_json)}
    again = stage.exports.service.accept(Principal(job.owner), job.request_key, body)
    assert again.replayed
    assert again.job.id == job.id


def assert_whole(stage: Stage, job_id: str) -> None:
    """What the rows say of the job fits together."""
    evidence = stage.evidence(job_id)
    job = evidence.seen.job
    assert [attempt.number for attempt in evidence.attempts] == list(range(1, job.attempt_count + 1))
    open_attempts = [attempt.number for attempt in evidence.attempts if attempt.ended_at is None]
    assert open_attempts == ([job.attempt_count] if job.status is Status.RUNNING else [])
    succeeded = [attempt for attempt in evidence.attempts if attempt.outcome is Outcome.SUCCEEDED]
    results = stage.rows("SELECT storage_key FROM export_results WHERE job_id = ?", job_id)
    if job.status is Status.SUCCEEDED:
        assert results == [(succeeded[0].storage_key,)]
        assert len(succeeded) == 1
    else:
        assert not succeeded
        assert not results


def assert_sound(stage: Stage) -> None:
    """SQLite finds nothing wrong with the file."""
    assert stage.rows("PRAGMA integrity_check") == [("ok",)]
    assert stage.rows("PRAGMA foreign_key_check") == []


def assert_file(stage: Stage, job_id: str) -> None:
    """The result, read by its owner, has the committed size and digest, and exactly the rows that were asked for."""
    job = stage.job(job_id)
    download = stage.exports.service.open_result(Principal(job.owner), job_id)
    result = download.result
    content = b"".join(download.read(0, result.bytes))
    assert_content(job, content)


def assert_content(job: Job, content: bytes) -> None:
    """These bytes are the job's committed result."""
    result = job.result
    assert result is not None
    assert (len(content), hashlib.sha256(content).hexdigest()) == (result.bytes, result.sha256)
    count = json.loads(job.parameters_json)["count"]
    _, *rows = csv.reader(io.StringIO(content.decode()))
    expected = [(str(number), text) for number, text in exporting.records(int(job.owner), count)]
    assert [tuple(row) for row in rows] == expected
    assert result.rows == count


def assert_downloaded(api: Api, stage: Stage, job_id: str) -> None:
    """The same over HTTP, and the answer's own promises."""
    response = download(api, stage, job_id)
    assert response.status_code == 200, response.text
    assert_content(stage.job(job_id), response.content)


def download(api: Api, stage: Stage, job_id: str) -> httpx.Response:
    return api.call("GET", f"/exports/{job_id}/result", owner=int(stage.job(job_id).owner))


def assert_swept(stage: Stage) -> None:
    """Only bytes that a committed result needs are left, anywhere."""

    def wanted() -> set[tuple[str, str]]:
        rows = stage.rows("SELECT storage, storage_key FROM export_results WHERE deleted_at IS NULL")
        return {(storage, key) for storage, key in rows}

    wait_until(lambda: stage.staged() == wanted(), SWEEP_SECONDS, "the sweep to leave only what results need")


def assert_explained(stage: Stage, job_id: str, *, in_order: bool = True) -> None:
    """`explain` tells each attempt and its end, the job's own end, and whether there is a result."""
    told = stage.explanation(job_id)
    expected: list[tuple[str, int | None]] = [("accepted", None)]
    for attempt in stage.evidence(job_id).attempts:
        assert attempt.outcome is not None
        ends = {Outcome.SUCCEEDED: ["committed"], Outcome.LOST: ["lease_lost", "lost"]}
        kinds = ["claimed", *ends.get(attempt.outcome, [attempt.outcome.value])]
        expected += [(kind, attempt.number) for kind in kinds]
    facts = [(fact.kind, fact.attempt) for fact in told.facts]
    if in_order:
        assert [fact for fact in facts if fact in expected] == expected
    else:
        assert set(facts) >= set(expected)
    assert (told.job.status.value, None) in facts
    committed = sum(kind == "committed" for kind, _ in facts)
    assert committed == (told.job.status is Status.SUCCEEDED)
    one = "Exactly one result is committed" if committed else "No result is committed"
    assert any(sentence.startswith(one) for sentence in told.certain)
