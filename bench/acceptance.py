"""Durable acceptance through HTTP: beside an endpoint that does nothing, on a slow disk, beside a worker."""

from __future__ import annotations

import statistics
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.figures import Report
from bench.jobs import url_in
from bench.processes import measured, serving
from bench.scale import Scale
from bench.syncs import slowed

OURS = "bench.servers.acceptance:app"
THREADS = "bench.references.threads:app"
SLOWER_MILLISECONDS = 2.0
MANY = 64
WARMING = 128

Samples = dict[str, list[float]]


@dataclass(frozen=True, slots=True)
class Server:
    """A server that listens, and its database."""

    port: int
    database_url: str

    def load(self, path: str, callers: int, count: int, prefix: str) -> dict[str, Any]:
        """Send `count` requests by so many callers; every one has to be accepted."""
        outcome: dict[str, Any] = measured(
            "bench.load",
            "--port",
            self.port,
            "--path",
            path,
            "--callers",
            callers,
            "--count",
            count,
            "--prefix",
            prefix,
        )
        expected = "200" if path == "/empty" else "202"
        assert outcome["statuses"] == {expected: count}, outcome["statuses"]
        return outcome


@contextmanager
def fresh(app: str, environment: Mapping[str, str] | None = None) -> Iterator[Server]:
    """A server on an empty database, warm."""
    with TemporaryDirectory() as name:
        database_url = url_in(Path(name))
        with serving(app, Path(name), {**(environment or {}), "BENCH_DATABASE_URL": database_url}) as port:
            server = Server(port, database_url)
            server.load("/exports", 8, WARMING, "warming")
            yield server


def beside_nothing(report: Report, scale: Scale) -> None:
    """The rate and p99 at 1, 8 and 64 callers, and the same server's endpoint that does nothing."""
    found: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    ratios: dict[int, list[float]] = defaultdict(list)
    for _ in range(scale.rounds):
        with fresh(OURS) as server:
            for callers, count in scale.requests.items():
                empty = server.load("/empty", callers, count, "e")
                accepted = server.load("/exports", callers, count, f"a{callers}-")
                found["empty", callers].append(empty)
                found["accepted", callers].append(accepted)
                ratios[callers].append(accepted["rate"] / empty["rate"])
    rows = []
    for (what, callers), outcomes in sorted(found.items(), key=lambda item: (item[0][1], item[0][0])):
        rate = report.median(f"{what}_rate_{callers}", [outcome["rate"] for outcome in outcomes])
        p99 = report.median(f"{what}_p99_ms_{callers}", [outcome["p99_ms"] for outcome in outcomes])
        busy = statistics.median(outcome["client_busy"] for outcome in outcomes)
        rows.append((what, callers, rate, p99, f"{busy:.0%}"))
    report.table(
        "Acceptance through HTTP, durable before the 202",
        ("endpoint", "callers", "per second", "p99 ms", "client"),
        rows,
    )
    for callers, samples in ratios.items():
        report.median(f"accepted_to_empty_{callers}", samples)
    report.at_least(f"accepted_to_empty_{MANY}", 0.4)


def on_a_slow_disk(report: Report, scale: Scale, library: Path | None) -> None:
    """Beside threads with a connection each, while every fsync takes 2 ms longer."""
    if library is None:
        report.say("No C compiler: the slow disk is left out.")
        return
    environment = slowed(library, SLOWER_MILLISECONDS)
    counts = {"ours": (OURS, scale.slow_requests), "threads": (THREADS, scale.thread_requests)}
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for _ in range(scale.rounds):
        for name, (app, count) in counts.items():
            with fresh(app, environment) as server:
                found[name].append(server.load("/exports", MANY, count, "s"))
    rows = []
    for name, outcomes in found.items():
        rate = report.median(f"slow_disk_{name}_rate", [outcome["rate"] for outcome in outcomes])
        p99 = report.median(f"slow_disk_{name}_p99_ms", [outcome["p99_ms"] for outcome in outcomes])
        rows.append((name, rate, p99, statistics.median(outcome["worst_ms"] for outcome in outcomes)))
    report.table(
        f"Acceptance by {MANY} callers, every fsync slower by {SLOWER_MILLISECONDS:g} ms",
        ("how", "per second", "p99 ms", "worst ms"), rows,
    )  # fmt: skip
    pairs = list(zip(found["ours"], found["threads"], strict=True))
    report.median("slow_disk_rate_to_threads", [ours["rate"] / threads["rate"] for ours, threads in pairs])
    report.median("slow_disk_p99_to_threads", [ours["p99_ms"] / threads["p99_ms"] for ours, threads in pairs])
    report.at_least("slow_disk_rate_to_threads", 6.0)
    report.at_most("slow_disk_p99_to_threads", 0.1)


def renewals_beside_it(report: Report, scale: Scale) -> None:
    """A worker's renewals while 64 callers send all they can, and while nobody does."""
    idle: list[dict[str, float]] = []
    saturated: list[dict[str, float]] = []
    for _ in range(scale.rounds):
        with fresh(OURS) as server:
            idle.append(measured("bench.renewals", server.database_url, scale.renewal_seconds / 2))
        with fresh(OURS) as server, loaded(server):
            saturated.append(measured("bench.renewals", server.database_url, scale.renewal_seconds))
    rows = [
        (name, *(statistics.median(sample[key] for sample in samples) for key in ("p50_ms", "p99_ms", "worst_ms")))
        for name, samples in (("nobody", idle), (f"{MANY} callers", saturated))
    ]
    report.table("A worker's renewals beside acceptance", ("beside", "p50 ms", "p99 ms", "worst ms"), rows)
    report.median("renewal_p99_ms_saturated", [sample["p99_ms"] for sample in saturated])
    report.median(
        "renewal_p99_to_third_of_lease", [sample["p99_ms"] / sample["third_of_lease_ms"] for sample in saturated]
    )
    report.at_most("renewal_p99_to_third_of_lease", 0.1)


@contextmanager
def loaded(server: Server) -> Iterator[None]:
    """Let 64 callers send all they can while the block runs."""
    ended = threading.Event()
    failures: list[Exception] = []

    def send() -> None:
        number = 0
        while not ended.is_set():
            number += 1
            try:
                server.load("/exports", MANY, 1000, f"r{number}-")
            except Exception as error:  # noqa: BLE001 - raised below, in the thread that measures
                failures.append(error)
                return

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield
    finally:
        ended.set()
        sender.join()
    if failures:
        raise failures[0]
