"""The suite's order and how hard Hypothesis tries."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

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
