"""The behavioural suite that ships in the package, on SQLite."""

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
    "world",
]
