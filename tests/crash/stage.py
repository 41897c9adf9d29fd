"""One database and the processes that serve it: started, armed with faults, killed; and what they leave behind."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from outlast import Exports
from outlast.database import inspect, migrate, tokens
from outlast.database.connection import Database
from outlast.database.explain import Explanation, explain
from outlast.database.inspect import Evidence
from outlast.database.writer import Writer
from outlast.faults import MARK_VARIABLE, VARIABLE
from outlast.model import Job, Principal
from tests.crash import exporting
from tests.support.processes import Process, free_port, running
from tests.support.wait import wait_until

REPOSITORY = Path(__file__).parents[2]
APP = "tests.crash.exporting:exports"
DATABASE, RESULTS = "jobs.db", "results"
START_SECONDS = 30.0
END_SECONDS = 30.0
SETTINGS: Mapping[str, float] = {
    "lease_seconds": 1.5,
    "backoff_base_seconds": 0.05,
    "backoff_cap_seconds": 0.05,
    "housekeeping_interval_seconds": 0.25,
    "orphan_grace_seconds": 0.5,
    "drain_seconds": 0.2,
    "accept_wait_seconds": 2.0,
    "result_database_limit_bytes": 600_000,
}
SMALL, LARGE = 1_500, 4_000
"""Rows that stay below the database's cap, in two pieces, and rows that pass it."""
SEVERAL_PARTS = exporting.MANY
"""Rows that need a second part of an object."""


@dataclass(frozen=True)
class Ground:
    """What every stage of a test run begins with: a migrated database with a token an owner, and a source."""

    template: Path
    source: Path
    tokens: Mapping[int, str]

    @classmethod
    def prepared(cls, directory: Path) -> Self:
        ground = cls(directory / "template.db", directory / "source.db", {})
        exporting.fill_source(ground.source)
        database = Database(f"sqlite:///{ground.template}")
        migrate.upgrade(database)
        writer = Writer(database, queue_limit=10)
        made = {owner: tokens.new_token() for owner in exporting.OWNERS}
        for owner, token in made.items():
            writer.run(tokens.issue(token, Principal(str(owner))), wait_seconds=5)
        writer.close()
        database.close()
        return cls(ground.template, ground.source, made)


