"""The disk is full: nothing is acknowledged that isn't there, nothing half-written is served, and jobs go on later."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from outlast.errors import FailureCode
from outlast.model import Status
from tests.crash.promises import assert_downloaded, assert_kept, assert_sound, download
from tests.crash.room import Room, room
from tests.crash.stage import LARGE, SETTINGS, START_SECONDS, Ground, Stage
from tests.support.wait import wait_until

KIB = 1024
ROOM_BYTES = 4 * KIB * KIB
CALLERS = 24
LITTLE_BYTES = 64 * KIB
TOO_LITTLE_BYTES = 600 * KIB
"""Of the thousand that a large result has."""


@contextmanager
def cramped(tmp_path: Path, ground: Ground, settings: Mapping[str, float] = SETTINGS) -> Iterator[tuple[Stage, Room]]:
    """A stage whose data lie in a small room."""
    (tmp_path / "data").mkdir()
    with room(tmp_path / "data", ROOM_BYTES) as small, Stage(tmp_path, ground, settings) as stage:
        yield stage, small


@pytest.mark.parametrize("little_bytes", [0, LITTLE_BYTES // 4, LITTLE_BYTES], ids=["none", "some", "more"])
def test_a_full_disk_acknowledges_nothing_that_is_not_there(little_bytes: int, tmp_path: Path, ground: Ground) -> None:
    with cramped(tmp_path, ground) as (stage, small):
        api = stage.api()
        early = api.create("early").json()["id"]
        small.fill(leaving_bytes=little_bytes)
        keys = [f"key-{number}" for number in range(CALLERS)]
        with ThreadPoolExecutor(CALLERS) as callers:
            answers = dict(zip(keys, callers.map(api.create, keys), strict=True))
        assert {answer.status_code for answer in answers.values()} <= {202, 503}
        assert any(answer.status_code == 503 for answer in answers.values())
        assert all("Retry-After" in answer.headers for answer in answers.values() if answer.status_code == 503)
        there = dict(stage.rows("SELECT request_key, id FROM export_jobs"))
        for key, answer in answers.items():
            if answer.status_code == 202:
                assert there[key] == answer.json()["id"]
        # What needs no room goes on.
        assert api.call("GET", f"/exports/{early}").status_code == 200
        assert api.create("early").json()["id"] == early
        assert api.answers()
        small.give_back()
        for key in keys:
            again = api.create(key)
            assert again.status_code == 202
            assert again.json()["id"] == there.get(key, again.json()["id"])
        assert len(stage.rows("SELECT id FROM export_jobs")) == 1 + CALLERS
        assert_sound(stage)


def test_an_attempt_without_room_in_the_directory_is_retried_until_there_is(tmp_path: Path, ground: Ground) -> None:
    with cramped(tmp_path, ground, {"result_database_limit_bytes": 0, "attempt_limit": 1_000}) as (stage, small):
        api = stage.api()
        job = stage.job(api.create(count=LARGE).json()["id"])
        small.fill(leaving_bytes=TOO_LITTLE_BYTES)
        worker = stage.worker()
        wait_until(lambda: stage.outcomes(job.id)[:1] == ["retried"], START_SECONDS, "an attempt to fail")
        assert stage.evidence(job.id).attempts[0].error_code is FailureCode.TEMPORARILY_UNAVAILABLE
        assert download(api, stage, job.id).status_code == 409
        small.give_back()
        assert_kept(stage, job)
        assert set(stage.outcomes(job.id)[:-1]) == {"retried"}
        assert_downloaded(api, stage, job.id)
        assert worker.exit_status is None


def test_a_job_that_never_finds_room_fails_with_its_code(tmp_path: Path, ground: Ground) -> None:
    with cramped(tmp_path, ground, {"result_database_limit_bytes": 0, "attempt_limit": 2}) as (stage, small):
        api = stage.api()
        job = stage.job(api.create(count=LARGE).json()["id"])
        small.fill(leaving_bytes=TOO_LITTLE_BYTES)
        stage.worker()
        assert_kept(stage, job, status=Status.FAILED, outcomes=["retried", "failed"])
        assert stage.job(job.id).error_code is FailureCode.TEMPORARILY_UNAVAILABLE
        answer = download(api, stage, job.id)
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "temporarily_unavailable")


def test_an_attempt_without_room_in_the_database_waits_and_another_succeeds(tmp_path: Path, ground: Ground) -> None:
    """Not even the failure can be written down; nobody dies of it, and everything goes on once there is room."""
    settings = {"result_database_limit_bytes": ROOM_BYTES, "attempt_limit": 1_000}
    with cramped(tmp_path, ground, settings) as (stage, small):
        api = stage.api()
        job = stage.job(api.create(count=LARGE).json()["id"])
        small.fill(leaving_bytes=TOO_LITTLE_BYTES)
        worker = stage.worker()
        wait_until(lambda: small.free_bytes() < LITTLE_BYTES, START_SECONDS, "the attempt to use the room up")
        wait_until(lambda: "lease_expired" in kinds(stage, job.id), START_SECONDS, "its lease to expire")
        assert download(api, stage, job.id).status_code == 409
        assert api.create("other").status_code == 503
        small.give_back()
        assert_kept(stage, job)
        assert set(stage.outcomes(job.id)[:-1]) <= {"lost", "retried"}
        assert_downloaded(api, stage, job.id)
        assert worker.exit_status is None


def kinds(stage: Stage, job_id: str) -> list[str]:
    return [fact.kind for fact in stage.explanation(job_id).facts]
