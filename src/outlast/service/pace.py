"""How long a caller should wait before he asks again, from how long exports recently took."""

from __future__ import annotations

import math
import statistics
import threading
import time

from outlast.database import jobs
from outlast.database.connection import Database
from outlast.errors import RequestRefusedError

LONGEST_WAIT_SECONDS = 60
UNKNOWN_WAIT_SECONDS = 2
FRESH_SECONDS = 5.0


class Pace:
    """Remembers the answer for some seconds. Nobody waits for it: it is looked up in a thread of its own."""

    def __init__(self, database: Database) -> None:
        """Nothing is looked up before the first question."""
        self._database = database
        self._seconds = UNKNOWN_WAIT_SECONDS
        self._fresh_until = 0.0

    @property
    def wait_seconds(self) -> int:
        """From 1 to LONGEST_WAIT_SECONDS."""
        if time.monotonic() > self._fresh_until:
            self._fresh_until = time.monotonic() + FRESH_SECONDS
            threading.Thread(target=self._look, name="outlast-pace", daemon=True).start()
        return self._seconds

    def _look(self) -> None:
        try:
            with self._database.read() as connection:
                recent = jobs.recent_seconds(connection)
        except RequestRefusedError:
            return
        if recent:
            self._seconds = max(1, min(LONGEST_WAIT_SECONDS, math.ceil(statistics.median(recent))))
