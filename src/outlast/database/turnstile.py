"""A queue before SQLite's write lock, so that processes take turns.

SQLite's own wait is unfair: a process that polls for the lock may lose to a busy writer for seconds. Whoever waits
here in a `flock` is woken in turn. It is left as soon as the write lock is held. Correctness never rests on it:
the wait is bounded, since its holder may be stopped, and then it is passed by.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WAIT_LIMIT_SECONDS = 1.0


class Turnstile:
    """One per process and database; used by one thread at a time."""

    def __init__(self, database_path: Path) -> None:
        """Nothing is opened before the first use."""
        self._path = database_path.with_name(database_path.name + "-turnstile")
        self._file: int | None = None
        self._blocked: threading.Thread | None = None

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for our turn, at most WAIT_LIMIT_SECONDS; the body begins the transaction."""
        held = self._enter()
        try:
            yield
        finally:
            if held:
                fcntl.flock(self._descriptor(), fcntl.LOCK_UN)

    def _enter(self) -> bool:
        if self._is_blocked():
            return False
        descriptor = self._descriptor()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return self._queue(descriptor)
        return True

    def _is_blocked(self) -> bool:
        return self._blocked is not None and self._blocked.is_alive()

    def _queue(self, descriptor: int) -> bool:
        # flock has no time limit, so a thread waits in it for us, and lets go at once if we have gone.
        arrived, decided = threading.Event(), threading.Lock()
        gone = False

        def wait() -> None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            with decided:
                if gone:
                    fcntl.flock(descriptor, fcntl.LOCK_UN)
                arrived.set()

        self._blocked = threading.Thread(target=wait, name="outlast-turnstile", daemon=True)
        self._blocked.start()
        if arrived.wait(WAIT_LIMIT_SECONDS):
            return True
        with decided:
            gone = not arrived.is_set()
        return not gone

    def close(self) -> None:
        """Let go of the file, unless our thread still waits with it.

        A forked child must: its copy would keep the turn of a parent that dies.
        """
        if self._file is not None and not self._is_blocked():
            os.close(self._file)
            self._file = None

    def _descriptor(self) -> int:
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._file
