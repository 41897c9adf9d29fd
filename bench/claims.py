"""How long a claim takes, whatever the table holds: history by the million, an owner's backlog.

`python -m bench.claims DATABASE_URL CLAIMS PREFIX` prints one JSON object.
"""

from __future__ import annotations

import json
import statistics
import sys
import time

from bench.figures import percentile
from bench.jobs import WAIT_SECONDS, accept_many
from outlast import Exports
from outlast.database.claim import Claimant, claim
from outlast.database.settle import fail
from outlast.errors import FailureCode
from outlast.model import Failure, Progress

LEASE_SECONDS = 3600.0
"""Longer than all rounds on one database take: nothing is to be reclaimed."""
OWNER_RUNNING_LIMIT = 4
WARMING = 20


def main() -> None:
    """Accept jobs of many owners, and claim them one by one, each ended before the next."""
    database_url, claims, prefix = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    exports = Exports(database_url=database_url)
    claimant = Claimant("claims", ("nothing",), LEASE_SECONDS, OWNER_RUNNING_LIMIT, reserve_bytes=1)
    occupy(exports, claimant)
    accept_many(exports, claims + WARMING, "nothing", prefix)
    took: list[float] = []
    for _ in range(claims + WARMING):
        began_at = time.perf_counter()
        [attempt] = exports.writer.run(claim(claimant, 1, may_reclaim=True), wait_seconds=WAIT_SECONDS)
        took.append(time.perf_counter() - began_at)
        assert attempt.job.owner != "busy"
        ended = fail(attempt, Failure(FailureCode.RESULT_TOO_LARGE), Progress(), delay_seconds=0.0)
        exports.writer.run(ended, wait_seconds=WAIT_SECONDS)
    exports.close()
    took = took[WARMING:]
    print(json.dumps({"median_ms": 1000 * statistics.median(took), "p99_ms": 1000 * percentile(took, 0.99)}))


def occupy(exports: Exports, claimant: Claimant) -> None:
    """Bring the owner `busy` to his running limit, if he has a backlog and is not there yet."""
    with exports.database.read() as connection:
        statuses = "SELECT DISTINCT status FROM export_jobs WHERE owner = 'busy'"
        found = {row.status for row in connection.exec_driver_sql(statuses)}
    if found == {"queued"}:
        taken = exports.writer.run(claim(claimant, OWNER_RUNNING_LIMIT, may_reclaim=False), wait_seconds=WAIT_SECONDS)
        assert [attempt.job.owner for attempt in taken] == ["busy"] * OWNER_RUNNING_LIMIT


if __name__ == "__main__":
    main()
