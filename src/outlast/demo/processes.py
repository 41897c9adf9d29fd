"""The demo's API and workers: real processes, ended by their pid, their output kept in the demo's directory."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from outlast.demo.client import DemoError

EXPORTS = "outlast.demo.exports:exports"
APP = "outlast.demo.app:app"
HOST = "127.0.0.1"
STOP_SECONDS = 10.0
SHOWN_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the demo plays: a directory, the database in it, and the environment of its processes."""

    directory: Path
    database_path: Path
    environment: Mapping[str, str]

    @classmethod
    def at(cls, directory: Path, lease_seconds: float) -> Stage:
        """Play in `directory`, with leases of that length."""
        database_path = directory / "demo.db"
        environment = {
            **os.environ,
            "OUTLAST_DATABASE_URL": f"sqlite:///{database_path}",
            "OUTLAST_LEASE_SECONDS": str(lease_seconds),
        }
        return cls(directory, database_path, environment)

    @property
    def database_url(self) -> str:
        """Where tasks and jobs live."""
        return self.environment["OUTLAST_DATABASE_URL"]


@dataclass(frozen=True, slots=True)
class Running:
    """A process that was started, and the file that its output goes to."""

    name: str
    handle: subprocess.Popen[bytes]
    log_path: Path

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self.handle.pid

    @contextmanager
    def quoted(self) -> Iterator[None]:
        """Add the end of what it wrote to a DemoError that leaves the block."""
        try:
            yield
        except DemoError as error:
            output = self.log_path.read_text(errors="replace")[-SHOWN_CHARACTERS:]
            raise DemoError(f"{error}. The {self.name} wrote:\n{output}") from error

    def kill(self) -> None:
        """SIGKILL: it can't clean up, and nobody is told."""
        self.handle.kill()
        self.handle.wait()

    def stop(self) -> None:
        """SIGTERM, and SIGKILL if that doesn't end it in time."""
        self.handle.send_signal(signal.SIGTERM)
        try:
            self.handle.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def require(self) -> None:
        """Raise DemoError unless the process runs."""
        if self.handle.poll() is not None:
            raise DemoError(f"the {self.name} ended with status {self.handle.returncode}")


def outlast(*arguments: str) -> list[str]:
    """The command `outlast` of this installation."""
    return [sys.executable, "-m", "outlast.cli", *arguments]


@contextmanager
def api(stage: Stage) -> Iterator[tuple[Running, str]]:
    """The tasks service with its exports, and its URL. The port is bound before it starts, so nobody can take it."""
    with socket.create_server((HOST, 0)) as listener:
        command = outlast("api", "--app", EXPORTS, "--asgi", APP, "--listener", str(listener.fileno()))
        with _running("API", command, stage, stage.environment, (listener.fileno(),)) as process:
            yield process, f"http://{HOST}:{listener.getsockname()[1]}"


@contextmanager
def worker(stage: Stage, name: str = "worker", **environment: str) -> Iterator[Running]:
    """A worker, with more in its environment."""
    command = outlast("worker", "--app", EXPORTS)
    with _running(name, command, stage, {**stage.environment, **environment}) as process:
        yield process


def output_of(stage: Stage, *arguments: str) -> str:
    """What an `outlast` command prints. Raises DemoError when it fails."""
    done = subprocess.run(outlast(*arguments), env=stage.environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise DemoError(f"outlast {arguments[0]} ended with status {done.returncode}:\n{done.stderr}")
    return done.stdout


@contextmanager
def _running(
    name: str, command: Sequence[str], stage: Stage, environment: Mapping[str, str], descriptors: tuple[int, ...] = ()
) -> Iterator[Running]:
    log_path = stage.directory / f"{name.replace(' ', '-').lower()}.log"
    with log_path.open("wb") as log:
        handle = subprocess.Popen(
            command, env=environment, pass_fds=descriptors, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    process = Running(name, handle, log_path)
    try:
        yield process
    finally:
        process.stop()
