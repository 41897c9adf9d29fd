"""An export that reads the jobs' own SQLite file pins that file's log while it reads: what may it grow to?"""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from outlast import Principal, Status
from outlast.database.health import read_gauges
from outlast.testing import LiveWorker, running_worker
from tests.support.wait import POLL_SECONDS, wait_until

MIB = 1024 * 1024
ROWS, WIDTH = 20_000, 1024
CAP_BYTES = MIB
BOUND_BYTES = 8 * MIB
WAIT_SECONDS = 60.0

APP = """
[sources.app]
url = "sqlite:///{database}"
[exports.wide]
source = "app"
description = "Much of the file in which the jobs are."
columns = ["id", "text"]
sql = "SELECT id, text FROM wide WHERE :owner <> ''"
"""


@pytest.fixture
def app(tmp_path: Path) -> str:
    """An app whose data lie in the jobs' own file, as a small app's do."""
    database = tmp_path / "jobs.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE wide (id INTEGER PRIMARY KEY, text TEXT)")
        connection.executemany("INSERT INTO wide VALUES (?, ?)", ((number, "x" * WIDTH) for number in range(ROWS)))
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    path = tmp_path / "outlast.toml"
    path.write_text(APP.format(database=database))
    return str(path)


def largest_log(worker: LiveWorker) -> int:
    """Run the export; gives the most that the log held meanwhile, in bytes, as the metric says it."""
    job = worker.accept("wide", owner="7")
    sizes = [0]

    def ended() -> bool:
        sizes.append(read_gauges(worker.service.database, worker.service.settings).wal_bytes)
        return worker.service.get(Principal("7"), job.id).job.status.ended

    assert wait_until(ended, WAIT_SECONDS, f"the export, looking every {POLL_SECONDS} s")
    done = worker.service.get(Principal("7"), job.id).job
    assert (done.status, done.progress.rows) == (Status.SUCCEEDED, ROWS)
    assert done.progress.bytes > ROWS * WIDTH
    return max(sizes)


def test_a_result_above_the_cap_leaves_the_log_small(tmp_path: Path, app: str) -> None:
    with running_worker(app, tmp_path, result_database_limit_bytes=CAP_BYTES) as worker:
        assert CAP_BYTES < largest_log(worker) < BOUND_BYTES


def test_a_result_in_the_file_that_it_is_read_from_swells_the_log(tmp_path: Path, app: str) -> None:
    """Why the cap should stay small; and the proof that what is measured above would show it."""
    with running_worker(app, tmp_path, result_database_limit_bytes=2 * ROWS * WIDTH) as worker:
        assert largest_log(worker) > ROWS * WIDTH
