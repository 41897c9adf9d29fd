"""Databases full of jobs: fresh ones through the front door, ended ones by the million."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from outlast import Exports
from outlast.database import accept, migrate
from outlast.database.admission import Limits
from outlast.database.connection import Database
from outlast.database.new_jobs import NewJob
from outlast.service.identifiers import job_id

NO_LIMITS = Limits(10**9, 10.0**9, 10**15, 10**9, 60.0)
OWNER_JOBS = 50
"""How many jobs one owner gets: fewer than may wait."""
SUBMITTED_LIMIT = 512
WAIT_SECONDS = 60.0
DAY_SECONDS = 86_400.0


def make(database_url: str) -> None:
    """The database, at the newest schema and empty."""
    database = Database(database_url)
    migrate.upgrade(database)
    database.close()


def url_in(directory: Path) -> str:
    """The URL of a new, empty database in the directory."""
    database_url = f"sqlite:///{directory / 'jobs.db'}"
    make(database_url)
    return database_url


def accept_many(exports: Exports, count: int, export: str, prefix: str = "") -> None:
    """Accept so many jobs, some hundred of them at once; keys and owners begin with `prefix`."""
    writes = (accept.accept(_new_job(number, export, prefix), NO_LIMITS) for number in range(count))
    while futures := [
        exports.writer.submit(write, wait_seconds=WAIT_SECONDS) for write in islice(writes, SUBMITTED_LIMIT)
    ]:
        for future in futures:
            future.result()


def _new_job(number: int, export: str, prefix: str) -> NewJob:
    fingerprint = f"1:{number:064x}"
    return NewJob(
        id=job_id(), tenant="default", owner=f"{prefix}owner-{number // OWNER_JOBS}",
        request_key=f"{prefix}key-{number}", request_fingerprint=fingerprint, parameters_fingerprint=fingerprint,
        export=export, parameters_json="{}", format="csv", columns=("id",), attempt_limit=5,
        deadline_seconds=DAY_SECONDS,
    )  # fmt: skip
