"""What the crash tests share."""

import os

import pytest

from tests.crash.stage import Ground

SOAK = bool(os.environ.get("OUTLAST_SOAK"))


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """What every stage begins with."""
    return Ground.prepared(tmp_path_factory.mktemp("ground"))
