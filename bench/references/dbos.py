"""DBOS on SQLite: one process works off a queue of workflows that do nothing.

It keeps a workflow's end, as we do. `python -m bench.references.dbos JOBS DIRECTORY`.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from pathlib import Path

from dbos import DBOS, DBOSConfig

from bench.syncs import durability
from tests.support.wait import wait_until

QUEUE = "bench"
POLL_SECONDS = 0.01
"""How often it looks for work; one second is its default."""
WAIT_SECONDS = 240.0

jobs, directory = int(sys.argv[1]), Path(sys.argv[2])
path = directory / "dbos.db"
config: DBOSConfig = {
    "name": "bench", "system_database_url": f"sqlite:///{path}", "application_version": "1", "log_level": "ERROR",
}  # fmt: skip


@DBOS.workflow()
def nothing() -> None:
    """What a job does."""


def queue_all() -> None:
    """Queue all jobs, while nobody listens."""
    DBOS(config=config)
    DBOS.listen_queues(["another"])
    DBOS.launch()
    DBOS.register_queue(QUEUE, polling_interval_sec=POLL_SECONDS)
    for _ in range(jobs):
        DBOS.enqueue_workflow(QUEUE, nothing)
    DBOS.destroy()


def main() -> None:
    """Queue all jobs, then work them off."""
    queue_all()
    dbos = DBOS(config=config)
    watching = sqlite3.connect(path, timeout=30)
    done = "SELECT count(*) FROM workflow_status WHERE status = 'SUCCESS' AND queue_name = ?"
    started_at = time.perf_counter()
    DBOS.launch()
    wait_until(lambda: watching.execute(done, (QUEUE,)).fetchone()[0] == jobs, WAIT_SECONDS, "the last workflow")
    seconds = time.perf_counter() - started_at
    with dbos._sys_db.engine.connect() as connection:  # noqa: SLF001 - its own settings, on its own connection
        survives = durability(connection.connection.driver_connection)
    print(json.dumps({"rate": jobs / seconds, "durability": survives}), flush=True)
    DBOS.destroy()


if __name__ == "__main__":
    main()
