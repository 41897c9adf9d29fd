"""What every database of Outlast must show: a behavioural suite for whoever adds or changes one.

A test module imports the classes and the `world` fixture, and provides a fixture `database`: an upgraded, empty
`Database` of the test's own, built with `clock_expression(…)`, so that the tests travel in time.

transitions.py  the table of `lifecycle.TRANSITIONS`, guard by guard    requests.py  acceptance, keys, limits
claims.py       who gets which job                                      settling.py  leases and what ends an attempt
operators.py    cancel, erase, requeue, exhaust                         races.py     two who want the same row
commits.py      a COMMIT whose outcome was never learned
"""

from outlast.testing.conformance.claims import TestClaims
from outlast.testing.conformance.commits import TestLostCommits
from outlast.testing.conformance.operators import TestOperators
from outlast.testing.conformance.races import TestRaces
from outlast.testing.conformance.requests import TestLimits, TestRequests
from outlast.testing.conformance.settling import TestBatches, TestLeases, TestSettling
from outlast.testing.conformance.transitions import TestTransitions
from outlast.testing.conformance.world import World, clock_expression, world

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
    "World",
    "clock_expression",
    "world",
]
