"""A PostgreSQL database at the newest version, emptied for each test: to make or copy one would cost more than most."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from outlast.database import migrate
from outlast.database.connection import Database
from outlast.database.dialect.functions import SCHEMA
from outlast.database.schema import counters, metadata
from outlast.database.triggers import LIVE_RESULT_BYTES
from outlast.testing.conformance.world import clock_expression
from tests.conftest import Postgres
from tests.support.postgres import fresh_database

EMPTY = f"TRUNCATE {', '.join(f'{SCHEMA}.{table}' for table in metadata.tables)}"


@pytest.fixture(scope="module")
def upgraded_url(postgres: Postgres) -> Iterator[str]:
    with fresh_database(postgres.url) as url:
        with closing(Database(url)) as database:
            migrate.upgrade(database)
        yield url


@pytest.fixture
def database(upgraded_url: str) -> Iterator[Database]:
    with closing(Database(upgraded_url, clock_expression("postgresql"))) as database:
        with database.write() as connection:
            connection.exec_driver_sql(EMPTY)
            connection.execute(counters.insert().values(name=LIVE_RESULT_BYTES, value=0))
            connection.commit()
        yield database
