"""The queue's health, read from durable facts in one snapshot, so that every process that asks gets one answer.

Live work is counted in indexes that hold nothing else; recent windows seek by when jobs ended.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Float, Integer, String, func, literal, select, union_all
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.engine import Connection

from outlast.database import admission
from outlast.database.connection import Database
from outlast.database.dialect import later, now, seconds_since
from outlast.database.schema import LIVE, QUEUED, RUNNING, counters, export_attempts, export_jobs, workers
from outlast.database.statement import Row, Statement, param
from outlast.database.triggers import LIVE_RESULT_BYTES
from outlast.database.writer import Batch, Write
from outlast.model import Outcome, Status
from outlast.settings import Settings
from outlast.telemetry.gauges import ExportGauges, Gauges

WINDOWS_SECONDS = {"5m": 300, "1h": 3_600, "24h": 86_400}
EXPORTS_LIMIT = 200
WORKERS_LIMIT = 100
FENCED_WRITES = "fenced_writes"
"""The counter of settlements and renewals that were refused for want of a current lease."""

_jobs = export_jobs.c
_attempts = export_attempts.c
_since = later(now(), -param("window_seconds", Float))
_took = seconds_since(_attempts.claimed_at) - seconds_since(_attempts.ended_at)

_queued = Statement(
    "health.queued",
    select(
        _jobs.export,
        func.count().filter(_jobs.available_at <= now()).label("available"),
        func.count().filter(_jobs.available_at > now()).label("scheduled"),
        seconds_since(func.min(_jobs.available_at)).label("oldest_seconds"),
    )
    .where(QUEUED)
    .group_by(_jobs.export)
    .order_by(_jobs.export)
    .limit(EXPORTS_LIMIT),
)
_running = Statement(
    "health.running",
    select(
        _jobs.export,
        func.count().label("running"),
        func.count().filter(_jobs.lease_until <= now()).label("overdue"),
    )
    .where(RUNNING)
    .group_by(_jobs.export)
    .order_by(_jobs.export)
    .limit(EXPORTS_LIMIT),
)
_accepted = Statement(
    "health.accepted",
    select(func.count().label("count")).select_from(
        union_all(
            select(_jobs.id).where(LIVE, _jobs.created_at > _since),
            # Whatever was accepted since then and has ended, ended since then.
            select(_jobs.id).where(
                _jobs.finished_at.is_not(None), _jobs.finished_at > _since, _jobs.created_at > _since
            ),
        ).subquery()
    ),
)
_ended = Statement(
    "health.ended",
    select(_jobs.status, _jobs.error_code, func.count().label("count"))
    .where(_jobs.finished_at.is_not(None), _jobs.finished_at > _since)
    .group_by(_jobs.status, _jobs.error_code),
)
_ended_attempts = union_all(
    *(
        select(_attempts.outcome, _took.label("seconds"))
        .join_from(export_jobs, export_attempts, _attempts.job_id == _jobs.id)
        .where(*which, _attempts.ended_at > _since)
        for which in ((LIVE,), (_jobs.finished_at.is_not(None), _jobs.finished_at > _since))
    )
).subquery()
_attempts_ended = Statement(
    "health.attempts_ended",
    select(
        _ended_attempts.c.outcome,
        func.count().label("count"),
        func.avg(_ended_attempts.c.seconds).label("mean_seconds"),
        func.max(_ended_attempts.c.seconds).label("longest_seconds"),
    ).group_by(_ended_attempts.c.outcome),
)
_workers = Statement(
    "health.workers",
    select(workers.c.id, workers.c.host, workers.c.pid, workers.c.exports_json, workers.c.started_at, workers.c.seen_at)
    .where(workers.c.stopped_at.is_(None), workers.c.seen_at > later(now(), -param("seen_seconds", Float)))
    .order_by(workers.c.started_at)
    .limit(WORKERS_LIMIT),
)
_counter = Statement("health.counter", select(counters.c.value).where(counters.c.name == param("name", String)))
_now = Statement("health.now", select(now().label("at")))
_count = Statement(
    "health.count",
    insert(counters)
    .values(name=param("name"), value=1)
    .on_conflict_do_update(index_elements=[counters.c.name], set_={"value": counters.c.value + literal(1, Integer)}),
)


@dataclass(frozen=True, slots=True)
class Window:
    """What happened lately: jobs by how they ended (failures by code), attempts by outcome, and how long they took."""

    accepted: int
    completed: int
    cancelled: int
    failed: dict[str, int]
    retries: int
    lost_attempts: int
    released_attempts: int
    mean_attempt_seconds: float | None
    longest_attempt_seconds: float | None


@dataclass(frozen=True, slots=True)
class LiveWorker:
    """A worker that showed itself lately."""

    id: str
    host: str
    pid: int
    exports: tuple[str, ...]
    started_at: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class Health:
    """Everything about the queue at one moment; `unserved` are exports with queued jobs that no live worker knows."""

    at: datetime
    gauges: Gauges
    unserved: tuple[str, ...]
    fenced_writes: int
    windows: dict[str, Window]
    workers: tuple[LiveWorker, ...]


def health(database: Database, settings: Settings) -> Health:
    """Read everything. Raises RequestRefusedError (503) when the database can't be read."""
    with database.read() as connection:
        live = tuple(_worker_of(row) for row in _workers.rows(connection, seen_seconds=settings.worker_seen_seconds))
        gauges = _gauges(connection, database, settings)
        known = {export for worker in live for export in worker.exports}
        return Health(
            at=_now.value(connection),
            gauges=gauges,
            unserved=tuple(
                name for name, of in gauges.exports.items() if of.available + of.scheduled and name not in known
            ),
            fenced_writes=_counter.value(connection, name=FENCED_WRITES) or 0,
            windows={name: _window(connection, seconds) for name, seconds in WINDOWS_SECONDS.items()},
            workers=live,
        )


