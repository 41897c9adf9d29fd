"""Which driver reads SQLite files in this process: the standard library's, unless a child chose another.

Two SQLite libraries on one file in one process drop each other's locks, which corrupts it
(https://sqlite.org/howtocorrupt.html, section 2.2.1). So a process has one driver, and a child, which shares no file
with anybody else's code, chooses before it opens anything.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

BUSY_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Driver:
    """A PEP 249 module, and how to open a file for reading, by its `file:` URI."""

    module: Any
    connect: Callable[[str], Any]


def connect(address: str) -> sqlite3.Connection:
    """Open a file by the standard library."""
    connection = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    # Text that is not UTF-8 must reach the encoder, whose policy decides; the default factory would end the export.
    connection.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
    connection.execute("PRAGMA query_only = ON")
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)  # attaching a file that isn't there makes one
    return connection


STANDARD = Driver(sqlite3, connect)
_in_use = STANDARD


def current() -> Driver:
    """Give the driver in use."""
    return _in_use


def use(driver: Driver) -> None:
    """Read with `driver` from here on."""
    global _in_use  # noqa: PLW0603 - a process has one, or locks are lost
    _in_use = driver
