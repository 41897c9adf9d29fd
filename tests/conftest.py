"""The suite's order, how hard Hypothesis tries, and a PostgreSQL and a bucket for whoever asks for one."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, settings

from tests.support import s3
from tests.support.postgres import ProgramsMissingError, fresh_database, programs, serving
from tests.support.tools import unavailable

ROOT = Path(__file__).parent
STAGES = ("unit", "property", "sql", "conformance", "web", "docs", "crash")  # what fails fast runs first

# A deadline per example would measure the neighbours on a shared machine; pytest-timeout bounds the test.
settings.register_profile(
    "suite", max_examples=50, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("fuzz", settings.get_profile("suite"), max_examples=5_000)
settings.register_profile("soak", settings.get_profile("suite"), max_examples=20_000)
settings.load_profile("suite")


def stage(item: pytest.Item) -> int:
    """Where the item's directory stands in STAGES; one that isn't listed comes just before the crash tests."""
    directory = item.path.relative_to(ROOT).parts[0]
    return STAGES.index(directory) if directory in STAGES else len(STAGES) - 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=stage)


@dataclass(frozen=True, slots=True)
class Postgres:
    """A server that all tests share, so none may stop it; `tests.support.postgres.serving` gives one's own."""

    url: str


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Give the server that OUTLAST_TEST_POSTGRESQL_URL names (postgresql+psycopg://…), else a private one."""
    if url := os.environ.get("OUTLAST_TEST_POSTGRESQL_URL"):
        yield Postgres(url)
        return
    try:
        programs()
    except ProgramsMissingError as error:
        unavailable(str(error))
    with serving(fsync=False) as server:
        yield Postgres(server.url)


@pytest.fixture
def postgresql_url(postgres: Postgres) -> Iterator[str]:
    """Give SQLAlchemy's URL of an empty database of the test's own."""
    with fresh_database(postgres.url) as url:
        yield url


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket that all tests share, each under a prefix of its own; `tests.support.s3.serving` gives one's own.

    `environment` is what a client needs beside the URL; `server` is there when it is private, to look behind its API.
    """

    url: str
    environment: Mapping[str, str]
    server: s3.Server | None

    def prefix(self) -> str:
        """Give an OUTLAST_STORAGE_URL that nobody has used."""
        return f"{self.url.rstrip('/')}/{uuid4().hex}"


@pytest.fixture(scope="session")
def bucket() -> Iterator[Bucket]:
    """Give what OUTLAST_TEST_S3_URL names (s3://bucket/prefix, with AWS_… beside it), else a private server's."""
    if url := os.environ.get("OUTLAST_TEST_S3_URL"):
        yield Bucket(url, {}, None)
        return
    try:
        s3.program()
    except s3.ProgramMissingError as error:
        unavailable(str(error))
    with s3.serving() as server:
        yield Bucket(server.url, server.environment, server)


@pytest.fixture
def objects_url(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> str:
    """Give an OUTLAST_STORAGE_URL of the test's own, which this process may open."""
    for name, value in bucket.environment.items():
        monkeypatch.setenv(name, value)
    return bucket.prefix()
