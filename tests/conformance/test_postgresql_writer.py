"""The writer on PostgreSQL, where others hold single rows and the server may end a connection."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from sqlalchemy import NullPool, create_engine, select

from outlast.database import claim, jobs, settle
from outlast.database.connection import Database
from outlast.database.dialect.functions import SCHEMA
from outlast.database.schema import export_jobs
from outlast.errors import ProblemCode, RequestRefusedError
from outlast.model import Job, Principal, Progress, Status
from outlast.testing.conformance import World, world
from outlast.testing.conformance.races import race
from outlast.testing.conformance.world import CLAIMANT
from tests.conformance.emptied import database, upgraded_url

__all__ = ["database", "upgraded_url", "world"]

PATIENCE_SECONDS = 20.0


@contextmanager
def held(database: Database, job: Job) -> Iterator[None]:
    """Until the block ends, somebody's open transaction holds the job's row."""
    options = {"schema_translate_map": {None: SCHEMA}}
    with create_engine(database.url, poolclass=NullPool, execution_options=options).begin() as connection:
        connection.execute(select(export_jobs.c.id).where(export_jobs.c.id == job.id).with_for_update())
        yield


def end_all_backends(database: Database) -> None:
    with create_engine(database.url, poolclass=NullPool).begin() as connection:
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_a_held_row_holds_up_nobody_else(world: World, database: Database) -> None:
    attempt, job = world.attempt(), world.accept()
    with held(database, job):
        cancelled = world.writer.submit(jobs.cancel(job.id, Principal(job.owner)), wait_seconds=PATIENCE_SECONDS)
        for _ in range(3):
            renewed = world.writer.submit(settle.renew(attempt, Progress()), wait_seconds=PATIENCE_SECONDS)
            assert renewed.result(PATIENCE_SECONDS).status is Status.RUNNING
        assert not cancelled.done()
    assert cancelled.result(PATIENCE_SECONDS).status is Status.CANCELLED


def test_who_waits_too_long_for_a_row_is_refused(world: World, database: Database) -> None:
    job = world.accept()
    with held(database, job):
        cancelled = world.writer.submit(jobs.cancel(job.id, Principal(job.owner)), wait_seconds=0.1)
        error = cancelled.exception(PATIENCE_SECONDS)
    assert isinstance(error, RequestRefusedError)
    assert error.code is ProblemCode.UNAVAILABLE
    assert world.job(job.id).status is Status.QUEUED


def test_a_claim_passes_by_a_row_that_somebody_holds(world: World, database: Database) -> None:
    first, second = world.accept(), world.accept()
    with held(database, first):
        assert [attempt.job.id for attempt in world.claim()] == [second.id]
    assert [attempt.job.id for attempt in world.claim()] == [first.id]


def test_an_owners_running_limit_holds_for_claims_that_meet(world: World) -> None:
    for _ in range(2):
        world.accept(owner="7")
    claimant = replace(CLAIMANT, owner_running_limit=1)
    mine, theirs = (claim.claim(replace(claimant, turn=claim.Turn()), 1, may_reclaim=True) for _ in range(2))
    assert race(world, mine, theirs).result() == []


def test_ended_connections_are_made_again(world: World, database: Database) -> None:
    for _ in range(2):
        job = world.accept()
        end_all_backends(database)
        assert world.job(job.id).status is Status.QUEUED
        end_all_backends(database)
        [attempt] = world.claim()
        assert world.complete(attempt).status is Status.SUCCEEDED
