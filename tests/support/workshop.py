"""A database with the exports of `exports_app`, jobs in it, and real workers that run them."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from outlast import Exports, Principal
from outlast.database import jobs, migrate
from outlast.database.statement import Row
from outlast.faults import MARK_VARIABLE, VARIABLE
from outlast.model import Job
from tests.support import exports_app
from tests.support.processes import Process, running
from tests.support.wait import wait_until

ROOT = Path(__file__).parents[2]
SETTINGS: dict[str, Any] = {
    "lease_seconds": 0.9,
    "attempt_limit": 3,
    "backoff_base_seconds": 0.05,
    "backoff_cap_seconds": 0.05,
    "housekeeping_interval_seconds": 0.2,
    "orphan_grace_seconds": 0.1,
    "drain_seconds": 5.0,
    "child_nice": 0,
}
PATIENCE_SECONDS = 20.0


@dataclass(slots=True)
class Workshop:
    """Jobs, and the workers that were started on them; `exports` is this process's own way to the database."""

    directory: Path
    exports: Exports
    settings: dict[str, Any]
    stack: ExitStack = field(default_factory=ExitStack)

    def accept(self, export: str, owner: str = "1", **parameters: Any) -> str:
        """A new job's id."""
        body = {"export": export, "parameters": parameters}
        return self.exports.service.accept(Principal(owner), str(uuid4()), body).job.id

    def worker(self, *, fault: str | None = None, **settings: Any) -> Process:
        """Start a worker, with faults at boundaries if wanted; `settings` differ from the workshop's."""
        values = self.settings | settings
        environment = {f"OUTLAST_{name.upper()}": str(value) for name, value in values.items()}
        environment |= {
            "PYTHONPATH": str(ROOT),
            exports_app.DIRECTORY_VARIABLE: str(self.directory),
            MARK_VARIABLE: str(self.mark_path),
        }
        if fault:
            environment[VARIABLE] = fault
        command = [sys.executable, "-m", "tests.support.run_worker"]
        return self.stack.enter_context(running(command, self.directory, environment=environment, name="worker"))

    @property
    def mark_path(self) -> Path:
        """Where faults leave their marks: `boundary pid` a line."""
        return self.directory / "marks"

    def marked(self, boundary: str) -> list[int]:
        """Who has reached a boundary at which a fault was armed."""
        lines = self.mark_path.read_text().splitlines() if self.mark_path.exists() else []
        return [int(line.split()[1]) for line in lines if line.split()[0] == boundary]

    def job(self, job_id: str) -> Job:
        with self.exports.database.read() as connection:
            seen = jobs.get(connection, job_id)
        assert seen is not None
        return seen.job

    def ended(self, job_id: str, seconds: float = PATIENCE_SECONDS) -> Job:
        """The job, once it has ended."""
        wait_until(lambda: self.job(job_id).status.ended, seconds, "the job to end")
        return self.job(job_id)

    def attempts(self, job_id: str) -> list[Row]:
        """The attempts' rows, in order."""
        return self.query("SELECT * FROM export_attempts WHERE job_id = ? ORDER BY number", job_id)

    def query(self, sql: str, *values: Any) -> list[Row]:
        """Read the database itself."""
        with self.exports.database.read() as connection:
            return list(connection.exec_driver_sql(sql, values))

    def outcomes(self, job_id: str) -> list[tuple[str | None, str | None]]:
        """How each attempt ended, and with which code."""
        return [(row.outcome, row.error_code) for row in self.attempts(job_id)]

    def content(self, job: Job) -> bytes:
        """The committed result's bytes, which fit what was committed of them."""
        assert job.result is not None
        result = job.result
        return b"".join(self.exports.storage.read(result.storage, result.storage_key, 0, result.bytes))

    def staged(self, job_id: str) -> list[tuple[str, str]]:
        """Storage and key of every byte that was written for the job and lies anywhere."""
        storage = self.exports.storage
        keys = [(name, key) for name in storage.names for key in storage.keys(name, "", 1000)]
        return [(name, key) for name, key in keys if key.startswith(job_id)]

    def reached(self, gate: str, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until an attempt stands before the gate."""
        wait_until(exports_app.reached(gate, self.directory).exists, seconds, f"the gate {gate} to be reached")

    def open(self, gate: str) -> None:
        exports_app.opened(gate, self.directory).touch()

    def ban(self, owner: str) -> None:
        """Take the owner's permission away."""
        (self.directory / f"banned-{owner}").touch()

    def change_request(self, job_id: str, column: str, value: str) -> None:
        """Make the job's request one that a deploy has outdated, past the trigger that lets no request change."""
        path = str(self.exports.database.url.database)
        with closing(sqlite3.connect(path, timeout=10, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            [[trigger]] = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'export_jobs_immutable'")
            connection.execute("DROP TRIGGER export_jobs_immutable")
            connection.execute(f"UPDATE export_jobs SET {column} = ? WHERE id = ?", (value, job_id))  # noqa: S608
            connection.execute(trigger)
            connection.execute("COMMIT")


@contextmanager
def workshop_at(directory: Path, **settings: Any) -> Iterator[Workshop]:
    """An empty workshop; its workers end with the block."""
    path = directory / "jobs.db"
    values = SETTINGS | {"database_url": f"sqlite:///{path}"} | settings
    exports = Exports(**values)
    for definition in exports_app.exports:
        exports._definitions[definition.name] = definition  # noqa: SLF001 - the app's own instance has other settings
    migrate.upgrade(exports.database)
    workshop = Workshop(directory, exports, values)
    try:
        with workshop.stack:
            yield workshop
    finally:
        exports.close()


def events(worker: Process, name: str) -> list[dict[str, Any]]:
    """What a worker told, of one kind."""
    found = [json.loads(line) for line in worker.stdout.splitlines() if line.startswith("{") and line.endswith("}")]
    return [event for event in found if event["event"] == name]


def children(worker: Process) -> list[int]:
    """The pids of a worker's living children."""
    stats = {int(path.name): _stat(int(path.name)) for path in Path("/proc").iterdir() if path.name.isdigit()}
    return [pid for pid, stat in stats.items() if stat and stat[1] == str(worker.pid) and stat[0] != "Z"]


def alive(pid: int) -> bool:
    """Whether the process exists, and is no zombie."""
    stat = _stat(pid)
    return bool(stat) and stat[0] != "Z"


def _stat(pid: int) -> list[str]:
    """A process's state, its parent, and more (proc(5)); empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def await_child(worker: Process, seconds: float = PATIENCE_SECONDS) -> int:
    """The pid of a worker's only child."""
    wait_until(lambda: len(children(worker)) == 1, seconds, "the worker's child")
    return children(worker)[0]
