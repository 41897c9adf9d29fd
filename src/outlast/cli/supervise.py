"""One supervisor over a few processes: started in order, restarted with backoff, stopped together.

Children are in process groups of their own, so that Ctrl-C at the terminal reaches only the supervisor, which then
stops them in an orderly way. Each holds one end of a pipe, its lifeline; it breaks when the supervisor is killed.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

_log = logging.getLogger("outlast")

POLL_SECONDS = 0.1
FIRST_PAUSE_SECONDS = 0.5
PAUSE_LIMIT_SECONDS = 30.0
SETTLED_SECONDS = 60.0
"""A child that ran so long begins again with the first pause when it ends."""

LIFELINE = "--lifeline"
"""The option by which a command learns its lifeline's descriptor."""


@dataclass(slots=True)
class Child:
    """One process: its name, its command, and the descriptors that it inherits."""

    name: str
    command: Sequence[str]
    descriptors: tuple[int, ...] = ()
    handle: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    restart_at: float | None = None
    pause_seconds: float = field(default=FIRST_PAUSE_SECONDS)

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self.handle is not None  # noqa: S101 - asked of started children only
        return self.handle.pid


class Supervisor:
    """Runs children until it is told to stop."""

    def __init__(self, children: Sequence[Child], *, stop_seconds: float) -> None:
        """Stopping children get `stop_seconds` before they are killed."""
        self._children = children
        self._stop_seconds = stop_seconds
        self._stopping = threading.Event()
        self._hurry = False
        self._lifeline, self._held = os.pipe()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Start everybody; at the end, stop everybody."""
        previous = {number: signal.signal(number, self._on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            for child in self._children:
                self._start(child)
            yield
        finally:
            self._stop()
            for number, handler in previous.items():
                signal.signal(number, handler)

    def keep(self) -> None:
        """Restart whoever ends, until SIGINT or SIGTERM."""
        while not self._stopping.wait(POLL_SECONDS):
            for child in self._children:
                self._look_after(child)

    def wait(self, ready: Callable[[], bool], seconds: float) -> bool:
        """Wait until `ready`; false when a child ended, the time is over, or we are to stop."""
        give_up_at = time.monotonic() + seconds
        while not ready():
            if self.ended() or time.monotonic() > give_up_at or self._stopping.wait(POLL_SECONDS):
                return False
        return True

    @property
    def stopping(self) -> bool:
        """Whether we were told to stop."""
        return self._stopping.is_set()

    def ended(self) -> str:
        """Which children have ended, and how, in words; empty when none has."""
        return ", ".join(
            f"the {child.name} (pid {child.pid}) ended {_told(child.handle.returncode)}"
            for child in self._children
            if child.handle is not None and child.handle.poll() is not None
        )

    def _start(self, child: Child) -> None:
        child.handle = subprocess.Popen(
            [*child.command, LIFELINE, str(self._lifeline)],
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
            pass_fds=(self._lifeline, *child.descriptors),
            process_group=0,
        )
        child.started = time.monotonic()
        child.restart_at = None

    def _look_after(self, child: Child) -> None:
        now = time.monotonic()
        if child.restart_at is not None:
            if now >= child.restart_at:
                self._start(child)
                _log.info("the %s runs again (pid %d)", child.name, child.pid)
            return
        if child.handle is None or child.handle.poll() is None:
            return
        if now - child.started > SETTLED_SECONDS:
            child.pause_seconds = FIRST_PAUSE_SECONDS
        ended = _told(child.handle.returncode)
        _log.warning(
            "the %s (pid %d) ended %s; restarting it in %g s", child.name, child.pid, ended, child.pause_seconds
        )
        child.restart_at = now + child.pause_seconds
        child.pause_seconds = min(PAUSE_LIMIT_SECONDS, 2 * child.pause_seconds)

    def _on_signal(self, _number: int, _frame: object) -> None:
        self._hurry = self._stopping.is_set()
        self._stopping.set()

    def _stop(self) -> None:
        handles = [child.handle for child in self._children if child.handle is not None]
        for handle in handles:
            handle.send_signal(signal.SIGTERM)
        give_up_at = time.monotonic() + self._stop_seconds
        while any(handle.poll() is None for handle in handles):
            if self._hurry or time.monotonic() > give_up_at:
                for handle in handles:
                    handle.kill()
            time.sleep(POLL_SECONDS)
        os.close(self._held)
        os.close(self._lifeline)


def _told(status: int) -> str:
    return f"by {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
