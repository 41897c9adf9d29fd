"""huey on SQLite, as fast as it goes: one process takes and executes jobs that do nothing, and keeps no results.

It deletes a job when it takes it: what a crash interrupts is lost. `python -m bench.references.huey JOBS DIRECTORY`.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from pathlib import Path

from huey import SqliteHuey

from bench.syncs import durability

jobs, directory = int(sys.argv[1]), Path(sys.argv[2])
huey = SqliteHuey("bench", filename=str(directory / "huey.db"), fsync=True, results=False)


@huey.task()
def nothing() -> None:
    """What a job does."""


def main() -> None:
    """Queue all jobs, then work them off."""
    for _ in range(jobs):
        nothing()
    started_at = time.perf_counter()
    done = 0
    while task := huey.dequeue():
        huey.execute(task)
        done += 1
    seconds = time.perf_counter() - started_at
    assert done == jobs
    connection: sqlite3.Connection = huey.storage.conn
    print(json.dumps({"rate": jobs / seconds, "durability": durability(connection)}))


if __name__ == "__main__":
    main()
