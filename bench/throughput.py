"""Queue throughput beside DBOS and huey, each on a SQLite file of its own, in turns."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.figures import Report
from bench.processes import measured
from bench.scale import Scale
from bench.syncs import count, counted


@dataclass(frozen=True, slots=True)
class Contender:
    """A program that works jobs off, how many it gets, and what it does with them."""

    module: str
    jobs: int
    how: str
    arguments: tuple[str, ...] = ()


def contenders(scale: Scale) -> dict[str, Contender]:
    """Ours and the others, in the order of their turns."""
    one = "a worker: each in a warm child, its file staged and committed"
    return {
        "engine": Contender("bench.engine", scale.engine_jobs, "claimed and completed 64 at a time; no child, no file"),
        "huey": Contender(
            "bench.references.huey", scale.huey_jobs, "one process; no acknowledgement: a crash loses jobs"
        ),
        "whole": Contender("bench.whole", scale.whole_jobs, f"{one}; 4 at once", ("4",)),
        "dbos": Contender("bench.references.dbos", scale.dbos_jobs, "one process, its threads; looks every 10 ms"),
        "whole_single": Contender("bench.whole", scale.whole_jobs, f"{one}; one at a time", ("1",)),
    }


def beside_others(report: Report, scale: Scale, library: Path | None) -> None:
    """Jobs that do nothing, per second, with the syncs that each costs from acceptance to its end."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    syncs: dict[str, float | str] = {}
    everybody = contenders(scale)
    for _ in range(scale.rounds):
        for name, contender in everybody.items():
            with TemporaryDirectory() as directory:
                count_file = Path(directory) / "syncs"
                environment = counted(library, count_file)
                found[name].append(
                    measured(contender.module, contender.jobs, directory, *contender.arguments, environment=environment)
                )
                total = count(count_file)
                syncs[name] = "not counted" if total is None else total / contender.jobs
    rows = [
        (
            name,
            report.median(f"{name}_jobs_per_second", [one["rate"] for one in found[name]]),
            found[name][0]["durability"],
            syncs[name],
            contender.how,
        )
        for name, contender in everybody.items()
    ]
    report.table("Jobs that do nothing", ("queue", "per second", "durability", "syncs a job", "how"), rows)
    for ours, other in (("engine", "huey"), ("engine", "dbos"), ("whole", "dbos")):
        pairs = zip(found[ours], found[other], strict=True)
        name = f"{ours}_to_{other}"
        report.median(name, [one["rate"] / another["rate"] for one, another in pairs])
        report.at_least(name, 1.0)
