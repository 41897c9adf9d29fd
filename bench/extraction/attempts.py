"""Whole attempts: a real worker with one warm child claims the job, extracts, hashes, stages, syncs and commits."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench.extraction.memory_of import forget_peak, peak_kb, resident_kb
from bench.jobs import url_in
from bench.processes import ROOT
from bench.servers.extraction import declared
from outlast import Exports, Principal
from outlast.database import jobs
from outlast.model import Job, Status
from tests.support.processes import Process, running
from tests.support.wait import wait_until
from tests.support.workshop import await_child

WAIT_SECONDS = 1800.0
STOP_SECONDS = 30.0
MIB = 1024 * 1024
SETTINGS: Mapping[str, Any] = {
    "result_database_limit_bytes": 0,  # to the directory, as results of this size go
    "child_nice": 0,  # as the programs beside it
    "child_attempt_limit": 10**6,
    "result_limit_bytes": 10**12,
    "retention_seconds": 10.0**8,
}
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Whole:
    """One attempt, from its claim to its commit, and the processor seconds of child and worker meanwhile."""

    seconds: float
    peak_mb: float
    rows: int
    bytes: int
    sha256: str
    way: str
    child_seconds: float
    worker_seconds: float
    path: Path

    @property
    def processor_seconds(self) -> float:
        """Of both together."""
        return self.child_seconds + self.worker_seconds


@dataclass(slots=True)
class Works:
    """A worker on a database of its own; `working_at` makes one."""

    directory: Path
    exports: Exports
    worker: Process
    child: int = 0

    def run(self, export: str, format: str, **parameters: Any) -> Whole:
        """Have one job done. The peak is what the child needed beyond what it had before."""
        before = resident_kb(self.child)
        forget_peak(self.child)
        spent = _processor_seconds(self.child), _processor_seconds(self.worker.pid)
        body = {"export": export, "format": format, "parameters": parameters}
        job_id = self.exports.service.accept(Principal("1"), str(uuid4()), body).job.id
        wait_until(lambda: self._job(job_id).status.ended, WAIT_SECONDS, "the job to end")
        job = self._job(job_id)
        assert job.status is Status.SUCCEEDED, f"{export} as {format}: {job.error_code} {job.error_detail}"
        assert job.result is not None
        assert job.started_at is not None
        assert job.finished_at is not None
        assert job.attempt_count == 1
        return Whole(
            (job.finished_at - job.started_at).total_seconds(), (peak_kb(self.child) - before) / 1024,
            job.result.rows, job.result.bytes, job.result.sha256, job.result.details["extraction"],
            _processor_seconds(self.child) - spent[0], _processor_seconds(self.worker.pid) - spent[1],
            self.directory / "results" / job.result.storage_key,
        )  # fmt: skip

    def forget(self) -> None:
        """Remove every file, which nobody reads any more."""
        shutil.rmtree(self.directory / "results", ignore_errors=True)

    def _job(self, job_id: str) -> Job:
        assert self.worker.exit_status is None, self.worker.transcript()
        with self.exports.database.read() as connection:
            seen = jobs.get(connection, job_id)
        assert seen is not None
        return seen.job


@contextmanager
def working_at(
    directory: Path, sources: Mapping[str, str], *, module: str = "outlast.cli", **settings: Any
) -> Iterator[Works]:
    """Run a worker until the block ends. `sources` are the variables of `bench.servers.extraction`."""
    directory.mkdir(parents=True)
    values = {**SETTINGS, "database_url": url_in(directory), "results_directory": directory / "results", **settings}
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    told = {f"OUTLAST_{name.upper()}": str(value) for name, value in values.items()}
    variables = {**sources, **told, "PYTHONPATH": path}
    exports = declared(
        values["database_url"], *(sources[f"BENCH_{name}_URL"] for name in ("STRICT", "GUARDED", "POSTGRESQL"))
    )
    command = [sys.executable, "-m", module, "worker", "--app", "bench.servers.extraction:exports"]
    with running(command, directory, environment=variables, name="worker") as process:
        works = Works(directory, exports, process)
        works.child = await_child(process)
        yield works
        process.stop(STOP_SECONDS)
    exports.close()
    shutil.rmtree(directory, ignore_errors=True)


def _processor_seconds(pid: int) -> float:
    """User's and system's time so far (proc(5), stat, fields 14 and 15)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
