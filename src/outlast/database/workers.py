"""Who is alive: a worker's incarnation registers, shows itself now and then, and says when it stops."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Float, String, delete, select, update
from sqlalchemy.engine import Connection

from outlast.database.dialect import insert_or_ignore, later, now
from outlast.database.schema import workers
from outlast.database.statement import Statement, param
from outlast.database.writer import Batch, Write

_insert = Statement(
    "workers.insert",
    insert_or_ignore(workers, "id").values(
        {name: param(name) for name in ("id", "host", "pid", "exports_json")} | {"started_at": now(), "seen_at": now()}
    ),
)
_seen = Statement(
    "workers.seen",
    update(workers).where(workers.c.id == param("id", String), workers.c.stopped_at.is_(None)).values(seen_at=now()),
)
_stopped = Statement(
    "workers.stopped",
    update(workers)
    .where(workers.c.id == param("id", String), workers.c.stopped_at.is_(None))
    .values(seen_at=now(), stopped_at=now()),
)
_long_gone = workers.c.seen_at <= later(now(), -param("kept_seconds", Float))
_any_gone = Statement("workers.any_gone", select(workers.c.id).where(_long_gone).limit(1))
_forget = Statement("workers.forget", delete(workers).where(_long_gone))


@dataclass(frozen=True, slots=True)
class Incarnation:
    """One boot of a worker. A restarted one on the same host is another, and inherits nothing."""

    id: str
    host: str
    pid: int
    exports: Sequence[str]


def seen(worker: Incarnation) -> Write[None]:
    """Note that it lives; the first time, or if its row was lost, with who it is."""

    def perform(connection: Connection, _shared: Batch) -> None:
        if not _seen.count(connection, id=worker.id):
            exports_json = json.dumps(list(worker.exports))
            _insert.count(connection, id=worker.id, host=worker.host, pid=worker.pid, exports_json=exports_json)

    return Write("worker", worker.id, perform, lambda connection: perform(connection, Batch()))


def stopped(worker: Incarnation) -> Write[None]:
    """Note that it has stopped, and holds nothing any more."""

    def perform(connection: Connection, _shared: Batch) -> None:
        _stopped.count(connection, id=worker.id)

    return Write("worker", worker.id, perform, lambda connection: perform(connection, Batch()))


def any_gone(connection: Connection, *, kept_seconds: float) -> bool:
    """Whether there is somebody to forget."""
    return _any_gone.row(connection, kept_seconds=kept_seconds) is not None


def forget(*, kept_seconds: float) -> Write[int]:
    """Delete the rows of those who weren't seen for so long, stopped or not."""

    def perform(connection: Connection, _shared: Batch) -> int:
        return _forget.count(connection, kept_seconds=kept_seconds)

    return Write("purge", "purge", perform, lambda connection: perform(connection, Batch()))
