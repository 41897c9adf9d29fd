"""When to try again: pure arithmetic, so that it can be tested without a clock."""

from __future__ import annotations

import random


def backoff_seconds(
    attempt: int, *, base_seconds: float, cap_seconds: float, at_least_seconds: float | None = None,
    draw: random.Random | None = None,
) -> float:  # fmt: skip
    """How long to wait after failed attempt number `attempt` (1, 2, …): exponential with full jitter.

    A draw from [0, min(cap, base * 2^(attempt - 1))]; a wait that a server asked for (`at_least_seconds`) is added
    below the draw, so that those who were told the same wait don't return together.
    """
    ceiling = min(cap_seconds, base_seconds * 2.0 ** min(attempt - 1, 62))
    return (at_least_seconds or 0.0) + (draw or random).uniform(0.0, ceiling)


def renewal_interval_seconds(lease_seconds: float) -> float:
    """How often a lease is renewed: at a third of its length, so that two renewals may fail before it ends."""
    return lease_seconds / 3.0
