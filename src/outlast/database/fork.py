"""What a fork must not carry over.

SQLite keeps its state of locks for each file in the process. A child that inherits it opens a connection of its own
without real locks, and the parent's last close then deletes the write-ahead log under it: acknowledged commits of the
child are gone. So every connection is closed before a fork, and a child that inherited an open one refuses to work.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol
from weakref import WeakSet


class Forkable(Protocol):
    """Somebody who has to know about forks."""

    def before_fork(self) -> None:
        """Close what must not be inherited, and hold everybody off until the fork is over."""

    def after_fork_in_parent(self) -> None:
        """Go on."""

    def after_fork_in_child(self) -> None:
        """Begin anew; no other thread exists here."""


_parties: WeakSet[Forkable] = WeakSet()


def join(party: Forkable) -> None:
    """Tell `party` of every fork of this process, for as long as it exists."""
    _parties.add(party)


def file_is_open(path: Path) -> bool:
    """Whether this process has the file open, by whomever."""
    try:
        wanted = path.stat()
    except FileNotFoundError:
        return False
    return any(_is_file(name, wanted) for name in os.listdir("/dev/fd"))  # noqa: PTH208 - numbers, not paths


def _is_file(descriptor: str, wanted: os.stat_result) -> bool:
    try:
        found = os.fstat(int(descriptor))
    except OSError:  # the listing's own, closed since
        return False
    return (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino)


def _before() -> None:
    for party in list(_parties):
        party.before_fork()


def _after_in_parent() -> None:
    for party in list(_parties):
        party.after_fork_in_parent()


def _after_in_child() -> None:
    for party in list(_parties):
        party.after_fork_in_child()


os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
