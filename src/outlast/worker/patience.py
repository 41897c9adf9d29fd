"""When a process may take over what others lost: not right after it was away itself."""

from __future__ import annotations

import random
import time

from outlast.retry import renewal_interval_seconds

PAUSE_LEAST_SECONDS = 0.5
"""What is no pause however short the lease: a loop that has nothing to do turns less often."""


class Patience:
    """After its start, trouble with the database, or a pause, a process lets the others renew before it reclaims."""

    def __init__(self, lease_seconds: float) -> None:
        """Begin by waiting: one renewal interval plus jitter."""
        self._interval_seconds = renewal_interval_seconds(lease_seconds)
        self._turned_at = time.monotonic()
        self._turned_at_clock = time.time()
        self._until = 0.0
        self.begin()

    def begin(self) -> None:
        """Wait from now on."""
        self._until = time.monotonic() + self._interval_seconds * random.uniform(1.0, 2.0)  # noqa: S311 - jitter

    def turn(self) -> None:
        """Note that the process's loop turns; a gap since the last time, or a jump of the clock, is a pause."""
        now, clock = time.monotonic(), time.time()
        gap = max(now - self._turned_at, clock - self._turned_at_clock)
        self._turned_at, self._turned_at_clock = now, clock
        if gap > max(self._interval_seconds, PAUSE_LEAST_SECONDS):
            self.begin()

    @property
    def over(self) -> bool:
        """Whether expired leases may be taken over."""
        return time.monotonic() >= self._until

    @property
    def turned_seconds_ago(self) -> float:
        """How long ago the loop last turned."""
        return time.monotonic() - self._turned_at
