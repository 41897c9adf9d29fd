"""Queue throughput beside DBOS and huey, each on a SQLite file of its own, in turns."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.figures import Report
from bench.processes import measured
from bench.scale import Scale
from bench.syncs import count, counted

HOW = {
    "engine": "claimed and completed 64 at a time, no child, no file",
    "whole": "a worker, a warm child, an empty file staged and committed",
    "huey": "taken and executed in one process; no acknowledgement: a crash loses what was taken",
    "dbos": "one process, looking for work every 10 ms; keeps each end",
}


def beside_others(report: Report, scale: Scale, library: Path | None) -> None:
    """Jobs that do nothing, per second, with the syncs that each costs from acceptance to its end."""
    jobs = {
        "engine": ("bench.engine", scale.engine_jobs), "huey": ("bench.references.huey", scale.huey_jobs),
        "whole": ("bench.whole", scale.whole_jobs), "dbos": ("bench.references.dbos", scale.dbos_jobs),
    }  # fmt: skip
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    syncs: dict[str, float | str] = {}
    for _ in range(scale.rounds):
        for name, (module, number) in jobs.items():
            with TemporaryDirectory() as directory:
                count_file = Path(directory) / "syncs"
                environment = counted(library, count_file)
                found[name].append(measured(module, number, directory, environment=environment))
                total = count(count_file)
                syncs[name] = "not counted" if total is None else total / number
    rows = [
        (name, report.median(f"{name}_jobs_per_second", [one["rate"] for one in found[name]]),
         found[name][0]["durability"], syncs[name], HOW[name])
        for name in jobs
    ]  # fmt: skip
    report.table("Jobs that do nothing", ("queue", "per second", "durability", "syncs a job", "how"), rows)
    for ours, other in (("engine", "huey"), ("engine", "dbos"), ("whole", "dbos")):
        pairs = zip(found[ours], found[other], strict=True)
        name = f"{ours}_to_{other}"
        report.median(name, [one["rate"] / another["rate"] for one, another in pairs])
        report.at_least(name, 1.0)
