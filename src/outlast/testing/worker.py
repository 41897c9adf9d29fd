"""A whole worker, as in production: a process of its own, with children of its own, on a jobs database for one test."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from outlast.bootstrap import Exports
from outlast.database import migrate
from outlast.declare import Definitions
from outlast.declare.configuration import read_configuration
from outlast.model import Job, Principal
from outlast.service import Service
from outlast.settings import Settings, load
from outlast.testing.running import request_body
from outlast.worker.child import load_definitions

POLL_SECONDS = 0.02
STOP_SECONDS = 10.0
SHOWN_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class LiveWorker:
    """A running worker, and the service that makes jobs for it."""

    service: Service
    process: subprocess.Popen[bytes]
    log_path: Path

    def accept(
        self,
        export: str,
        *,
        owner: str,
        tenant: str = "default",
        parameters: Mapping[str, Any] | None = None,
        format: str | None = None,
        columns: Sequence[str] | None = None,
    ) -> Job:
        """Make a job, under a key of its own. Raises RequestRefusedError as `Service.accept` does."""
        body = request_body(export, parameters, format, columns)
        return self.service.accept(Principal(owner, tenant), str(uuid4()), body).job

    def wait(self, job: Job, *, seconds: float = 30.0) -> Job:
        """The job once it has ended. Raises AssertionError when it hasn't after `seconds`, or the worker has."""
        limit = time.monotonic() + seconds
        while not (job := self.service.get(_principal(job), job.id).job).status.ended:
            if self.process.poll() is not None:
                raise AssertionError(f"the worker ended with status {self.process.returncode}: {self.log}")
            if time.monotonic() > limit:
                raise AssertionError(f"the job is still {job.status} after {seconds:g} s: {self.log}")
            time.sleep(POLL_SECONDS)
        return job

    def read(self, job: Job) -> bytes:
        """The result's bytes. Raises RequestRefusedError, as `Service.open_result` does, when there are none."""
        download = self.service.open_result(_principal(job), job.id)
        return b"".join(download.read(0, download.result.bytes))

    @property
    def log(self) -> str:
        """The end of what the worker wrote."""
        return self.log_path.read_text(errors="replace")[-SHOWN_CHARACTERS:]

    def kill(self) -> None:
        """SIGKILL, and wait for the end."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """SIGTERM, then SIGKILL if it lasts too long; gives the exit status."""
        self.process.terminate()
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return self.process.returncode


@contextmanager
def running_worker(app: str, directory: Path, **settings: Any) -> Iterator[LiveWorker]:
    """Run `outlast worker` for `app` (`module:attribute`, or an `outlast.toml` by its path) until the block ends.

    Its jobs and results lie in `directory`; `settings` are Outlast's, by name: `lease_seconds=2`. It runs in the
    current directory with this process's environment and import path.
    """
    directory.mkdir(parents=True, exist_ok=True)
    settings = {
        "database_url": f"sqlite:///{directory.absolute() / 'jobs.db'}",
        "results_directory": str(directory.absolute() / "results"),
        **settings,
    }
    definitions = load_definitions(app)
    exports = Exports()
    # Not as arguments, over which the environment decides.
    exports.settings = _declared_settings(app, definitions).model_copy(update=settings)
    migrate.upgrade(exports.database)
    service = Service(definitions, exports.settings, exports.database, exports.writer, exports.storage, exports.hooks)
    log_path = directory / "worker.log"
    worker = LiveWorker(service, _started(app, settings, log_path), log_path)
    try:
        yield worker
    finally:
        worker.stop()
        exports.close()


def _declared_settings(app: str, definitions: Definitions) -> Settings:
    if isinstance(definitions, Exports):
        return definitions.settings
    return load(**read_configuration(Path(app)).settings)


def _started(app: str, settings: Mapping[str, Any], log_path: Path) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        **{f"OUTLAST_{name.upper()}": str(value) for name, value in settings.items()},
    }
    command = [sys.executable, "-m", "outlast.cli", "worker", "--app", app]
    with log_path.open("wb") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)


def _principal(job: Job) -> Principal:
    return Principal(job.owner, job.tenant)
