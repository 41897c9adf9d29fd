"""Events as Prometheus counters, and the queue's state as gauges. Needs prometheus-client.

Every label is bounded: declared exports (whatever else is asked for counts as "other"), the closed sets of codes, and
names that stand in our own code. With PROMETHEUS_MULTIPROC_DIR set, the processes that share it are added up.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from outlast.model import Status
from outlast.telemetry import events
from outlast.telemetry.events import Event
from outlast.telemetry.gauges import ExportGauges, Gauges

MULTIPROCESS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
OTHER = "other"
CACHE_SECONDS = 2.0
ATTEMPT_BUCKETS_SECONDS = (0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800, 3600)
WAIT_BUCKETS_SECONDS = (0.01, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 1800, 3600)


class Metrics:
    """The metrics of one process: a hook (call it with events), and what `/metrics` answers (`exposition`)."""

    def __init__(self, exports: Collection[str], read_gauges: Callable[[], Gauges]) -> None:
        """`exports` are the declared names; `read_gauges` reads the database."""
        self._exports = exports
        self._registry = CollectorRegistry()
        self._gauges = GaugesCollector(exports, read_gauges)
        self._registry.register(self._gauges)
        self._define()

    def _define(self) -> None:
        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"outlast_{name}", text, labels, registry=self._registry)

        def seconds(name: str, text: str, buckets: tuple[float, ...]) -> Histogram:
            return Histogram(f"outlast_{name}", text, ("export",), registry=self._registry, buckets=buckets)

        self._accepted = counter("jobs_accepted", "Requests that made a job.", "export")
        self._replayed = counter("requests_replayed", "Requests answered with an earlier request's job.", "export")
        self._refused = counter("requests_refused", "Requests answered with a problem.", "code")
        self._claimed = counter("attempts_claimed", "Attempts begun.", "export")
        self._retried = counter("attempts_retried", "Failed attempts that another one follows.", "export", "code")
        self._released = counter("attempts_released", "Attempts given back by stopping workers.", "export")
        self._completed = counter("jobs_completed", "Jobs whose result was committed.", "export")
        self._failed = counter("jobs_failed", "Jobs that failed for good.", "export", "code")
        self._cancelled = counter("jobs_cancelled", "Jobs cancelled or erased before they ended.", "export")
        self._purged = counter("jobs_purged", "Old jobs deleted.")
        self._expired = counter("leases_expired", "Leases found expired.", "export")
        self._fenced = counter("writes_fenced", "Writes refused for want of a current lease.", "action")
        self._violations = counter("ownership_violations", "Owners who lost or never had the right.", "export")
        self._bytes = counter("result_bytes", "Bytes of committed results.", "export")
        self._deleted = counter("results_deleted", "Stored results deleted by the sweep.", "reason")
        self._loop_errors = counter("loop_errors", "Errors that a background loop survived.", "loop")
        self._attempt = seconds("attempt_seconds", "From claim to the attempt's end.", ATTEMPT_BUCKETS_SECONDS)
        self._wait = seconds("wait_seconds", "From when a job was due to its claim.", WAIT_BUCKETS_SECONDS)
        self._of_exports = (
            self._accepted, self._replayed, self._claimed, self._released, self._completed, self._cancelled,
            self._expired, self._violations, self._bytes, self._attempt, self._wait,
        )  # fmt: skip

    def __call__(self, event: Event) -> None:
        """Count the event."""
        match event:
            case events.RequestAccepted():
                (self._replayed if event.replayed else self._accepted).labels(self._export(event.export)).inc()
            case events.RequestRefused():
                self._refused.labels(event.code.value).inc()
            case events.AttemptClaimed():
                self._claimed.labels(self._export(event.export)).inc()
                self._wait.labels(self._export(event.export)).observe(event.waited_seconds)
            case events.AttemptSettled():
                self._count_settled(event)
            case events.JobEnded():
                self._count_ended(event)
            case events.LeaseExpired():
                self._expired.labels(self._export(event.export)).inc()
            case _:
                self._count_further(event)

    def _count_settled(self, event: events.AttemptSettled) -> None:
        export = self._export(event.export)
        self._attempt.labels(export).observe(event.seconds)
        if event.status is Status.SUCCEEDED:
            self._completed.labels(export).inc()
            self._bytes.labels(export).inc(event.bytes)
        elif event.status is Status.FAILED and event.code:
            self._failed.labels(export, event.code.value).inc()
        elif event.status is Status.QUEUED and event.code:
            self._retried.labels(export, event.code.value).inc()
        elif event.status is Status.QUEUED:
            self._released.labels(export).inc()

    def _count_ended(self, event: events.JobEnded) -> None:
        export = self._export(event.export)
        if event.status is Status.FAILED and event.code:
            self._failed.labels(export, event.code.value).inc()
        elif event.status is Status.CANCELLED:
            self._cancelled.labels(export).inc()

    def _count_further(self, event: Event) -> None:
        match event:
            case events.WriteFenced():
                self._fenced.labels(event.action).inc()
            case events.OwnershipViolated():
                self._violations.labels(self._export(event.export)).inc()
            case events.BytesDeleted():
                self._deleted.labels(event.reason).inc(event.keys)
            case events.JobsPurged():
                self._purged.inc(event.count)
            case events.LoopFailed():
                self._loop_errors.labels(event.loop).inc()

    def _export(self, name: str) -> str:
        return name if name in self._exports else OTHER

    def exposition(self) -> bytes:
        """The metrics as text of CONTENT_TYPE."""
        for export in self._exports:
            for metric in self._of_exports:
                metric.labels(export)  # there from the start, so that the first increase is seen as one
        if not os.environ.get(MULTIPROCESS_VARIABLE):
            return generate_latest(self._registry)
        shared = CollectorRegistry()
        MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
        shared.register(self._gauges)
        return generate_latest(shared)


class GaugesCollector:
    """Reads the gauges at a scrape, at most once in CACHE_SECONDS; when it can't, it says so and shows none."""

    def __init__(self, exports: Collection[str], read_gauges: Callable[[], Gauges]) -> None:
        """As `Metrics`."""
        self._exports = exports
        self._read = read_gauges
        self._guard = threading.Lock()
        self._cached: Gauges | None = None
        self._fresh_until = 0.0

    def describe(self) -> Iterator[Metric]:
        """Nothing, so that registering doesn't read."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """The gauges of state."""
        gauges = self._current()
        yield GaugeMetricFamily(
            "outlast_state_readable", "Whether the database could be read.", float(gauges is not None)
        )
        if gauges is not None:
            yield from self._by_export(gauges)
            yield GaugeMetricFamily("outlast_leases_overdue", "Expired leases not taken over.", gauges.expired_leases)
            yield GaugeMetricFamily("outlast_workers_live", "Workers seen lately.", gauges.live_workers)
            yield GaugeMetricFamily("outlast_live_result_bytes", "Bytes of kept results.", gauges.live_result_bytes)
            yield GaugeMetricFamily("outlast_reserved_bytes", "Reserved by running attempts.", gauges.reserved_bytes)
            yield GaugeMetricFamily("outlast_database_bytes", "Size of the database's file.", gauges.database_bytes)
            yield GaugeMetricFamily("outlast_wal_bytes", "Size of its write-ahead log.", gauges.wal_bytes)

    def _by_export(self, gauges: Gauges) -> Iterator[Metric]:
        available = GaugeMetricFamily("outlast_jobs_available", "Jobs due now.", labels=["export"])
        scheduled = GaugeMetricFamily("outlast_jobs_scheduled", "Jobs due later.", labels=["export"])
        running = GaugeMetricFamily("outlast_jobs_running", "Jobs under a lease.", labels=["export"])
        oldest = GaugeMetricFamily("outlast_oldest_available_seconds", "How long the oldest waits.", labels=["export"])
        for export, of_export in self._bounded(gauges).items():
            available.add_metric([export], of_export.available)
            scheduled.add_metric([export], of_export.scheduled)
            running.add_metric([export], of_export.running)
            oldest.add_metric([export], of_export.oldest_available_seconds)
        return iter((available, scheduled, running, oldest))

    def _bounded(self, gauges: Gauges) -> dict[str, ExportGauges]:
        bounded = dict.fromkeys(self._exports, ExportGauges())
        for name, of_export in gauges.exports.items():
            export = name if name in self._exports else OTHER
            bounded[export] = bounded.get(export, ExportGauges()) + of_export
        return bounded

    def _current(self) -> Gauges | None:
        with self._guard:
            if time.monotonic() >= self._fresh_until:
                try:
                    self._cached = self._read()
                except Exception:  # noqa: BLE001 - a scrape answers whatever ails the database
                    self._cached = None
                self._fresh_until = time.monotonic() + CACHE_SECONDS
            return self._cached
