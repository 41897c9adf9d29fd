"""Events as metrics and log lines: every figure that was promised, labels that can't grow, and nothing secret."""

import dataclasses
import io
import json
import logging
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from prometheus_client.parser import text_string_to_metric_families

from outlast import FailureCode, Status
from outlast.errors import OutlastError, ProblemCode
from outlast.telemetry import endpoint, events, structured
from outlast.telemetry.events import Event
from outlast.telemetry.gauges import ExportGauges, Gauges
from outlast.telemetry.logging import log_event
from outlast.telemetry.prometheus import CONTENT_TYPE, Metrics
from tests.support.desk import Desk, desk_at
from tests.support.processes import free_port

EVENTS = [kind for kind in vars(events).values() if isinstance(kind, type) and Event in kind.__bases__]
SAMPLES: dict[Any, Any] = {
    str: "text", str | None: "text", int: 3, float: 0.5, bool: True, tuple[str, ...]: ("tasks",),
    Status: Status.SUCCEEDED, ProblemCode: ProblemCode.QUEUE_FULL, FailureCode | None: FailureCode.WORKER_LOST,
}  # fmt: skip


def sample(kind: type[Event], **given: object) -> Event:
    """An event with a value for each of its fields."""
    hints = get_type_hints(kind)
    return kind(**{field.name: SAMPLES[hints[field.name]] for field in dataclasses.fields(kind)} | given)


def settled(status: Status, code: FailureCode | None = None, export: str = "tasks") -> Event:
    return sample(events.AttemptSettled, status=status, code=code, export=export, bytes=100, seconds=2.0)


def values(exposition: bytes) -> dict[str, float]:
    """Every sample, by its name and labels."""
    return {
        ":".join([each.name, *(value for _, value in sorted(each.labels.items()))]): each.value
        for family in text_string_to_metric_families(exposition.decode())
        for each in family.samples
    }


def metrics(gauges: Gauges | None = None) -> Metrics:
    return Metrics(("tasks", "orders"), lambda: gauges or Gauges())


def test_every_promised_figure_is_counted() -> None:
    counted = metrics()
    for event in (
        sample(events.RequestAccepted, export="tasks", replayed=False),
        sample(events.RequestAccepted, export="tasks", replayed=True),
        sample(events.RequestRefused, code=ProblemCode.QUEUE_FULL),
        sample(events.AttemptClaimed, export="tasks", waited_seconds=0.02),
        settled(Status.SUCCEEDED),
        settled(Status.FAILED, FailureCode.RESULT_TOO_LARGE),
        settled(Status.QUEUED, FailureCode.TEMPORARILY_UNAVAILABLE),
        settled(Status.QUEUED),
        sample(events.JobEnded, export="tasks", status=Status.CANCELLED, code=None),
        sample(events.JobEnded, export="tasks", status=Status.FAILED, code=FailureCode.DEADLINE_EXCEEDED),
        sample(events.LeaseExpired, export="tasks"),
        sample(events.WriteFenced, action="complete"),
        sample(events.OwnershipViolated, export="tasks"),
        sample(events.BytesDeleted, reason="orphan", keys=4),
        sample(events.JobsPurged, count=5),
        sample(events.LoopFailed, loop="claim"),
    ):
        counted(event)
    found = values(counted.exposition())
    for name, value in {
        "jobs_accepted_total:tasks": 1, "requests_replayed_total:tasks": 1, "requests_refused_total:queue_full": 1,
        "attempts_claimed_total:tasks": 1, "wait_seconds_count:tasks": 1, "attempt_seconds_count:tasks": 4,
        "attempt_seconds_sum:tasks": 8, "jobs_completed_total:tasks": 1, "result_bytes_total:tasks": 100,
        "jobs_failed_total:result_too_large:tasks": 1, "jobs_failed_total:deadline_exceeded:tasks": 1,
        "attempts_retried_total:temporarily_unavailable:tasks": 1, "attempts_released_total:tasks": 1,
        "jobs_cancelled_total:tasks": 1, "leases_expired_total:tasks": 1, "writes_fenced_total:complete": 1,
        "ownership_violations_total:tasks": 1, "results_deleted_total:orphan": 4, "jobs_purged_total": 5,
        "loop_errors_total:claim": 1,
    }.items():  # fmt: skip
        assert found[f"outlast_{name}"] == value, name


