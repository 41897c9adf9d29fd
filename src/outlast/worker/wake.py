"""What the worker's loop sleeps on: a pipe, since an idle worker wakes dozens of times a second.

`threading.Event.wait` takes about twice as long to come back, which is most of what such a worker uses.
"""

from __future__ import annotations

import os
import select
import weakref
from contextlib import suppress


class Wake:
    """Rest until somebody calls `set`, from any thread or a signal's handler, or the time is up."""

    def __init__(self) -> None:
        """Open the pipe."""
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        self._poll = select.poll()
        self._poll.register(self._read, select.POLLIN)
        weakref.finalize(self, _close, self._read, self._write)

    def set(self) -> None:
        """End the current rest, or else the next one."""
        with suppress(BlockingIOError):  # it is full of wake-ups
            os.write(self._write, b"\0")

    def rest(self, seconds: float) -> None:
        """Wait; for one thread only."""
        if self._poll.poll(seconds * 1000):
            os.read(self._read, 4096)


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
