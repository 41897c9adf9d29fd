"""The queue's figures, counted from rows that the real writes made."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from outlast import FailureCode
from outlast.database import health
from outlast.telemetry.gauges import ExportGauges
from tests.support.desk import Desk, desk_at


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_at(tmp_path) as desk:
        yield desk


def test_an_empty_queue_is_all_zeros(desk: Desk) -> None:
    found = desk.health()
    assert found.gauges.exports == {}
    assert found.workers == ()
    assert found.unserved == ()
    assert {window.accepted for window in found.windows.values()} == {0}
    assert found.gauges.database_bytes > 0


def test_work_is_told_apart_by_export_and_by_when_it_is_due(desk: Desk) -> None:
    desk.accept("a")
    desk.fail(desk.claim(), FailureCode.TEMPORARILY_UNAVAILABLE, delay_seconds=60)
    desk.accept("b")
    desk.pass_seconds(7)
    desk.accept("c", owner="8", export="orders")
    assert desk.health().gauges.exports == {
        "orders": ExportGauges(available=1),
        "tasks": ExportGauges(available=1, scheduled=1, oldest_available_seconds=7.0),
    }
    desk.claim()
    desk.claim()
    assert desk.health().gauges.exports == {
        "orders": ExportGauges(running=1),
        "tasks": ExportGauges(scheduled=1, running=1),
    }


def test_what_no_live_worker_knows_is_named(desk: Desk) -> None:
    desk.accept("a")
    desk.accept("b", export="orders")
    desk.see_worker("w", "orders")
    found = desk.health()
    assert found.unserved == ("tasks",)
    assert [(worker.id, worker.pid, worker.exports) for worker in found.workers] == [("w", 4242, ("orders",))]
    desk.pass_seconds(61)
    assert desk.health().workers == ()
    assert desk.health().unserved == ("orders", "tasks")


def test_windows_count_what_was_accepted_and_how_it_ended(desk: Desk) -> None:
    desk.accept("old")
    desk.complete(desk.claim())
    desk.pass_seconds(2 * 3600)
    desk.accept("good")
    attempt = desk.claim()
    desk.pass_seconds(2)
    desk.complete(attempt)
    desk.accept("bad")
    desk.fail(desk.claim(), FailureCode.RESULT_TOO_LARGE)
    desk.accept("worse")
    desk.fail(desk.claim(), FailureCode.WORKER_LOST, delay_seconds=0)
    desk.release(desk.claim())
    desk.claim("silent")
    desk.pass_seconds(31)
    desk.complete(desk.claim("second"))
    windows = desk.health().windows
    hour = windows["1h"]
    assert (hour.accepted, hour.completed, hour.failed) == (3, 2, {"result_too_large": 1})
    assert (hour.retries, hour.released_attempts, hour.lost_attempts) == (1, 1, 1)
    assert (hour.mean_attempt_seconds, hour.longest_attempt_seconds) == (1.0, 2.0)
    assert (windows["24h"].accepted, windows["24h"].completed) == (4, 3)


def test_expired_leases_bytes_and_reservations_are_counted(desk: Desk) -> None:
    desk.accept("a")
    desk.complete(desk.claim(), count=5_000)
    desk.accept("b")
    desk.claim()
    gauges = desk.health().gauges
    assert (gauges.live_result_bytes, gauges.reserved_bytes, gauges.expired_leases) == (5_000, 1_024, 0)
    desk.pass_seconds(31)
    assert desk.health().gauges.expired_leases == 1


def test_fenced_writes_outlive_the_process_that_met_them(desk: Desk) -> None:
    for _ in range(2):
        desk.write(health.count_fenced())
    assert desk.health().fenced_writes == 2
