"""The behavioural suite that ships in the package, on SQLite."""

from outlast.testing.conformance import (
    TestClaims,
    TestLeases,
    TestLimits,
    TestOperators,
    TestRaces,
    TestRequests,
    TestSettling,
    TestTransitions,
    world,
)

__all__ = [
    "TestClaims",
    "TestLeases",
    "TestLimits",
    "TestOperators",
    "TestRaces",
    "TestRequests",
    "TestSettling",
    "TestTransitions",
    "world",
]
