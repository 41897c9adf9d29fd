"""Waiting on a condition, with a limit: what tests do instead of sleeping."""

import time
from collections.abc import Callable
from typing import TypeVar

POLL_SECONDS = 0.01

T = TypeVar("T")


def wait_until(condition: Callable[[], T], seconds: float, what: str) -> T:
    """Ask `condition` again and again until its answer is truthy, and return that answer.

    Args:
        condition: cheap to ask; what it raises passes through.
        seconds: the limit, on the monotonic clock. The condition is asked once more when it is reached.
        what: completes the sentence "waited in vain for …".

    Raises:
        AssertionError: the limit was reached; the message carries the last answer.
    """
    limit = time.monotonic() + seconds
    while True:
        last_chance = time.monotonic() >= limit
        if answer := condition():
            return answer
        if last_chance:
            message = f"waited {seconds:g} s in vain for {what}; the last answer was {answer!r}"
            raise AssertionError(message)
        time.sleep(POLL_SECONDS)
