"""The child process: builds, encodes and sends the rows of one attempt at a time, and does nothing else.

It inherits no connection, opens the source read-only, writes nothing but its socket, and dies with its parent: the
kernel kills it, and a thread of its own exits when the socket's other end is gone.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import json
import os
import queue
import resource
import signal
import socket
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from outlast.boundary import boundary
from outlast.declare import Definition, Definitions
from outlast.declare.configuration import read_configuration
from outlast.errors import DefinitionError, FailureCode
from outlast.extract import classify, sqlite_driver
from outlast.model import ExportSpec, Progress
from outlast.worker.frames import DATA_LIMIT_BYTES, FrameReader, Kind, Payload, pack_progress, send, send_json
from outlast.worker.rendering import Rendered, render

FLUSH_SECONDS = 0.2
"""How old the oldest unsent byte may get, as long as rows come."""
_PR_SET_PDEATHSIG = 1


def load_definitions(app: str) -> Definitions:
    """The exports of `module:attribute`, or of an `outlast.toml` by its path. Raises DefinitionError."""
    if app.endswith(".toml"):
        definitions = Definitions()
        read_configuration(Path(app)).declare(definitions)
        return definitions
    module_name, _, attribute = app.partition(":")
    found: Any = importlib.import_module(module_name)
    for part in attribute.split("."):
        found = getattr(found, part)
    if not isinstance(found, Definitions):
        raise DefinitionError(f"{app!r} is a {type(found).__name__}, not an Exports")
    return found


class Output:
    """The file's bytes on their way to the parent, in frames of at most DATA_LIMIT_BYTES."""

    def __init__(self, connection: socket.socket) -> None:
        """Begin with nothing sent."""
        self._connection = connection
        self._unsent = bytearray()
        self._progress = Progress()
        self._sent_at = 0.0

    def write(self, data: bytes, progress: Progress) -> None:
        """Take further bytes; the progress is what stands behind them."""
        self._progress = progress
        view = memoryview(data)
        while len(self._unsent) + len(view) >= DATA_LIMIT_BYTES:
            cut = DATA_LIMIT_BYTES - len(self._unsent)
            if self._unsent:
                self._unsent += view[:cut]
                self._send_unsent()
            else:
                self._send(view[:cut])
            view = view[cut:]
        self._unsent += view
        if progress.rows and self._unsent and time.monotonic() - self._sent_at > FLUSH_SECONDS:
            self._send_unsent()

    def end(self, rendered: Rendered) -> None:
        """Send what is left, and the end."""
        if self._unsent:
            self._send_unsent()
        boundary("child.before_end")
        as_of = rendered.as_of.isoformat() if rendered.as_of else None
        send_json(self._connection, Kind.END, asdict(rendered) | {"as_of": as_of})

    def _send_unsent(self) -> None:
        self._send(self._unsent)
        self._unsent.clear()

    def _send(self, data: Payload) -> None:
        send(self._connection, (Kind.DATA, data), (Kind.PROGRESS, pack_progress(self._progress)))
        self._sent_at = time.monotonic()
        boundary("child.mid_extraction")


def perform(connection: socket.socket, definition: Definition | None, spec: ExportSpec) -> None:
    """Run one attempt, and send its bytes and its end. Raises whatever the export's own code raises."""
    output = Output(connection)
    with render(definition, spec, by_database=True) as rendering:
        for piece in rendering:
            output.write(piece.data, piece.progress)
    output.end(rendering.rendered)


def serve(connection: socket.socket, app: str, memory_limit_bytes: int) -> None:
    """Load the app, say so, and run attempts until the parent has gone or one has failed."""
    try:
        definitions = load_definitions(app)
    except Exception as error:  # noqa: BLE001 - importing somebody's app may fail in every way
        detail = str(error) if isinstance(error, DefinitionError) else classify(error).detail
        send_json(connection, Kind.ERROR, {"code": FailureCode.INTERNAL_ERROR, "detail": detail})
        return
    specs = _specs(connection)
    _limit_memory(memory_limit_bytes)
    send(connection, (Kind.READY, b""))
    while True:
        spec = specs.get()
        try:
            perform(connection, definitions.get(spec.export), spec)
        except Exception as error:  # noqa: BLE001 - whatever it was, the parent hears its kind
            _lift_memory_limit()  # else there may be none left to tell it
            send_json(connection, Kind.ERROR, asdict(classify(error)))
            return


def _specs(connection: socket.socket) -> queue.SimpleQueue[ExportSpec]:
    """What the parent sends, read by a thread that ends the process when the parent has gone."""
    specs: queue.SimpleQueue[ExportSpec] = queue.SimpleQueue()
    reader = FrameReader(connection.dup())

    def read() -> None:
        try:
            while frame := reader.receive(None):
                members = json.loads(frame[1])
                specs.put(ExportSpec(**members | {"columns": tuple(members["columns"])}))
        finally:
            os._exit(0)

    threading.Thread(target=read, name="outlast-parent", daemon=True).start()
    return specs


def _die_with(parent_pid: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent_pid:
        os._exit(0)


def _limit_memory(limit_bytes: int) -> None:
    """Let the data memory grow by so much from here on; address space is left alone, since Arrow reserves plenty."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = _data_bytes() + limit_bytes
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


def _lift_memory_limit() -> None:
    _soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


def _data_bytes() -> int:
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except FileNotFoundError:  # not on Linux
        return 0
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:"))


def main() -> None:
    """Run as `python -m outlast.worker.child`; only a worker does."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--app", required=True)
    parser.add_argument("--socket", type=int, required=True)
    parser.add_argument("--parent", type=int, required=True)
    parser.add_argument("--nice", type=int, required=True)
    parser.add_argument("--memory-limit-bytes", type=int, required=True)
    arguments = parser.parse_args()
    # Ctrl-C and a service's stop reach the whole group; the parent decides what becomes of its children.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _die_with(arguments.parent)
    os.nice(arguments.nice)
    connection = socket.socket(fileno=arguments.socket)
    connection.set_inheritable(inheritable=False)  # or whatever the export starts would keep it open
    from outlast.extract import apsw_driver  # noqa: PLC0415 - only here: no parent may ever load a second SQLite

    apsw_driver.without_statistics()
    sqlite_driver.use(apsw_driver.APSW)
    serve(connection, arguments.app, arguments.memory_limit_bytes)


if __name__ == "__main__":
    main()
