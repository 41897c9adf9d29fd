"""The pytest plugin, which pytest finds by itself: `run_export` and `outlast_worker`.

It is imported whenever pytest starts, so everything heavy is imported by the fixtures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from outlast.testing.running import Run
    from outlast.testing.worker import LiveWorker


@pytest.fixture
def run_export() -> Callable[..., Run]:
    """`outlast.testing.run`: one export's rows, bytes and facts, without worker or network."""
    from outlast.testing.running import run  # noqa: PLC0415

    return run


@pytest.fixture
def outlast_worker(tmp_path: Path) -> Iterator[Callable[..., LiveWorker]]:
    """Start a worker for an app: `outlast_worker("myapp.main:exports", lease_seconds=2)`.

    Each has a jobs database of its own in `tmp_path`, and is stopped when the test ends.
    """
    from outlast.testing.worker import running_worker  # noqa: PLC0415

    with ExitStack() as workers:
        count = 0

        def start(app: str, **settings: Any) -> LiveWorker:
            nonlocal count
            count += 1
            return workers.enter_context(running_worker(app, tmp_path / f"outlast-{count}", **settings))

        yield start
