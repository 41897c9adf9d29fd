"""The power goes while API and worker work: what was acknowledged is there, and the rest can be gone on with."""

import hashlib
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from outlast import Exports
from outlast.database import migrate
from outlast.model import Job, Status
from tests.crash.conftest import SOAK
from tests.crash.promises import assert_file, assert_sound, assert_swept, assert_whole
from tests.crash.stage import DATABASE, RESULTS, Api, Ground, Stage
from tests.support.powerloss import Image, Operation, Rule, Trace, images, verify_replay
from tests.support.wait import wait_until

SEED = 20_250_301
COUNT = 4_000 if SOAK else 160
CONTINUED = {COUNT // 5, COUNT // 2, COUNT - COUNT // 5}
ROUNDS = 4
IN_DATABASE, IN_DIRECTORY, MOVED = 40, 400, 1_500
"""Rows of results that are kept in the database, that go to the directory at once, and that move there on their way."""
SETTINGS = {"result_database_limit_bytes": 300_000, "poll_interval_seconds": 0.05}


@pytest.mark.timeout(7200 if SOAK else 240)
def test_every_image_has_what_was_acknowledged(tmp_path: Path, ground: Ground) -> None:
    operations = recorded(tmp_path, ground)
    kinds: Counter[str] = Counter()
    for rule in Rule:
        for number, image in enumerate(images(operations, tmp_path, seed=SEED, count=COUNT // 2, rule=rule)):
            kinds.update(assert_acknowledged_is_there(image))
            if number in CONTINUED:
                assert_can_go_on(tmp_path / f"{rule.value}-{number}", ground, image)
    # The images lie all along the way, with enough of everything to be lost.
    assert all(kinds[kind] > COUNT / 2 for kind in ("accepted", "succeeded", "downloaded", "cancelled", "erased"))


def recorded(tmp_path: Path, ground: Ground) -> Sequence[Operation]:
    """Some rounds of work, and every write and sync that API and worker did for them."""
    directory = tmp_path / "recorded"
    directory.mkdir()
    with Stage(directory, ground, SETTINGS) as stage:
        trace = Trace(stage.data, tmp_path / "logs")
        api, worker = stage.api(wrap=trace.command), stage.worker(wrap=trace.command)
        for number in range(ROUNDS):
            work(api, trace, number)
        worker.stop()
        api.process.stop()
    operations = trace.operations()
    verify_replay(operations, stage.data, tmp_path)
    return operations


def work(api: Api, trace: Trace, number: int) -> None:
    """Ask for some exports, cancel one and erase one, download the others; mark whatever was answered."""

    def create(what: str, count: int) -> str:
        answer = api.create(f"{what}-{number}", count=count)
        assert answer.status_code == 202, answer.text
        job_id: str = answer.json()["id"]
        trace.mark(f"accepted {job_id}")
        return job_id

    wanted = {create(what, count) for what, count in (("a", IN_DATABASE), ("b", IN_DIRECTORY), ("c", MOVED))}
    erased, cancelled = create("d", IN_DIRECTORY if number % 2 else IN_DATABASE), create("e", IN_DATABASE)
    if api.call("POST", f"/exports/{cancelled}/cancel").status_code == 200:
        trace.mark(f"cancelled {cancelled}")
    for job_id in (*wanted, erased):
        document = api.call("GET", f"/exports/{job_id}?wait=20", timeout=30).json()
        assert document["status"] == "succeeded", document
        trace.mark(f"succeeded {job_id}")
    for job_id in wanted:
        content = api.call("GET", f"/exports/{job_id}/result").content
        trace.mark(f"downloaded {job_id} {hashlib.sha256(content).hexdigest()}")
    assert api.call("DELETE", f"/exports/{erased}").status_code == 204
    trace.mark(f"erased {erased}")


def opened(directory: Path) -> Exports:
    return Exports(database_url=f"sqlite:///{directory / DATABASE}", results_directory=str(directory / RESULTS))


def assert_acknowledged_is_there(image: Image) -> list[str]:
    """Look with our own code; gives the kinds of what was acknowledged."""
    exports = opened(image.directory)
    try:
        assert migrate.problems(exports.database) == [], image.description
        with exports.database.read() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").all() == [("ok",)], image.description
            jobs = {row.id: row for row in connection.exec_driver_sql("SELECT * FROM export_jobs")}
            results = {row.job_id: row for row in connection.exec_driver_sql("SELECT * FROM export_results")}
        digests = {
            job_id: digest_of(exports, result.storage, result.storage_key, result.bytes)
            for job_id, result in results.items()
            if jobs[job_id].erased_at is None
        }
    finally:
        exports.close()
    # Whatever is committed has its bytes, acknowledged or not.
    assert digests == {job_id: results[job_id].sha256 for job_id in digests}, image.description
    for text in image.acknowledged:
        kind, job_id, *digest = text.split()
        assert job_id in jobs, (text, image.description)
        job = jobs[job_id]
        is_there = {
            "accepted": True,
            "cancelled": job.status == "cancelled",
            "succeeded": job.status == "succeeded" and job_id in results,
            "downloaded": [digests.get(job_id)] == digest,
            "erased": job.erased_at is not None,
        }
        assert is_there[kind], (text, image.description)
    return [text.split()[0] for text in image.acknowledged]


def digest_of(exports: Exports, storage: str, key: str, size_bytes: int) -> str:
    try:
        return hashlib.sha256(b"".join(exports.storage.read(storage, key, 0, size_bytes))).hexdigest()
    except FileNotFoundError as error:
        return f"gone: {error}"


def assert_can_go_on(directory: Path, ground: Ground, image: Image) -> None:
    """A worker ends every job that is left, as it should end, and sweeps what nobody needs."""
    directory.mkdir()
    shutil.copytree(image.directory, directory / "data")
    with Stage(directory, ground, SETTINGS) as stage:
        jobs = [stage.job(row[0]) for row in stage.rows("SELECT id FROM export_jobs")]
        stage.worker()
        wait_until(lambda: all(stage.job(job.id).status.ended for job in jobs), 40, "every job to end")
        for job in jobs:
            assert_ended_as_wished(stage, job)
        assert_swept(stage)
        assert_sound(stage)


def assert_ended_as_wished(stage: Stage, before: Job) -> None:
    found = stage.job(before.id)
    assert_whole(stage, found.id)
    assert found.status is (Status.CANCELLED if before.status is Status.CANCELLED else Status.SUCCEEDED)
    if found.status is Status.SUCCEEDED and found.erased_at is None:
        assert_file(stage, found.id)
