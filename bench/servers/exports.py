"""An app with exports that take no time: one that yields nothing, and one that tells when it was called.

Its worker is started as `outlast worker --app bench.servers.exports:exports`; the database is `BENCH_DATABASE_URL`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from outlast import Exports, Owner


def nothing(owner: Owner) -> Iterator[tuple[int]]:
    """No rows."""
    del owner
    yield from ()


def called(owner: Owner) -> Iterator[tuple[int]]:
    """The time of the call, by the clock that all processes of the machine share."""
    del owner
    yield (time.monotonic_ns(),)


def declared(database_url: str) -> Exports:
    """The app's exports, on that database."""
    exports = Exports(database_url=database_url)
    exports.export("nothing", columns=["id"])(nothing)
    exports.export("called", columns=["nanoseconds"])(called)
    return exports


exports = declared(os.environ.get("BENCH_DATABASE_URL", "sqlite:///jobs.db"))