class Stage:
    """Database and results in `directory/data`; what is started on them ends with the block."""

    def __init__(self, directory: Path, ground: Ground, settings: Mapping[str, Any] = SETTINGS) -> None:
        """Begin with a copy of the ground's database, unless there is one already. `settings` change SETTINGS."""
        self.directory = directory
        self.ground = ground
        self.data = directory / "data"
        self.switches = directory / "switches"
        self.marks = directory / "marks"
        self.switches.mkdir()
        self._processes = ExitStack()
        if not (self.data / DATABASE).exists():
            self.data.mkdir(exist_ok=True)
            shutil.copyfile(ground.template, self.data / DATABASE)
        values: dict[str, Any] = {
            **SETTINGS,
            **settings,
            "database_url": f"sqlite:///{self.data / DATABASE}",
            "results_directory": str(self.data / RESULTS),
        }
        self.environment = {
            **{f"OUTLAST_{name.upper()}": str(value) for name, value in values.items()},
            "OUTLAST_APP": APP,
            "PYTHONPATH": str(REPOSITORY),
            exporting.SOURCE_VARIABLE: str(ground.source),
            exporting.SWITCHES_VARIABLE: str(self.switches),
        }
        self.exports = exporting.declare(Exports(source=f"sqlite:///{ground.source}", **values))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._processes.__exit__(kind, error, trace)
        finally:
            self.exports.close()

    # Processes

    def start(
        self,
        *arguments: str,
        fault: str | None = None,
        environment: Mapping[str, str] | None = None,
        wrap: Callable[[Sequence[str]], Sequence[str]] = list,
    ) -> Process:
        """Run an `outlast` command, armed with a fault if there is one; `wrap` puts words around it."""
        command = wrap([sys.executable, "-m", "outlast.cli", *arguments])
        variables = {**self.environment, **(environment or {})}
        if fault:
            variables |= {VARIABLE: fault, MARK_VARIABLE: str(self.marks)}
        context = running(command, self.directory, environment=variables, name=arguments[0])
        return self._processes.enter_context(context)

    def worker(self, fault: str | None = None, **how: Any) -> Process:
        return self.start("worker", fault=fault, **how)

    def api(self, fault: str | None = None, **how: Any) -> "Api":
        """An API that answers."""
        port = free_port()
        process = self.start("api", "--port", str(port), fault=fault, **how)
        api = Api(process, f"http://127.0.0.1:{port}", self.ground.tokens)
        wait_until(api.answers, START_SECONDS, "the API to answer")
        return api

    def run(self, *arguments: str, fault: str | None = None) -> Process:
        """Run an `outlast` command to its end."""
        process = self.start(*arguments, fault=fault)
        process.wait(START_SECONDS)
        return process

    def forget(self) -> None:
        """Close this process's own connections, so that whoever is killed next leaves the file as a crash would."""
        self.exports.database.close()

    # What happens

    def accept(self, key: str = "key", *, owner: int = 1, export: str = "rows", count: int = SMALL) -> Job:
        """Ask for an export, in this process."""
        body = {"export": export, "parameters": {"count": count}}
        return self.exports.service.accept(Principal(str(owner)), key, body).job

    def switch(self, name: str, *, on: bool) -> None:
        """Tell the export `switched` what to do."""
        if on:
            (self.switches / name).touch()
        else:
            (self.switches / name).unlink()

    def passed(self, boundary: str) -> bool:
        """Whether an armed fault was reached there."""
        return any(line.split()[0] == boundary for line in self._marked())

    def _marked(self) -> list[str]:
        return self.marks.read_text().splitlines() if self.marks.exists() else []

    # What is left

    @property
    def wal(self) -> Path:
        """The database's write-ahead log."""
        return self.data / f"{DATABASE}-wal"

    def evidence(self, job_id: str) -> Evidence:
        with self.exports.database.read() as connection:
            return inspect.evidence(connection, job_id, worker_seen_seconds=60)

    def job(self, job_id: str) -> Job:
        return self.evidence(job_id).seen.job

    def outcomes(self, job_id: str) -> list[str | None]:
        """How each attempt ended, in order; None for one that is open."""
        return [attempt.outcome and attempt.outcome.value for attempt in self.evidence(job_id).attempts]

    def explanation(self, job_id: str) -> Explanation:
        return explain(self.evidence(job_id), self.exports.settings)

    def await_end(self, job_id: str, seconds: float = END_SECONDS) -> Job:
        """The job, once it has ended."""
        wait_until(lambda: self.job(job_id).status.ended, seconds, "the job to end")
        return self.job(job_id)

    def staged(self) -> set[tuple[str, str]]:
        """Storage and key of all bytes that lie anywhere."""
        storage = self.exports.storage
        return {(name, key) for name in storage.names for key in storage.keys(name, "", 1_000)}

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Read the database itself."""
        with self.exports.database.read() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(sql, values)]


@dataclass(frozen=True)
class Api:
    """A running API, asked by its owners."""

    process: Process
    url: str
    tokens: Mapping[int, str]

    def answers(self) -> bool:
        assert self.process.exit_status is None, self.process.transcript()
        try:
            return httpx.get(f"{self.url}/livez", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    def call(self, method: str, path: str, *, owner: int = 1, timeout: float = 20, **how: Any) -> httpx.Response:
        """One request on a connection of its own."""
        headers = {"Authorization": f"Bearer {self.tokens[owner]}", **how.pop("headers", {})}
        return httpx.request(method, f"{self.url}{path}", headers=headers, timeout=timeout, **how)

    def create(self, key: str = "key", *, export: str = "rows", count: int = SMALL, **how: Any) -> httpx.Response:
        body = {"export": export, "parameters": {"count": count}}
        return self.call("POST", "/exports", headers={"Idempotency-Key": key}, json=body, **how)

    def send_create(self, key: str = "key", **how: Any) -> httpx.Response | None:
        """As `create`; None when the server died before it had answered."""
        try:
            return self.create(key, **how)
        except httpx.TransportError:
            return None


def processes_of_group(leader_pid: int) -> list[int]:
    """Who is left of a process group."""
    pids = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [pid for pid in pids if _group_of(pid) == leader_pid]


def _group_of(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return None
