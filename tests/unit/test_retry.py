"""The arithmetic of waiting."""

import random

from hypothesis import given
from hypothesis import strategies as st

from outlast.retry import backoff_seconds, renewal_interval_seconds

seconds = st.floats(0.001, 10_000)


@given(attempt=st.integers(1, 10_000), base=seconds, cap=seconds, seed=st.integers())
def test_a_wait_lies_below_its_doubling_ceiling_and_the_cap(attempt: int, base: float, cap: float, seed: int) -> None:
    wait = backoff_seconds(attempt, base_seconds=base, cap_seconds=cap, draw=random.Random(seed))
    assert 0 <= wait <= cap
    if attempt <= 30:
        assert wait <= base * 2 ** (attempt - 1)


@given(at_least=seconds, seed=st.integers())
def test_a_wait_that_a_server_asked_for_is_kept_and_spread(at_least: float, seed: int) -> None:
    wait = backoff_seconds(3, base_seconds=2, cap_seconds=300, at_least_seconds=at_least, draw=random.Random(seed))
    assert at_least <= wait <= at_least + 8


def test_the_jitter_is_full() -> None:
    draw = random.Random(7)
    waits = [backoff_seconds(4, base_seconds=2, cap_seconds=300, draw=draw) for _ in range(1000)]
    assert min(waits) < 0.2
    assert max(waits) > 15.8


def test_two_renewals_may_fail_before_a_lease_ends() -> None:
    assert renewal_interval_seconds(30) * 3 <= 30
