"""Keeping what was claimed: one thread renews every lease that this worker holds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from outlast.database.settle import renew
from outlast.database.writer import Writer
from outlast.errors import LeaseLostError, OutlastError
from outlast.model import Attempt, Job, Progress
from outlast.retry import renewal_interval_seconds
from outlast.telemetry.events import LoopFailed, WriteFenced
from outlast.telemetry.hooks import Hooks

PROGRESS_SECONDS = 1.0
"""How often new progress is reported, where that is sooner than the lease needs."""
RETRY_SECONDS = 0.1


@dataclass(slots=True, eq=False)
class HeldLease:
    """A lease as its holder sees it. `ends_at` is a bound by the monotonic clock: it lasts at least so long."""

    attempt: Attempt
    ends_at: float
    renew_at: float
    report_at: float
    on_lost: Callable[[], None]
    progress: Progress = field(default_factory=Progress)
    reported: Progress = field(default_factory=Progress)
    lost: bool = False
    stopping: bool = False
    """The worker wants to give the job back."""
    settling: bool = False
    """A settlement is under way, and finds out by itself whether the lease is current."""

    @property
    def interval_seconds(self) -> float:
        """How often it is renewed."""
        return renewal_interval_seconds(self.attempt.lease.seconds)

    @property
    def patience_seconds(self) -> float:
        """How long a write may wait that needs the lease; after a pause it may have passed, and be renewed yet."""
        return max(self.ends_at - time.monotonic(), self.interval_seconds)

    def due(self, now: float) -> bool:
        """Whether it is to be renewed now."""
        return now >= self.renew_at or (now >= self.report_at and self.progress != self.reported)

    def renewed(self, at: float) -> None:
        """Count from the moment before the renewal was sent."""
        self.ends_at = at + self.attempt.lease.seconds
        self.renew_at = at + self.interval_seconds
        self.report_at = at + PROGRESS_SECONDS

    def postpone(self, seconds: float) -> None:
        """Try again after a while."""
        self.renew_at = self.report_at = time.monotonic() + seconds

    def fenced(self, action: str) -> WriteFenced:
        """The event that tells of a write that was refused for want of this lease."""
        attempt = self.attempt
        return WriteFenced(attempt.job.id, attempt.number, attempt.worker_id, action, attempt.job.request_id)

    def lose(self) -> None:
        """Tell whoever works under it to stop."""
        self.lost = True
        self.on_lost()


class Renewer:
    """Renews at a third of each lease, or sooner where there is progress to report."""

    def __init__(self, writer: Writer, hooks: Hooks, on_trouble: Callable[[], None]) -> None:
        """`on_trouble` hears of each error of the database."""
        self._writer = writer
        self._hooks = hooks
        self._on_trouble = on_trouble
        self._held: set[HeldLease] = set()
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="outlast-renewer", daemon=True)
        self._thread.start()

    def hold(self, attempt: Attempt, claimed_at: float, on_lost: Callable[[], None]) -> HeldLease:
        """Keep a lease that was claimed at this monotonic time or later; `on_lost` may be called from any thread."""
        held = HeldLease(attempt, ends_at=0.0, renew_at=0.0, report_at=0.0, on_lost=on_lost)
        held.renewed(claimed_at)
        with self._changed:
            self._held.add(held)
            self._changed.notify()
        return held

    def drop(self, held: HeldLease) -> None:
        """Renew it no more."""
        with self._changed:
            self._held.discard(held)

    def close(self) -> None:
        """Stop, and renew nothing any more."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while due := self._due():
            for held, sent_at, future in [(held, time.monotonic(), self._send(held)) for held in due]:
                self._conclude(held, sent_at, future)

    def _due(self) -> list[HeldLease]:
        """Wait for leases that are to be renewed; empty when there is nothing more to do."""
        with self._changed:
            while not self._closing:
                now = time.monotonic()
                due = [held for held in self._held if held.due(now) and not held.lost]
                if due:
                    return due
                self._changed.wait(self._rest_seconds(now))
        return []

    def _rest_seconds(self, now: float) -> float | None:
        for held in self._held:
            if held.report_at <= now:  # without anything to report
                held.report_at = now + PROGRESS_SECONDS
        ends = [min(held.renew_at, held.report_at) for held in self._held if not held.lost]
        return max(0.0, min(ends) - now) if ends else None

    def _send(self, held: HeldLease) -> Future[Job]:
        held.reported = held.progress
        try:
            return self._writer.submit(renew(held.attempt, held.reported), wait_seconds=held.patience_seconds)
        except OutlastError as error:  # a full queue is trouble like any other
            refused: Future[Job] = Future()
            refused.set_exception(error)
            return refused

    def _conclude(self, held: HeldLease, sent_at: float, future: Future[Job]) -> None:
        try:
            future.result(held.patience_seconds)
        except LeaseLostError:
            if held.settling:
                held.postpone(held.interval_seconds)
            else:
                held.lose()
                self._hooks.emit(held.fenced("renew"))
        except Exception as error:  # noqa: BLE001 - the loop survives, and tries again while the lease may live
            self._trouble(held, error)
        else:
            held.renewed(sent_at)

    def _trouble(self, held: HeldLease, error: Exception) -> None:
        self._on_trouble()
        self._hooks.emit(LoopFailed("renewer", type(error).__name__))
        held.postpone(RETRY_SECONDS)
        if time.monotonic() >= held.ends_at:
            held.lose()
