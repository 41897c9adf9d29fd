"""`make bench-extraction`: files beside the databases' own tools and what people write, side by side in one run.

Ours is always the whole attempt of a real worker with a warm child: claim, extraction, hashing, staging, sync, commit.
Every figure is the median of several rounds, in which what is compared takes turns: the machine may be busy. Files are
read back by other readers. Tables are for people; the last line is one JSON object with all figures.
"""

from __future__ import annotations

import argparse
import os
import platform
import signal
import sqlite3
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw

from bench.extraction import aims, costs, datasette, memory, postgresql, sqlite, typed
from bench.extraction.stage import Stage
from bench.figures import Report

SECTIONS = {
    "sqlite": sqlite.measure,
    "postgresql": postgresql.measure,
    "parquet": typed.parquet,
    "xlsx": typed.xlsx,
    "gzip": costs.gzip,
    "guards": costs.guards,
    "memory": memory.measure,
    "datasette": datasette.measure,
}
ROWS, ROUNDS = 1_000_000, 5
QUICK_ROWS, QUICK_ROUNDS = 100_000, 3


def describe(report: Report) -> None:
    """What it was measured on."""
    report.say(
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; "
        f"Python {platform.python_version()}, SQLite {apsw.sqlite_lib_version()} of apsw (the library's "
        f"{sqlite3.sqlite_version}), pyarrow {version('pyarrow')}, psycopg {version('psycopg')}"
    )
    report.say("DuckDB's SQLite and PostgreSQL readers are left out: its wheel doesn't hold these extensions.")


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(prog="python -m bench.extraction", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rows and rounds: a look, not a figure")
    parser.add_argument("--rows", type=int, help=f"how many rows ({ROWS:,})")
    parser.add_argument("--rounds", type=int, help=f"how many rounds ({ROUNDS})")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"only these: {', '.join(SECTIONS)}")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.sections if name not in SECTIONS]:
        parser.error(f"no such section: {', '.join(unknown)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that every process is ended
    report = Report()
    describe(report)
    with TemporaryDirectory(prefix="outlast-bench-") as directory:
        rows = arguments.rows or (QUICK_ROWS if arguments.quick else ROWS)
        rounds = arguments.rounds or (QUICK_ROUNDS if arguments.quick else ROUNDS)
        stage = Stage(report, rows, rounds, Path(directory))
        with stage.stack:
            for section in arguments.sections or SECTIONS:
                SECTIONS[section](stage)
    aims.hold(report)
    report.close()


if __name__ == "__main__":
    main()
