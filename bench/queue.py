"""`make bench-queue`: acceptance, throughput, claims and an idle worker, side by side in one run.

Every figure is the median of several rounds, in which what is compared takes turns: the machine may be busy. Tables
are for people; the last line is one JSON object with all figures.
"""

from __future__ import annotations

import argparse
import os
import platform
import sqlite3
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import acceptance, claiming, syncs, throughput
from bench.figures import Report
from bench.processes import measured
from bench.scale import QUICK, WHOLE, Scale

SECTIONS = ("acceptance", "slow-disk", "renewals", "throughput", "claims", "pickup")


def idle_worker(report: Report, scale: Scale) -> None:
    """How soon a waiting worker begins, and what its waiting costs."""
    outcomes = []
    for _ in range(scale.rounds):
        with TemporaryDirectory() as directory:
            outcomes.append(measured("bench.pickup", scale.pickups, scale.idle_seconds, directory))
    report.table(
        "An idle worker with a warm child", ("from acceptance to the export's first call", "ms"),
        [
            ("median", report.median("pickup_ms", [outcome["median_ms"] for outcome in outcomes])),
            ("p99", report.median("pickup_p99_ms", [outcome["p99_ms"] for outcome in outcomes])),
        ],
    )  # fmt: skip
    share = report.median("idle_core_share", [outcome["idle_core_share"] for outcome in outcomes])
    report.say(f"Waiting costs {share:.2%} of a core.")
    report.at_most("pickup_ms", 25.0)
    report.at_most("idle_core_share", 0.01)


def describe(report: Report) -> None:
    """What it was measured on."""
    report.say(
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, DBOS {version('dbos')}, "
        f"huey {version('huey')}"
    )


def measure(report: Report, scale: Scale, sections: list[str]) -> None:
    """Run the sections in their order."""
    describe(report)
    with TemporaryDirectory() as directory:
        library = syncs.build(Path(directory))
        every = {
            "acceptance": lambda: acceptance.beside_nothing(report, scale),
            "slow-disk": lambda: acceptance.on_a_slow_disk(report, scale, library),
            "renewals": lambda: acceptance.renewals_beside_it(report, scale),
            "throughput": lambda: throughput.beside_others(report, scale, library),
            "claims": lambda: claiming.whatever_lies_there(report, scale),
            "pickup": lambda: idle_worker(report, scale),
        }
        for section in sections:
            every[section]()
    report.close()


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(prog="python -m bench.queue", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller counts: a look, not a figure")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"only these: {', '.join(SECTIONS)}")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.sections if name not in SECTIONS]:
        parser.error(f"no such section: {', '.join(unknown)}")
    measure(Report(), QUICK if arguments.quick else WHOLE, arguments.sections or list(SECTIONS))


if __name__ == "__main__":
    main()
