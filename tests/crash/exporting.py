"""The app whose exports the crash tests run: a table's rows, and rows that wait or fail as a test's switches say."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Integer, column, select, table

from outlast import Exports, Owner, Query
from outlast.errors import ExportFailedError, FailureCode

SOURCE_VARIABLE = "CRASH_SOURCE"
SWITCHES_VARIABLE = "CRASH_SWITCHES"
ROWS = 4_000
OWNERS = (1, 2, 3)
MANY = 40_000
"""As many rows has the first owner, enough for an object of several parts."""
WAIT_POLL_SECONDS = 0.01
WAIT_LIMIT_SECONDS = 60.0


class Record(NamedTuple):
    number: int
    text: str


def record(owner: int, number: int) -> Record:
    """Row `number` of an owner: some 250 bytes, with what CSV stumbles over."""
    return Record(number, f'{owner}: "{number}", naïve\n🙂 ' + "padding, " * 24)


def records(owner: int, count: int) -> list[Record]:
    return [record(owner, number) for number in range(1, count + 1)]


def fill_source(path: Path) -> None:
    """Make the table from which `rows` reads."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE rows (owner INTEGER, number INTEGER, text TEXT, PRIMARY KEY (owner, number))")
        every = ((owner, *row) for owner in OWNERS for row in records(owner, MANY if owner == OWNERS[0] else ROWS))
        connection.executemany("INSERT INTO rows VALUES (?, ?, ?)", every)


_rows = table("rows", column("owner", Integer), column("number", Integer), column("text"))
COLUMNS = [_rows.c.number, _rows.c.text]


def declare(exports: Exports) -> Exports:
    """Declare both exports."""

    @exports.export("rows", columns=COLUMNS)
    def rows(owner: Owner, count: int = ROWS) -> Query:
        """The owner's first `count` rows, in one snapshot."""
        return select(*COLUMNS).where(_rows.c.owner == int(owner.id)).order_by(_rows.c.number).limit(count)

    @exports.export("switched", columns=["number", "text"])
    def switched(owner: Owner, count: int = 3) -> Iterator[Record]:
        """Half of the rows; then what the switches say; then the other half."""
        yield from records(int(owner.id), count // 2)
        _obey_switches()
        yield from records(int(owner.id), count)[count // 2 :]

    return exports


def _obey_switches() -> None:
    switches = Path(os.environ[SWITCHES_VARIABLE])
    give_up_at = time.monotonic() + WAIT_LIMIT_SECONDS
    while (switches / "wait").exists() and time.monotonic() < give_up_at:
        time.sleep(WAIT_POLL_SECONDS)
    if (switches / "fail").exists():
        raise ExportFailedError(FailureCode.TEMPORARILY_UNAVAILABLE, "the switch says so")
    if (switches / "refuse").exists():
        raise ExportFailedError(FailureCode.RESULT_TOO_LARGE, "the switch says so")


exports = declare(Exports(source=f"sqlite:///{os.environ.get(SOURCE_VARIABLE, 'source.db')}"))
