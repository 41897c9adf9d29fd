"""Our queue's engine alone: no child, no file. It claims 64 jobs, then settles them together, and so on.

`python -m bench.engine JOBS DIRECTORY` prints one JSON object.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from bench.jobs import WAIT_SECONDS, accept_many, url_in
from bench.syncs import durability
from outlast import Exports
from outlast.database.claim import Claimant, claim
from outlast.database.settle import complete
from outlast.model import Attempt, StagedResult

CLAIMED = 64
LEASE_SECONDS = 30.0
EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def work_off(exports: Exports) -> int:
    """Claim and complete until nothing is left; say how many jobs that were."""
    claimant = Claimant("engine", ("nothing",), LEASE_SECONDS, owner_running_limit=CLAIMED, reserve_bytes=1)
    done = 0
    while attempts := exports.writer.run(claim(claimant, CLAIMED, may_reclaim=False), wait_seconds=WAIT_SECONDS):
        settlements = [complete(attempt, staged(attempt), lifetime_seconds=3600.0) for attempt in attempts]
        futures = [exports.writer.submit(settlement, wait_seconds=WAIT_SECONDS) for settlement in settlements]
        for future in futures:
            future.result()
        done += len(attempts)
    return done


def staged(attempt: Attempt) -> StagedResult:
    """An empty result, as if its bytes lay there."""
    return StagedResult("database", attempt.storage_key, "text/csv", "nothing.csv", 0, 0, EMPTY_SHA256, None)


def main() -> None:
    """Accept all jobs, then work them off."""
    jobs, directory = int(sys.argv[1]), Path(sys.argv[2])
    exports = Exports(database_url=url_in(directory))
    accept_many(exports, jobs, "nothing")
    started_at = time.perf_counter()
    assert work_off(exports) == jobs
    seconds = time.perf_counter() - started_at
    with exports.database.write() as connection:
        survives = durability(connection.connection.driver_connection)  # type: ignore[arg-type]
    exports.close()
    print(json.dumps({"rate": jobs / seconds, "durability": survives}))


if __name__ == "__main__":
    main()
