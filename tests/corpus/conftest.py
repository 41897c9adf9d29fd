"""The corpus, in databases that all tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import Postgres
from tests.corpus.exporting import Database, postgresql_database, sqlite_database
from tests.support.postgres import fresh_database


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory, postgres: Postgres) -> Iterator[dict[str, Database]]:
    """Give the databases by their names."""
    with fresh_database(postgres.url) as url:
        yield {
            "sqlite": sqlite_database(tmp_path_factory.mktemp("corpus") / "corpus.db"),
            "postgresql": postgresql_database(url),
        }
