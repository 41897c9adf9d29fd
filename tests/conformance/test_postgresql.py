"""The behavioural suite that ships in the package, on a real PostgreSQL."""

from outlast.testing.conformance import (
    TestBatches,
    TestClaims,
    TestLeases,
    TestLimits,
    TestLostCommits,
    TestOperators,
    TestRaces,
    TestRequests,
    TestSettling,
    TestTransitions,
    world,
)
from tests.conformance.emptied import database, upgraded_url

__all__ = [
    "TestBatches",
    "TestClaims",
    "TestLeases",
    "TestLimits",
    "TestLostCommits",
    "TestOperators",
    "TestRaces",
    "TestRequests",
    "TestSettling",
    "TestTransitions",
    "database",
    "upgraded_url",
    "world",
]