def test_a_declared_export_is_there_before_anything_happened() -> None:
    found = values(metrics().exposition())
    assert found["outlast_jobs_completed_total:orders"] == 0
    assert found["outlast_jobs_available:orders"] == 0


def test_whatever_is_asked_for_adds_no_label() -> None:
    counted = metrics(Gauges({"stranger": ExportGauges(available=2), "further": ExportGauges(available=3)}))
    for number in range(50):
        counted(settled(Status.SUCCEEDED, export=f"made-up-{number}"))
    found = values(counted.exposition())
    assert found["outlast_jobs_completed_total:other"] == 50
    assert found["outlast_jobs_available:other"] == 5
    assert not any("made-up" in name or "stranger" in name for name in found)


def test_gauges_show_what_the_database_says(tmp_path: Path) -> None:
    with desk_at(tmp_path) as desk:
        desk.accept("a")
        desk.accept("b")
        desk.complete(desk.claim(), count=5_000)
        desk.pass_seconds(3)
        found = values(_metrics_of(desk).exposition())
        wal_bytes = desk.path.with_name(f"{desk.path.name}-wal").stat().st_size
    assert found["outlast_jobs_available:tasks"] == 1
    assert found["outlast_oldest_available_seconds:tasks"] == 3
    assert found["outlast_live_result_bytes"] == 5_000
    assert found["outlast_database_bytes"] + found["outlast_wal_bytes"] > 0
    assert found["outlast_wal_bytes"] == wal_bytes > 0
    assert found["outlast_state_readable"] == 1


def test_a_database_that_cannot_be_read_is_said_and_the_rest_still_answers() -> None:
    def unreadable() -> Gauges:
        raise OSError

    counted = Metrics(("tasks",), unreadable)
    counted(settled(Status.SUCCEEDED))
    found = values(counted.exposition())
    assert found["outlast_state_readable"] == 0
    assert "outlast_jobs_available:tasks" not in found
    assert found["outlast_jobs_completed_total:tasks"] == 1


def test_several_scrapes_read_the_database_once() -> None:
    reads = []

    def read() -> Gauges:
        reads.append(1)
        return Gauges()

    counted = Metrics(("tasks",), read)
    for _ in range(5):
        counted.exposition()
    assert len(reads) == 1


def test_processes_that_share_a_directory_are_added_up(tmp_path: Path) -> None:
    code = (
        "from outlast.telemetry.prometheus import Metrics; from outlast.telemetry.gauges import Gauges;"
        "from outlast.telemetry.events import LeaseExpired;"
        "metrics = Metrics(('tasks',), Gauges); metrics(LeaseExpired('job', 'tasks', 1));"
        "print(metrics.exposition().decode())"
    )
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    answers = [
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout
        for _ in range(2)
    ]
    assert [values(answer)["outlast_leases_expired_total:tasks"] for answer in answers] == [1, 2]
    assert values(answers[-1])["outlast_state_readable"] == 1


@pytest.mark.parametrize("kind", EVENTS)
def test_every_event_has_its_words_and_carries_its_fields(kind: type[Event], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "outlast")
    event = sample(kind, **({"status": Status.FAILED} if kind is events.JobEnded else {}))
    log_event(event)
    [record] = caplog.records
    assert "%(" not in record.getMessage()
    assert record.__dict__["event_name"] == kind.__name__
    for field in dataclasses.fields(kind):
        assert record.__dict__[field.name] == getattr(event, field.name)


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("code", [None, FailureCode.WORKER_LOST])
def test_an_attempt_is_worded_however_it_was_settled(
    status: Status, code: FailureCode | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "outlast")
    log_event(settled(status, code))
    assert "attempt 3 of job text" in caplog.text


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    stream = io.StringIO()
    structured.configure(json=True, stream=stream, process="worker")
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)


