"""The whole path: a real worker takes accepted jobs, runs each in a warm child, stages and commits its empty file.

`python -m bench.whole JOBS DIRECTORY ATTEMPTS_AT_ONCE` prints one JSON object.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from bench.jobs import accept_many, url_in
from bench.processes import working
from bench.syncs import durability
from outlast import Exports
from outlast.database.connection import Database
from tests.support.wait import wait_until

WAIT_SECONDS = 240.0

LEFT = "SELECT count(*) FROM export_jobs WHERE status IN ('queued', 'running')"
SPAN = "SELECT (max(finished_at) - min(started_at)) / 1000.0, sum(status = 'succeeded') FROM export_jobs"


def main() -> None:
    """Accept all jobs, then let a worker work them off."""
    jobs, directory, at_once = int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    database_url = url_in(directory)
    exports = Exports(database_url=database_url)
    accept_many(exports, jobs, "nothing")
    with working(database_url, directory, {"OUTLAST_CONCURRENCY": at_once}):
        wait_until(lambda: _row(exports.database, LEFT)[0] == 0, WAIT_SECONDS, "the last job")
    seconds, succeeded = _row(exports.database, SPAN)
    with exports.database.write() as connection:
        survives = durability(connection.connection.driver_connection)  # type: ignore[arg-type]
    exports.close()
    assert succeeded == jobs
    print(json.dumps({"rate": jobs / seconds, "durability": survives}))


def _row(database: Database, sql: str) -> tuple[float, ...]:
    with database.read() as connection:
        return tuple(connection.exec_driver_sql(sql).one())


if __name__ == "__main__":
    main()
