"""Whoever was away lets the others renew before he takes over."""

import time

import pytest

from outlast.worker.patience import Patience
from outlast.worker.wake import Wake

LEASE_SECONDS = 30.0


class Clock:
    """The module `time` as far as it is needed, moved by hand."""

    elapsed, wall = 1000.0, 1_700_000_000.0

    def monotonic(self) -> float:
        return self.elapsed

    def time(self) -> float:
        return self.wall

    def move(self, seconds: float) -> None:
        self.elapsed += seconds
        self.wall += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("outlast.worker.patience.time", clock)
    return clock


def is_over(patience: Patience) -> bool:
    return patience.over


def turns(patience: Patience, clock: Clock, seconds: float) -> None:
    """The loop turns for so long."""
    for _ in range(round(seconds / 0.25)):
        clock.move(0.25)
        patience.turn()


def test_it_lasts_a_renewal_interval_and_at_most_as_much_again(clock: Clock) -> None:
    patience = Patience(LEASE_SECONDS)
    turns(patience, clock, 10.0 - 0.25)
    assert not is_over(patience)
    turns(patience, clock, 10.5)
    assert is_over(patience)


@pytest.mark.parametrize("how", ["pause", "clock jump", "trouble"])
def test_it_begins_again(clock: Clock, how: str) -> None:
    patience = Patience(LEASE_SECONDS)
    turns(patience, clock, 21)
    assert is_over(patience)
    if how == "pause":
        clock.move(11)
        patience.turn()
    elif how == "clock jump":
        clock.wall += 600
        patience.turn()
    else:
        patience.begin()
    assert not is_over(patience)
    turns(patience, clock, 9)
    assert not is_over(patience)
    turns(patience, clock, 12)
    assert is_over(patience)


def test_a_clock_that_is_set_back_is_no_pause(clock: Clock) -> None:
    patience = Patience(LEASE_SECONDS)
    turns(patience, clock, 21)
    clock.wall -= 600
    patience.turn()
    assert is_over(patience)


def test_it_says_how_long_the_loop_stands_still(clock: Clock) -> None:
    patience = Patience(LEASE_SECONDS)
    clock.move(7)
    assert patience.turned_seconds_ago == 7


def test_a_wake_up_before_the_rest_is_not_lost_and_many_are_one() -> None:
    wake = Wake()
    for _ in range(100_000):  # more than a pipe holds
        wake.set()
    began_at = time.monotonic()
    while wake_ups_left(wake):
        pass
    assert time.monotonic() - began_at < 5
    wake.rest(0.01)


def wake_ups_left(wake: Wake) -> bool:
    began_at = time.monotonic()
    wake.rest(0.2)
    return time.monotonic() - began_at < 0.1
