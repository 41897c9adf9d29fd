"""A job's row in any state, put there past the triggers: how a test violates one guard and no other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.engine import Connection

from outlast.database.schema import export_attempts, export_jobs, export_results
from outlast.database.triggers import create_triggers, drop_triggers
from outlast.model import ENDED, Outcome, Status

JOB_ID = "placed"
TOKEN = "t" * 32
OTHER_TOKEN = "o" * 32
STORAGE_KEY = f"{JOB_ID}/1-placed"


@contextmanager
def without_triggers(connection: Connection) -> Iterator[None]:
    """The body may break every rule but the CHECKs and the keys."""
    drop_triggers(connection)
    yield
    create_triggers(connection)


def columns_of(status: Status, now: datetime) -> dict[str, Any]:
    """A row in this status to which every transition from it applies that has no further condition."""
    columns: dict[str, Any] = {
        "id": JOB_ID, "tenant": "default", "owner": "7", "request_key": JOB_ID, "request_fingerprint": "v1:a",
        "parameters_fingerprint": "v1:b", "export": "tasks", "parameters_json": "{}", "format": "csv",
        "columns_json": '["id"]', "status": status.value, "created_at": now, "available_at": now,
        "deadline_at": now + timedelta(hours=1), "attempt_count": 1, "attempt_limit": 3, "release_count": 0,
        "lease_token": None, "lease_until": None, "worker_id": None, "finished_at": None, "error_code": None,
        "erased_at": None,
    }  # fmt: skip
    if status is Status.RUNNING:
        columns |= {"lease_token": TOKEN, "lease_until": now + timedelta(seconds=9), "worker_id": "worker-1"}
    if status in ENDED:
        columns["finished_at"] = now
    if status is Status.FAILED:
        columns["error_code"] = "internal_error"
    return columns


def place(connection: Connection, columns: dict[str, Any], *, with_result: bool = False) -> None:
    """Put the row there with its attempts: all ended but the last one of a running job."""
    status = Status(columns["status"])
    with without_triggers(connection):
        connection.execute(export_jobs.insert().values(columns))
        for number in range(1, columns["attempt_count"] + 1):
            ended = status is not Status.RUNNING or number < columns["attempt_count"]
            connection.execute(
                export_attempts.insert().values(
                    job_id=JOB_ID, number=number, worker_id="worker-1", claimed_at=columns["created_at"],
                    ended_at=columns["created_at"] if ended else None, outcome=Outcome.LOST.value if ended else None,
                    lease_until=columns["created_at"], storage_key=f"{JOB_ID}/{number}-placed",
                )
            )  # fmt: skip
        if with_result or status is Status.SUCCEEDED:
            connection.execute(
                export_results.insert().values(
                    job_id=JOB_ID, storage="database", storage_key=STORAGE_KEY, content_type="text/csv",
                    filename="tasks.csv", bytes=0, rows=0, sha256="0" * 64, created_at=columns["created_at"],
                    expires_at=columns["created_at"],
                )
            )  # fmt: skip


def snapshot(connection: Connection) -> tuple[tuple[Any, ...], ...]:
    """Everything that is known of the job: its row, its attempts and its result."""
    queries = (
        export_jobs.select().where(export_jobs.c.id == JOB_ID),
        export_attempts.select().where(export_attempts.c.job_id == JOB_ID).order_by(export_attempts.c.number),
        export_results.select().where(export_results.c.job_id == JOB_ID),
    )
    return tuple(tuple(row) for query in queries for row in connection.execute(query).all())


__all__ = ["JOB_ID", "OTHER_TOKEN", "TOKEN", "columns_of", "place", "snapshot", "without_triggers"]
