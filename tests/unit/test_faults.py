"""Boundaries, and the faults that the environment arms there."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from outlast import faults
from outlast.boundary import BOUNDARIES, arm, boundary
from tests.support.wait import wait_until

NAME = "accept.before_commit"


@pytest.fixture(autouse=True)
def disarmed() -> Iterator[None]:
    yield
    arm(None)


def test_an_unarmed_boundary_is_free() -> None:
    boundary("whatever")


def test_a_boundary_that_does_not_exist_is_refused_as_soon_as_a_fault_is_armed() -> None:
    arm(lambda _name: None)
    boundary(NAME)
    with pytest.raises(LookupError, match="whatever"):
        boundary("whatever")


def test_a_fault_acts_at_its_boundary_alone_and_at_the_pass_that_it_names(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    arm(faults.parse(f"raise@{NAME}#2,mark@claim.before_commit", str(mark)))
    boundary(NAME)
    boundary("claim.before_commit")
    boundary("claim.after_commit")
    with pytest.raises(OSError, match="injected"):
        boundary(NAME)
    boundary(NAME)
    assert [line.split()[0] for line in mark.read_text().splitlines()] == ["claim.before_commit", NAME]


def test_a_hanging_fault_lets_go_when_its_mark_is_removed(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    arm(faults.parse(f"hang@{NAME}", str(mark)))
    thread = threading.Thread(target=boundary, args=(NAME,))
    thread.start()
    wait_until(mark.exists, 10, "the mark")
    assert thread.is_alive()
    mark.unlink()
    thread.join(10)
    assert not thread.is_alive()


@pytest.mark.parametrize("text", ["explode@accept.before_commit", "raise", "raise@", "raise@accept.before_commit#x"])
def test_what_is_no_fault_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a fault|invalid literal"):
        faults.parse(text)


def test_every_boundary_says_what_is_true_there() -> None:
    assert all(BOUNDARIES.values())
