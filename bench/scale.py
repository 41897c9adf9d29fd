"""How much is measured: counts for a whole run, and for a quick look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Requests per number of callers, rounds that are interleaved, jobs, rows, seconds."""

    rounds: int
    requests: Mapping[int, int] = field(hash=False)
    slow_requests: int
    thread_requests: int
    renewal_seconds: float
    engine_jobs: int
    huey_jobs: int
    dbos_jobs: int
    whole_jobs: int
    ended_jobs: int
    pending_jobs: int
    claims: int
    pickups: int
    idle_seconds: float


WHOLE = Scale(
    rounds=5, requests={1: 400, 8: 1500, 64: 4000}, slow_requests=3000, thread_requests=800, renewal_seconds=5.0,
    engine_jobs=4000, huey_jobs=2000, dbos_jobs=150, whole_jobs=300, ended_jobs=1_000_000, pending_jobs=50_000,
    claims=300, pickups=60, idle_seconds=10.0,
)  # fmt: skip
QUICK = Scale(
    rounds=2, requests={1: 100, 8: 400, 64: 1500}, slow_requests=1000, thread_requests=300, renewal_seconds=2.0,
    engine_jobs=1000, huey_jobs=500, dbos_jobs=50, whole_jobs=60, ended_jobs=50_000, pending_jobs=50_000,
    claims=60, pickups=15, idle_seconds=3.0,
)  # fmt: skip
