"""Programs that are measured beside ours: the databases' own tools, and Python as people write it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.processes import ROOT, measured
from tests.support.postgres import programs

SAMPLE_SECONDS = 0.02
RUN_SECONDS = 1800.0


@dataclass(frozen=True, slots=True)
class Timed:
    """How long a program took, the processor's share of it, and how much memory it held at most."""

    seconds: float
    peak_mb: float
    processor_seconds: float


def sqlite_csv(database: Path, statement: str, target: Path) -> Timed:
    """`sqlite3 -csv` into a file."""
    return _timed(["sqlite3", "-csv", "-header", "-readonly", str(database), statement], target)


def psql_copy(url: str, statement: str, target: Path) -> Timed:
    r"""`psql \copy` of the select into a file; `url` is libpq's."""
    copy = f"\\copy ({statement}) TO '{target}' WITH (FORMAT csv, HEADER)"
    return _timed([str(programs() / "psql"), "-X", "-q", "-d", url, "-c", copy], None)


def python(way: str, source: str, statement: str, target: Path) -> Timed:
    """One of `bench.references.files`, in a process of its own that times itself without its start."""
    found = measured("bench.references.files", way, source, statement, target)
    return Timed(found["seconds"], found["peak_mb"], found["processor_seconds"])


def _timed(command: Sequence[str], target: Path | None) -> Timed:
    with (target or Path(os.devnull)).open("wb") as output:
        before, began_at = _children_seconds(), time.perf_counter()
        with subprocess.Popen(command, stdout=output, stdin=subprocess.DEVNULL, cwd=ROOT) as process:
            peak = _Peak(process.pid)
            status = process.wait(RUN_SECONDS)
            seconds = time.perf_counter() - began_at
    if status:
        message = f"{command[0]} ended with exit status {status}"
        raise RuntimeError(message)
    return Timed(seconds, peak.end() / 1024, _children_seconds() - before)


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class _Peak:
    """Looks at a process's peak now and then: getrusage would tell the peak of whoever started it, too."""

    def __init__(self, pid: int) -> None:
        self._status = Path(f"/proc/{pid}/status")
        self._kb = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def end(self) -> int:
        self._ended.set()
        self._thread.join()
        return self._kb

    def _look(self) -> None:
        while not self._ended.wait(SAMPLE_SECONDS):
            try:
                lines = self._status.read_text(encoding="ascii").splitlines()
            except (FileNotFoundError, ProcessLookupError):
                return
            self._kb = max([self._kb, *(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))])


assert sys.platform == "linux", "memory is read from /proc"
