"""Claim time, whatever lies in the table."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.ended import add_ended, add_pending
from bench.figures import Report
from bench.jobs import url_in
from bench.processes import measured
from bench.scale import Scale

FEW = 1000


def whatever_lies_there(report: Report, scale: Scale) -> None:
    """A claim's median with little history, with much, and with an owner's backlog; all in turns."""
    with TemporaryDirectory() as name:
        databases = _databases(Path(name), scale)
        medians: dict[str, list[float]] = defaultdict(list)
        p99s: dict[str, list[float]] = defaultdict(list)
        for round_number in range(scale.rounds):
            for what in sorted(databases, reverse=round_number % 2 == 1):
                outcome = measured("bench.claims", databases[what], scale.claims, f"round-{round_number}")
                medians[what].append(outcome["median_ms"])
                p99s[what].append(outcome["p99_ms"])
    labels = {
        "few": f"{FEW:,} ended jobs", "much": f"{scale.ended_jobs:,} ended jobs",
        "backlog": f"{FEW:,} ended, {scale.pending_jobs:,} due of an owner at his limit",
    }  # fmt: skip
    rows = [
        (
            labels[what],
            report.median(f"claim_ms_{what}", medians[what]),
            report.median(f"claim_p99_ms_{what}", p99s[what]),
        )
        for what in databases
    ]
    report.table("One claim, the commit included", ("in the table", "median ms", "p99 ms"), rows)
    for what in ("much", "backlog"):
        pairs = zip(medians[what], medians["few"], strict=True)
        report.median(f"claim_{what}_to_few", [one / few for one, few in pairs])
        report.at_most(f"claim_{what}_to_few", 1.5)


def _databases(directory: Path, scale: Scale) -> dict[str, str]:
    urls = {}
    for what, ended, pending in (("few", FEW, 0), ("much", scale.ended_jobs, 0), ("backlog", FEW, scale.pending_jobs)):
        (directory / what).mkdir()
        urls[what] = url_in(directory / what)
        path = directory / what / "jobs.db"
        add_ended(path, ended)
        if pending:
            add_pending(path, pending)
    return urls
