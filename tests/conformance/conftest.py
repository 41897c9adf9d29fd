"""The suite that ships in the package, on SQLite."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from outlast.database import migrate
from outlast.database.connection import Database

pytest.register_assert_rewrite("outlast.testing.conformance")

from outlast.testing.conformance.world import clock_expression  # noqa: E402 - after the rewrite


@pytest.fixture(scope="session")
def upgraded_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database at the newest version, to be copied: a migration for each test would cost more than it."""
    path = tmp_path_factory.mktemp("upgraded") / "jobs.db"
    database = Database(f"sqlite:///{path}")
    migrate.upgrade(database)
    database.close()
    return path


@pytest.fixture
def database_path(tmp_path: Path, upgraded_file: Path) -> Path:
    return Path(shutil.copy(upgraded_file, tmp_path / "jobs.db"))


@pytest.fixture
def database(database_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{database_path}", clock_expression("sqlite"))
    yield database
    database.close()
