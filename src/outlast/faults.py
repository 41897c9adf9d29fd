"""Faults at boundaries, armed by the environment: how tests, `outlast crashtest` and drills reach into other processes.

OUTLAST_FAULT is a comma-separated list of `action@boundary`, which acts at every pass, `action@boundary#n`, at the n-th
pass only (in this process), or `action@boundary#once`, in the first process only that gets there. The last one needs
the mark file; it is for children, which are replaced when they die, by others with the same environment.

Actions: `kill` (SIGKILL to this process), `stop` (SIGSTOP), `exit` (`os._exit(137)`, as an OOM kill looks), `raise`
(an OSError), `hang` (until the mark file is gone), `mark` (only the mark). Before it acts, a fault appends
`boundary pid` to the file that OUTLAST_FAULT_MARK names, if any.
"""

from __future__ import annotations

import errno
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable

VARIABLE = "OUTLAST_FAULT"
MARK_VARIABLE = "OUTLAST_FAULT_MARK"
ONCE = "once"
OUT_OF_MEMORY_STATUS = 137
HANG_POLL_SECONDS = 0.01


def parse(text: str, mark_path: str | None = None) -> Callable[[str], None]:
    """The fault that `text` describes. Raises ValueError for one that can't be read."""
    armed: dict[str, list[tuple[str, str]]] = {}
    for item in text.split(","):
        action, _, where = item.strip().partition("@")
        name, _, nth = where.partition("#")
        if action not in _ACTIONS or not name or not (nth in ("", ONCE) or nth.isdecimal()):
            message = f"not a fault: {item!r}"
            raise ValueError(message)
        armed.setdefault(name, []).append((action, nth))
    passes: Counter[str] = Counter()

    def fault(name: str) -> None:
        passes[name] += 1
        for action, nth in armed.get(name, ()):
            if nth in ("", str(passes[name])) or (nth == ONCE and not _is_marked(name, mark_path)):
                _mark(name, mark_path)
                _ACTIONS[action](mark_path)

    return fault


def _is_marked(name: str, mark_path: str | None) -> bool:
    if mark_path is None or not os.path.exists(mark_path):  # noqa: PTH110
        return False
    with open(mark_path, encoding="utf-8") as file:  # noqa: PTH123
        return any(line.split()[0] == name for line in file)


def _mark(name: str, mark_path: str | None) -> None:
    if mark_path:
        with open(mark_path, "a", encoding="utf-8") as file:  # noqa: PTH123 - a fault stays free of imports
            file.write(f"{name} {os.getpid()}\n")


def _stop(_mark_path: str | None) -> None:
    # To this thread, so that it stops here: another one that takes the signal may come to it too late.
    signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)


def _raise(_mark_path: str | None) -> None:
    raise OSError(errno.EIO, "injected fault")


def _hang(mark_path: str | None) -> None:
    while mark_path is None or os.path.exists(mark_path):  # noqa: PTH110
        time.sleep(HANG_POLL_SECONDS)


_ACTIONS: dict[str, Callable[[str | None], None]] = {
    "kill": lambda _mark_path: os.kill(os.getpid(), signal.SIGKILL),
    "stop": _stop,
    "exit": lambda _mark_path: os._exit(OUT_OF_MEMORY_STATUS),
    "raise": _raise,
    "hang": _hang,
    "mark": lambda _mark_path: None,
}