def test_the_service_writes_one_object_a_line(lines: io.StringIO) -> None:
    log_event(sample(events.AttemptClaimed, job_id="job-1", attempt=2, worker_id="w", request_id="r", reclaimed=False))
    [line] = lines.getvalue().splitlines()
    told = json.loads(line)
    assert told["event"] == "worker w began attempt 2 of job job-1"
    assert (told["job_id"], told["attempt"], told["worker_id"], told["request_id"]) == ("job-1", 2, "w", "r")
    assert (told["level"], told["process"], told["logger"]) == ("info", "worker", "outlast")
    assert told["timestamp"].endswith("Z")


def test_an_exception_is_told_by_class_and_place_and_not_by_its_message(lines: io.StringIO) -> None:
    def encode() -> None:
        raise ValueError("row content: Ada, 1815")

    def export() -> None:
        try:
            encode()
        except ValueError as error:
            raise OutlastError("parameter secret-value") from error

    try:
        export()
    except OutlastError:
        logging.getLogger("somebody").exception("it broke")
    [line] = lines.getvalue().splitlines()
    assert "OutlastError at" in line
    assert "caused by ValueError at" in line
    assert "test_metrics.py" in line
    assert "secret-value" not in line
    assert "Ada" not in line


def test_neither_lines_nor_metrics_hold_a_secret(tmp_path: Path, lines: io.StringIO) -> None:
    """A job's whole life with every event that its writes emit; then every event, with all that a job has."""
    with desk_at(tmp_path) as desk:
        counted = _metrics_of(desk)
        desk.exports.hooks.add(counted)
        job = desk.accept(note="secret-value")
        attempt = desk.claim()
        for event in (
            events.AttemptClaimed(job.id, job.export, attempt.number, attempt.worker_id, 0.1, reclaimed=False),
            events.WriteFenced(job.id, attempt.number, attempt.worker_id, "complete"),
            events.AttemptSettled(
                job.id, job.export, 1, attempt.worker_id, Status.FAILED, FailureCode.INTERNAL_ERROR, 1.0, 1, 1
            ),
        ):
            desk.exports.hooks.emit(event)
        logging.getLogger("outlast").warning("an attempt: %s", attempt)
        told = lines.getvalue() + counted.exposition().decode()
    assert "secret-value" not in told
    assert attempt.lease.token not in told
    assert job.id in told


@pytest.mark.parametrize("kind", EVENTS)
def test_no_event_has_room_for_a_secret(kind: type[Event]) -> None:
    names = {field.name for field in dataclasses.fields(kind)}
    assert not names & {"token", "lease", "parameters", "parameters_json", "row", "detail", "owner", "key"}


def test_the_small_server_answers_scrapes_and_probes() -> None:
    reasons: list[str | None] = [None, "the claim loop has stalled"]
    with endpoint.serve(
        "127.0.0.1", 0, exposition=metrics().exposition, content_type=CONTENT_TYPE, not_ready=lambda: reasons.pop(0)
    ) as port:
        assert _get(port, "/metrics")[:2] == (200, CONTENT_TYPE)
        assert b"outlast_jobs_accepted_total" in _get(port, "/metrics")[2]
        assert _get(port, "/livez")[0] == 200
        assert _get(port, "/readyz")[0] == 200
        assert _get(port, "/readyz")[::2] == (503, b"not ready: the claim loop has stalled\n")
        assert _get(port, "/elsewhere")[0] == 404


def test_a_taken_port_is_said_in_one_line() -> None:
    port = free_port()

    serve = partial(
        endpoint.serve, "127.0.0.1", port, exposition=bytes, content_type=CONTENT_TYPE, not_ready=lambda: None
    )
    with serve(), pytest.raises(OutlastError, match=f"can't listen on 127.0.0.1:{port}"), serve():
        pass


def _get(port: int, path: str) -> tuple[int, str, bytes]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["Content-Type"], error.read()


def _metrics_of(desk: Desk) -> Metrics:
    return Metrics(desk.exports.names, lambda: desk.health().gauges)
