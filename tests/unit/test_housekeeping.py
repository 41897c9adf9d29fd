"""What has to go goes, after its time and not before; what somebody still wants stays."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from outlast import Principal, RequestRefusedError
from outlast.database import housekeeping as rows
from outlast.database import jobs, settle, workers
from outlast.database.workers import Incarnation
from outlast.errors import FailureCode, ProblemCode
from outlast.model import Attempt, Job, StagedResult, Status
from outlast.telemetry.events import (
    BytesDeleted,
    Event,
    JobEnded,
    JobsPurged,
    LeaseExpired,
    LoopFailed,
    RequestAccepted,
)
from outlast.worker import housekeeping
from outlast.worker.housekeeping import Sweep, Swept, sweep_once
from tests.support.desk import Desk, desk_at

DAY = 86_400.0


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_at(tmp_path) as desk:
        yield desk


@pytest.fixture
def told(desk: Desk) -> list[Event]:
    events: list[Event] = []
    desk.exports.hooks.add(lambda event: None if isinstance(event, RequestAccepted) else events.append(event))
    return events


def claimed(desk: Desk, key: str = "key-1") -> Attempt:
    desk.accept(key)
    return desk.claim()


def stage(desk: Desk, attempt: Attempt, data: bytes = b"data") -> StagedResult:
    staging = desk.exports.storage.stage(attempt)
    staging.write(data)
    staging.finish()
    digest = hashlib.sha256(data).hexdigest()
    return StagedResult(
        staging.storage, attempt.storage_key, "text/csv", "tasks.csv", len(data), 1, digest, as_of=None
    )  # fmt: skip


def complete(desk: Desk, attempt: Attempt, result: StagedResult, lifetime_seconds: float = 7 * DAY) -> Job:
    return desk.write(settle.complete(attempt, result, lifetime_seconds=lifetime_seconds))


def completed(desk: Desk, key: str = "key-1") -> Job:
    attempt = claimed(desk, key)
    return complete(desk, attempt, stage(desk, attempt))


def staged(desk: Desk) -> list[str]:
    storage = desk.exports.storage
    return [key for name in storage.names for key in storage.keys(name, "", 1000)]


def status_of(desk: Desk, job: Job) -> Status:
    return desk.exports.service.get(Principal(job.owner), job.id).job.status


# Jobs past saving


def test_jobs_past_their_deadline_end_known_or_not(desk: Desk, told: list[Event]) -> None:
    known, unknown = desk.accept("known"), desk.accept("unknown", export="orders")
    desk.pass_seconds(DAY - 1)
    assert sweep_once(desk.exports).exhausted == 0
    desk.pass_seconds(2)
    assert sweep_once(desk.exports).exhausted == 2
    assert told == [
        JobEnded(job.id, job.export, Status.FAILED, FailureCode.DEADLINE_EXCEEDED) for job in (known, unknown)
    ]
    assert sweep_once(desk.exports).exhausted == 0


def test_a_running_job_past_its_deadline_ends_with_its_lease(desk: Desk, told: list[Event]) -> None:
    job = desk.accept()
    desk.pass_seconds(DAY - 10)
    attempt = desk.claim()
    desk.pass_seconds(9)
    assert sweep_once(desk.exports).exhausted == 0
    desk.pass_seconds(2)
    assert sweep_once(desk.exports).exhausted == 1
    assert LeaseExpired(job.id, "tasks", attempt.number) in told


def test_a_lost_last_attempt_is_given_up_by_those_who_waited(desk: Desk) -> None:
    for number in range(3):
        claimed(desk) if number == 0 else desk.claim()
        desk.pass_seconds(31)
    sweep = Sweep(desk.exports)
    sweep.exhaust(may_reclaim=False)
    assert sweep.swept.exhausted == 0
    sweep.exhaust(may_reclaim=True)
    assert sweep.swept.exhausted == 1


def test_a_lease_that_lives_or_may_be_renewed_is_left_alone(desk: Desk) -> None:
    attempt = claimed(desk)
    sweep = Sweep(desk.exports)
    sweep.exhaust(may_reclaim=True)
    desk.pass_seconds(31)
    sweep.exhaust(may_reclaim=True)
    assert sweep.swept.exhausted == 0
    assert status_of(desk, attempt.job) is Status.RUNNING


# Bytes that nobody wants


def test_a_closed_attempts_bytes_are_orphans_after_the_grace(desk: Desk, told: list[Event]) -> None:
    attempt = claimed(desk)
    stage(desk, attempt)
    desk.fail(attempt, FailureCode.INTERNAL_ERROR)
    desk.pass_seconds(299)
    assert sweep_once(desk.exports).orphans == 0
    desk.pass_seconds(2)
    assert sweep_once(desk.exports).orphans == 1
    assert staged(desk) == []
    assert told == [BytesDeleted("orphan", 1)]


def test_an_open_attempts_bytes_are_kept_however_late_it_is(desk: Desk) -> None:
    attempt = claimed(desk)
    stage(desk, attempt)
    desk.pass_seconds(3000)
    assert sweep_once(desk.exports).orphans == 0
    assert staged(desk) == [attempt.storage_key]


def test_a_results_bytes_are_kept_and_those_that_lie_beside_it_are_not(desk: Desk) -> None:
    attempt = claimed(desk)
    stage(desk, attempt)
    directory = desk.exports.storage.directory.open(attempt.storage_key)  # type: ignore[attr-defined]
    directory.append(b"data")
    directory.finish()
    complete(desk, attempt, StagedResult("directory", attempt.storage_key, "text/csv", "f", 4, 1, "a" * 64, None))
    desk.pass_seconds(301)
    assert sweep_once(desk.exports).orphans == 1
    assert desk.exports.storage.keys("database", "", 10) == []
    assert desk.exports.storage.keys("directory", "", 10) == [attempt.storage_key]


def test_bytes_that_arrive_after_their_key_was_swept_are_swept_again(desk: Desk) -> None:
    attempt = claimed(desk)
    desk.fail(attempt, FailureCode.INTERNAL_ERROR)
    desk.pass_seconds(301)
    for _ in range(2):
        late = desk.exports.storage.directory.open(attempt.storage_key)  # type: ignore[attr-defined]
        late.append(b"too late")
        late.finish()
        assert sweep_once(desk.exports).orphans == 1
        assert staged(desk) == []


def test_bytes_of_no_job_are_deleted(desk: Desk) -> None:
    stranger = desk.exports.storage.directory.open("f" * 36 + "/1-ab")  # type: ignore[attr-defined]
    stranger.finish()
    assert sweep_once(desk.exports).orphans == 1


def test_a_worker_lists_a_page_at_a_time_and_begins_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "PAGE_KEYS", 2)
    for number in range(5):
        attempt = claimed(desk, f"key-{number}")
        stage(desk, attempt)
        desk.fail(attempt, FailureCode.UNKNOWN_EXPORT)
    desk.pass_seconds(301)
    sweep = Sweep(desk.exports)
    left = []
    for _ in range(4):
        sweep.turn()
        left.append(len(staged(desk)))
    assert left == [3, 1, 0, 0]
    attempt = claimed(desk, "key-6")
    stage(desk, attempt)
    desk.fail(attempt, FailureCode.UNKNOWN_EXPORT)
    desk.pass_seconds(301)
    sweep.turn()
    assert staged(desk) == []


def test_what_can_not_be_deleted_is_counted_and_stops_nobody_else(desk: Desk, told: list[Event]) -> None:
    folder = desk.path.with_name("jobs.db-results") / ("0123456789ab" * 3)
    (folder / "2-ab").mkdir(parents=True)
    (folder / "1-ab").touch()
    (folder / "3-ab").touch()
    assert sweep_once(desk.exports) == Swept(orphans=2, failed=1)
    assert LoopFailed("sweep", "IsADirectoryError") in told


# Results that expired or were erased


def test_an_expired_results_bytes_go_after_the_grace(desk: Desk, told: list[Event]) -> None:
    job = completed(desk)
    desk.pass_seconds(7 * DAY + 3599)
    assert sweep_once(desk.exports).expired == 0
    desk.pass_seconds(2)
    assert sweep_once(desk.exports).expired == 1
    assert staged(desk) == []
    found = desk.exports.service.get(Principal(job.owner), job.id).job
    assert found.status is Status.SUCCEEDED
    assert found.result is not None
    assert found.result.deleted_at is not None
    assert BytesDeleted("expired", 1) in told
    assert desk.health().gauges.live_result_bytes == 0


def test_more_results_than_a_batch_expire_in_one_round(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "BATCH", 2)
    monkeypatch.setattr(rows, "BATCH", 2)
    for number in range(5):
        completed(desk, f"key-{number}")
    desk.pass_seconds(8 * DAY)
    assert sweep_once(desk.exports).expired == 5


def test_an_erased_results_bytes_go_at_once(desk: Desk) -> None:
    job = completed(desk)
    desk.write(jobs.erase(job.id, Principal(job.owner)))
    assert staged(desk) != []
    assert sweep_once(desk.exports).erased == 1
    assert staged(desk) == []
    assert sweep_once(desk.exports) == Swept()


# Old jobs


def test_an_old_job_goes_and_its_key_stays_until_its_published_lifetime_ends(desk: Desk, told: list[Event]) -> None:
    job = completed(desk)
    desk.pass_seconds(30 * DAY - 10)
    assert sweep_once(desk.exports).purged == 0
    desk.pass_seconds(20)
    assert sweep_once(desk.exports).purged == 1
    assert JobsPurged(1) in told
    with pytest.raises(RequestRefusedError) as refused:
        desk.exports.service.get(Principal(job.owner), job.id)
    assert refused.value.code is ProblemCode.NOT_FOUND
    with pytest.raises(RequestRefusedError) as refused:
        desk.accept()
    assert refused.value.code is ProblemCode.KEY_SPENT
    desk.pass_seconds(60 * DAY)
    assert sweep_once(desk.exports).keys_forgotten == 1
    assert desk.accept().id != job.id


def test_a_key_that_was_used_again_is_spent_anew(desk: Desk) -> None:
    completed(desk)
    desk.pass_seconds(31 * DAY)
    sweep_once(desk.exports)
    desk.pass_seconds(60 * DAY)
    second = completed(desk)
    desk.pass_seconds(31 * DAY)
    sweep = Sweep(desk.exports)
    sweep.expire()
    sweep.purge()
    assert (sweep.swept.purged, sweep.swept.keys_forgotten) == (1, 0)
    with pytest.raises(RequestRefusedError) as refused:
        desk.accept()
    assert refused.value.code is ProblemCode.KEY_SPENT
    assert second.id


def test_no_job_goes_before_its_bytes(desk: Desk) -> None:
    attempt = claimed(desk)
    complete(desk, attempt, stage(desk, attempt), lifetime_seconds=40 * DAY)
    desk.pass_seconds(31 * DAY)
    assert sweep_once(desk.exports) == Swept()
    desk.pass_seconds(10 * DAY)
    assert sweep_once(desk.exports) == Swept(expired=1, purged=1)


def test_live_jobs_are_never_purged(desk: Desk) -> None:
    running = claimed(desk)
    desk.pass_seconds(DAY / 2)
    assert status_of(desk, running.job) is Status.RUNNING
    sweep = Sweep(desk.exports)
    sweep.purge()
    assert sweep.swept == Swept()


# Workers


def test_a_worker_shows_itself_stops_and_is_forgotten_after_a_day(desk: Desk) -> None:
    worker = Incarnation("w-1", "host", 42, ("tasks",))
    for _ in range(2):
        desk.write(workers.seen(worker))
        desk.pass_seconds(50)
        assert [live.id for live in desk.health().workers] == ["w-1"]
    desk.write(workers.stopped(worker))
    assert desk.health().workers == ()
    desk.write(workers.seen(Incarnation("w-2", "host", 43, ("tasks",))))
    desk.pass_seconds(DAY + 1)
    desk.write(workers.seen(Incarnation("w-2", "host", 43, ("tasks",))))
    sweep_once(desk.exports)
    with desk.exports.database.read() as connection:
        assert connection.exec_driver_sql("SELECT id FROM workers").scalars().all() == ["w-2"]
