"""What the demo's database says of a job, read beside the running service."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def reading(database_path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that can't write."""
    address = f"{database_path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        yield connection


def task_count(database_path: Path, owner_id: int) -> int:
    """How many tasks the user has."""
    return _number(database_path, "SELECT count(*) FROM tasks WHERE owner_id = ?", owner_id)


def result_count(database_path: Path, job_id: str) -> int:
    """How many results were committed for the job."""
    return _number(database_path, "SELECT count(*) FROM export_results WHERE job_id = ?", job_id)


def outcomes(database_path: Path, job_id: str) -> tuple[str, ...]:
    """How each of the job's attempts ended, in their order."""
    select = "SELECT coalesce(outcome, 'open') FROM export_attempts WHERE job_id = ? ORDER BY number"
    with reading(database_path) as connection:
        return tuple(str(outcome) for (outcome,) in connection.execute(select, (job_id,)))


def _number(database_path: Path, select: str, value: int | str) -> int:
    with reading(database_path) as connection:
        return int(connection.execute(select, (value,)).fetchone()[0])
