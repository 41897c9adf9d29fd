"""A worker's renewals, beside whatever else uses the database: how long each takes until it is committed.

`python -m bench.renewals DATABASE_URL SECONDS` prints one JSON object.
"""

from __future__ import annotations

import json
import sys
import time

from bench.figures import percentile
from bench.jobs import WAIT_SECONDS, accept_many
from outlast import Exports
from outlast.database.claim import Claimant, claim
from outlast.database.settle import renew
from outlast.model import Progress
from outlast.retry import renewal_interval_seconds

HELD = 4
PAUSE_SECONDS = 0.02


def main() -> None:
    """Hold some leases and renew them in turn."""
    database_url, seconds = sys.argv[1], float(sys.argv[2])
    exports = Exports(database_url=database_url)
    lease_seconds = exports.settings.lease_seconds
    accept_many(exports, HELD, "nothing")
    claimant = Claimant("renewals", ("nothing",), lease_seconds, owner_running_limit=HELD, reserve_bytes=1)
    attempts = exports.writer.run(claim(claimant, HELD, may_reclaim=False), wait_seconds=WAIT_SECONDS)
    took: list[float] = []
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        began_at = time.perf_counter()
        attempt = attempts[len(took) % HELD]
        exports.writer.run(renew(attempt, Progress(rows=len(took))), wait_seconds=WAIT_SECONDS)
        took.append(time.perf_counter() - began_at)
        time.sleep(PAUSE_SECONDS)
    exports.close()
    p99 = percentile(took, 0.99)
    print(json.dumps({
        "renewals": len(took), "p50_ms": 1000 * percentile(took, 0.5), "p99_ms": 1000 * p99,
        "worst_ms": 1000 * max(took), "third_of_lease_ms": 1000 * renewal_interval_seconds(lease_seconds),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
