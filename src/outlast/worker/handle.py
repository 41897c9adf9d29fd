"""The parent's handle on one child process."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import asdict

from outlast.errors import OutlastError
from outlast.model import ExportSpec
from outlast.settings import Settings
from outlast.worker.frames import BrokenFrameError, FrameReader, Kind, send_json

START_LIMIT_SECONDS = 60.0
"""How long the app's imports may take."""


class ChildFailedError(OutlastError):
    """The child could not be started, or has ended; the message says how, and holds nothing of the export's."""


class Child:
    """One child, from its start to its end.

    Start it from a thread that lives as long as the worker: the kernel kills a child together with the thread that
    started it.
    """

    def __init__(self, app: str, settings: Settings) -> None:
        """Start the process; it imports the app meanwhile. Raises OSError."""
        ours, theirs = socket.socketpair()
        command = [
            sys.executable, "-m", "outlast.worker.child", "--app", app, "--socket", str(theirs.fileno()),
            "--parent", str(os.getpid()), "--nice", str(settings.child_nice),
            "--memory-limit-bytes", str(settings.attempt_memory_limit_bytes),
        ]  # fmt: skip
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, pass_fds=(theirs.fileno(),), env=environment
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self._connection = ours
        self._reader = FrameReader(ours)
        self.attempt_count = 0

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs, or is stopped."""
        return self._process.poll() is None

    def await_ready(self) -> None:
        """Wait until the app is imported. Raises ChildFailedError, with the reason."""
        if not self.is_ready(START_LIMIT_SECONDS):
            raise ChildFailedError(f"the app's imports took longer than {START_LIMIT_SECONDS:g} s")

    def is_ready(self, wait_seconds: float) -> bool:
        """Whether the app is imported by then; asked until it is, and no more. Raises ChildFailedError if it won't."""
        frame = self.receive(wait_seconds)
        if frame is not None and frame[0] is not Kind.READY:
            raise ChildFailedError(f"the app can't be loaded: {json.loads(frame[1])['detail']}")
        return frame is not None

    def begin(self, spec: ExportSpec) -> None:
        """Hand an attempt over; a child that has ended is noticed by `receive`."""
        self.attempt_count += 1
        try:
            self._connection.settimeout(START_LIMIT_SECONDS)
            send_json(self._connection, Kind.SPEC, asdict(spec))
        except OSError:
            self.kill()

    def receive(self, wait_seconds: float) -> tuple[Kind, bytes] | None:
        """The next frame, or None. Raises ChildFailedError when the child has ended or talks nonsense."""
        try:
            frame = self._reader.receive(wait_seconds)
        except EOFError:
            raise ChildFailedError(self._ending()) from None
        except BrokenFrameError:
            self.kill()
            raise ChildFailedError("the child's socket was written to by somebody else") from None
        if frame is None and not self.alive:  # whatever it has started may hold the socket open
            raise ChildFailedError(self._ending())
        return frame

    def kill(self) -> None:
        """SIGKILL, which ends a stopped or hanging one too; may be called from any thread, and twice."""
        self._process.kill()

    def close(self) -> None:
        """Kill it, wait for its end, and give everything back."""
        self.kill()
        self._process.wait()
        self._connection.close()

    def _ending(self) -> str:
        """Say how it ended, once its socket is closed."""
        try:
            status = self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            self.kill()
            return "the child closed its socket"
        if status >= 0:
            return f"the child ended with exit status {status}"
        return f"the child was ended by signal {-status} ({signal.Signals(-status).name})"