def read_gauges(database: Database, settings: Settings) -> Gauges:
    """Read what the metrics show. Raises RequestRefusedError (503) when the database can't be read."""
    with database.read() as connection:
        return _gauges(connection, database, settings)


def count_fenced() -> Write[None]:
    """The write that counts one fenced write, so that the figure outlives the process that met it."""

    def perform(connection: Connection, _shared: Batch) -> None:
        _count.count(connection, name=FENCED_WRITES)

    # A lost COMMIT may count twice: better than not at all, for what is looked for is that it happens.
    return Write("count", FENCED_WRITES, perform, lambda connection: perform(connection, Batch()))


def _gauges(connection: Connection, database: Database, settings: Settings) -> Gauges:
    exports = {
        row.export: ExportGauges(row.available, row.scheduled, 0, max(0.0, row.oldest_seconds))
        for row in _queued.rows(connection)
    }
    running = _running.rows(connection)
    for row in running:
        exports[row.export] = exports.get(row.export, ExportGauges()) + ExportGauges(running=row.running)
    sizes = database.file_sizes()
    live_bytes = _counter.value(connection, name=LIVE_RESULT_BYTES) or 0
    return Gauges(
        exports=dict(sorted(exports.items())),
        expired_leases=sum(row.overdue for row in running),
        live_workers=len(_workers.rows(connection, seen_seconds=settings.worker_seen_seconds)),
        live_result_bytes=live_bytes,
        reserved_bytes=admission.storage_bytes(connection) - live_bytes,
        database_bytes=sizes["database"],
        wal_bytes=sizes["wal"],
    )


def _window(connection: Connection, seconds: float) -> Window:
    ended: Counter[str] = Counter()
    failed: dict[str, int] = {}
    for row in _ended.rows(connection, window_seconds=seconds):
        ended[row.status] += row.count
        if row.status == Status.FAILED:
            failed[row.error_code] = row.count
    attempts: dict[str, Row] = {row.outcome: row for row in _attempts_ended.rows(connection, window_seconds=seconds)}
    finished = attempts.get(Outcome.SUCCEEDED)
    return Window(
        accepted=_accepted.value(connection, window_seconds=seconds),
        completed=ended[Status.SUCCEEDED],
        cancelled=ended[Status.CANCELLED],
        failed=failed,
        retries=_count_of(attempts, Outcome.RETRIED),
        lost_attempts=_count_of(attempts, Outcome.LOST),
        released_attempts=_count_of(attempts, Outcome.RELEASED),
        mean_attempt_seconds=finished.mean_seconds if finished else None,
        longest_attempt_seconds=finished.longest_seconds if finished else None,
    )


def _count_of(attempts: dict[str, Row], outcome: Outcome) -> int:
    return int(attempts[outcome].count) if outcome in attempts else 0


def _worker_of(row: Row) -> LiveWorker:
    return LiveWorker(row.id, row.host, row.pid, tuple(json.loads(row.exports_json)), row.started_at, row.seen_at)
