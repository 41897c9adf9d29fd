"""The processes of a measurement: a server that is ready when the block begins, and programs that print one object."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.processes import Process, free_port, running
from tests.support.wait import wait_until

START_SECONDS = 30.0
RUN_SECONDS = 300.0
STOP_SECONDS = 30.0
ROOT = Path(__file__).parent.parent


@contextmanager
def serving(app: str, directory: Path, environment: Mapping[str, str]) -> Iterator[int]:
    """Serve `app` by uvicorn as in production (uvloop, httptools, no access log); give its port."""
    port = free_port()
    command = [
        sys.executable, "-m", "uvicorn", app, "--port", str(port), "--loop", "uvloop", "--http", "httptools",
        "--no-access-log", "--log-level", "warning",
    ]  # fmt: skip
    with running(command, directory, environment={"PYTHONPATH": str(ROOT), **environment}, name="server") as process:
        wait_until(lambda: _listens(process, port), START_SECONDS, "the server to listen")
        yield port
        process.stop()


@contextmanager
def working(database_url: str, directory: Path, environment: Mapping[str, str] | None = None) -> Iterator[Process]:
    """Run the worker of `bench.servers.exports`, as the command line starts it."""
    command = [sys.executable, "-m", "outlast.cli", "worker", "--app", "bench.servers.exports:exports"]
    variables = {**(environment or {}), "PYTHONPATH": str(ROOT), "BENCH_DATABASE_URL": database_url}
    with running(command, directory, environment=variables, name="worker") as process:
        yield process
        process.stop(STOP_SECONDS)


def _listens(process: Process, port: int) -> bool:
    assert process.exit_status is None, process.transcript()
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def measured(module: str, *arguments: object, environment: Mapping[str, str] | None = None) -> Any:  # noqa: ANN401 - JSON
    """Run `python -m module arguments` to its end and read the object that its last line is."""
    ended = subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)], cwd=ROOT, env={**os.environ, **(environment or {})},
        check=False, capture_output=True, text=True, timeout=RUN_SECONDS,
    )  # fmt: skip
    if ended.returncode:
        message = f"{module} failed:\n{ended.stderr[-4000:]}"
        raise RuntimeError(message)
    return json.loads(ended.stdout.splitlines()[-1])
