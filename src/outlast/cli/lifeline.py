"""A child's end of its supervisor's pipe: when it breaks, the supervisor has gone, and so must we."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Annotated

import typer

Lifeline = Annotated[int | None, typer.Option("--lifeline", hidden=True)]


def hold(descriptor: int | None, *, stop_seconds: float) -> None:
    """Watch the lifeline from now on. After it broke: SIGTERM to ourselves, and the end after `stop_seconds`."""
    if descriptor is None:
        return
    os.set_inheritable(descriptor, False)
    threading.Thread(target=_watch, args=(descriptor, stop_seconds), name="outlast-lifeline", daemon=True).start()


def _watch(descriptor: int, stop_seconds: float) -> None:
    while os.read(descriptor, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(stop_seconds)
    os._exit(1)
