"""Exports that behave as the worker's tests need it: they wait on a file, crash, swell, fail, yield much."""
# ruff: noqa: ARG001 - they take their owner, since without one an export is refused

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from outlast import ExportFailedError, Exports, FailureCode, Owner

DIRECTORY_VARIABLE = "EXPORTS_APP_DIRECTORY"
POLL_SECONDS = 0.005
MIB = 1024 * 1024

exports = Exports()

if "--socket" in sys.argv and Path(os.environ[DIRECTORY_VARIABLE], "broken-child").exists():
    raise ImportError("a child that can't load the app")


@exports.export("numbers", columns=["n"])
def numbers(owner: Owner, count: int = 3) -> Iterator[tuple[int]]:
    """Count."""
    for number in range(count):
        yield (number,)


@exports.export("wide", columns=["text"])
def wide(owner: Owner, rows: int, width: int) -> Iterator[tuple[str]]:
    """As many bytes as wanted, the same for every attempt."""
    for number in range(rows):
        yield (f"{number}:".ljust(width, "x"),)


@exports.export("waiting", columns=["n"])
def waiting(owner: Owner, gate: str, rows: int = 1) -> Iterator[tuple[int]]:
    """Send some rows, say that the gate was reached, and wait until it is opened; deaf to everything else."""
    for number in range(rows):
        yield (number,)
    reached(gate).touch()
    while not opened(gate).exists():
        time.sleep(POLL_SECONDS)
    yield (-1,)


@exports.export("hurried", columns=["n"], deadline_seconds=4.0)
def hurried(owner: Owner, gate: str) -> Iterator[tuple[int]]:
    """As `waiting`, with little time."""
    yield from waiting(owner, gate)


@exports.export("exiting", columns=["n"])
def exiting(owner: Owner, status: int = 137) -> Iterator[tuple[int]]:
    """End the process, as native code may."""
    yield (1,)
    os._exit(status)


@exports.export("leaving", columns=["n"])
def leaving(owner: Owner) -> Iterator[tuple[int]]:
    """Leave a process behind that holds whatever it inherited, and end."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], close_fds=False)
    yield (1,)
    os._exit(7)


@exports.export("hungry", columns=["n"])
def hungry(owner: Owner, mib: int) -> Iterator[tuple[int]]:
    """Hold so much memory."""
    yield (len(bytearray(mib * MIB)),)


@exports.export("failing", columns=["n"])
def failing(owner: Owner, code: str, retry_after_seconds: float | None = None) -> Iterator[tuple[int]]:
    """Fail for a reason that the export knows."""
    yield (1,)
    raise ExportFailedError(FailureCode(code), "as was asked for", retry_after_seconds=retry_after_seconds)


@exports.export("broken", columns=["n"])
def broken(owner: Owner, secret: str) -> Iterator[tuple[int]]:
    """Fail with a defect whose message tells too much."""
    yield (1,)
    raise ValueError(secret)


@exports.export("slow", columns=["n"], attempt_timeout_seconds=0.5)
def slow(owner: Owner) -> Iterator[tuple[int]]:
    """Take longer than it may."""
    yield (1,)
    time.sleep(60)


@exports.export("bounded", columns=["n"], result_limit_rows=10, result_limit_bytes=60)
def bounded(owner: Owner, count: int, width: int = 1) -> Iterator[tuple[int]]:
    """At most ten rows, and sixty bytes."""
    for _ in range(count):
        yield (10 ** (width - 1),)


@exports.authorize
def authorize(owner: Owner, _export: str, _parameters: dict[str, object]) -> bool:
    """Refuse those who were banned meanwhile."""
    return not (_directory() / f"banned-{owner.id}").exists()


def _directory() -> Path:
    return Path(os.environ.get(DIRECTORY_VARIABLE, "."))


def reached(gate: str, directory: Path | None = None) -> Path:
    """The file that says that somebody waits at the gate."""
    return (directory or _directory()) / f"{gate}.reached"


def opened(gate: str, directory: Path | None = None) -> Path:
    """The file that opens the gate."""
    return (directory or _directory()) / f"{gate}.open"
