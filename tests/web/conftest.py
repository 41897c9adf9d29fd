"""One server for all the tests of a module."""

from collections.abc import Iterator

import pytest

from tests.web.served import ROOMY, Served, served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Owners are told apart, so tests don't meet each other's jobs."""
    with served(tmp_path_factory.mktemp("served"), environment=ROOMY) as server:
        yield server
