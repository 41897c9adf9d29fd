"""The worker's loop: claims when a slot is free, driven by hints, certain by polling; drains and stops."""

from __future__ import annotations

import os
import random
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

from outlast.database.claim import Claimant, claim, claimable
from outlast.database.workers import Incarnation
from outlast.model import Attempt
from outlast.retry import renewal_interval_seconds
from outlast.telemetry.events import AttemptClaimed, LeaseExpired, LoopFailed, WorkerStarted, WorkerStopped
from outlast.worker.lease import Renewer
from outlast.worker.parts import Parts
from outlast.worker.patience import Patience
from outlast.worker.settlement import Settlement
from outlast.worker.slot import Slot
from outlast.worker.upkeep import Upkeep
from outlast.worker.wake import Wake

POLL_SECONDS = 1.0
"""How often work is looked for without a hint, at least: retries that fall due, leases that expire."""
BUSY_SECONDS = 0.25
"""How often the loop turns while no slot is free."""
STOP_SECONDS = 30.0
"""How long a stopped attempt's settlement may take."""
ERROR_PAUSE_SECONDS = 1.0
STALLED_SECONDS = 5.0
"""After so long without a turn the claim loop counts as stalled,"""
STALLED_WAITS = 3
"""and after so many times what a claim may wait for the write lock."""


class Worker:
    """One incarnation of a worker. `app` is what its children load: `module:attribute`, or the path of a TOML file."""

    def __init__(self, exports: Parts, *, app: str) -> None:
        """Nothing begins before `run`."""
        self.id = str(uuid4())
        self._parts = exports
        self._app = app
        self._settings = exports.settings
        self._hooks = exports.hooks
        self._incarnation = Incarnation(self.id, socket.gethostname(), os.getpid(), exports.names)
        self._patience = Patience(self._settings.lease_seconds)
        self._wake = Wake()
        self._stops = 0
        self._slots: list[Slot] = []
        self._claimant = Claimant(
            self.id, exports.names, self._settings.lease_seconds, self._settings.owner_running_limit,
            self._settings.attempt_reserve_bytes,
        )  # fmt: skip

    def not_ready(self) -> str | None:
        """Why this worker isn't ready to work; None when it is."""
        seconds = self._patience.turned_seconds_ago
        if seconds > max(STALLED_SECONDS, STALLED_WAITS * self._settings.accept_wait_seconds):
            return f"the claim loop has stood still for {seconds:.0f} s"
        if self._stops:
            return "it is stopping"
        return None if any(slot.warm for slot in self._slots) else "no child process is warm"

    def stop(self) -> None:
        """Claim nothing more and let current attempts go on for a while; called again, give them back at once."""
        self._stops += 1
        self._wake.set()

    def run(self) -> None:
        """Work until `stop`, or until SIGTERM or SIGINT where this is the main thread."""
        writer, hooks, settings = self._parts.writer, self._hooks, self._settings
        renewer = Renewer(writer, hooks, self._patience.begin)
        settlement = Settlement(settings, writer, hooks, self._patience.begin)
        upkeep = Upkeep(self._parts, self._incarnation, self._patience)
        with self._signals():
            upkeep.begin()
            hooks.emit(WorkerStarted(self.id, self._claimant.exports))
            try:
                self._slots = [
                    Slot(self._parts, self._app, renewer, settlement, self._wake.set)
                    for _ in range(settings.concurrency)
                ]
                self._claim_until_stopped()
            finally:
                self._drain()
                renewer.close()
                upkeep.close()
                hooks.emit(WorkerStopped(self.id, sum(slot.released for slot in self._slots)))

    @contextmanager
    def _signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, lambda *_: self.stop()) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _claim_until_stopped(self) -> None:
        changes = self._parts.database.change_signal()
        poll_seconds = min(POLL_SECONDS, renewal_interval_seconds(self._settings.lease_seconds))
        look_at = 0.0
        was_busy = False
        while not self._stops:
            self._patience.turn()
            free = [slot for slot in self._slots if slot.free]
            if not free:
                self._wake.rest(BUSY_SECONDS)
                was_busy = True
                continue
            if was_busy or changes.changed() or time.monotonic() >= look_at:
                look_at = time.monotonic() + poll_seconds
                if self._claim(free, look_first=not was_busy):
                    continue
            was_busy = False
            self._wake.rest(self._settings.poll_interval_seconds)
        changes.close()

    def _claim(self, free: list[Slot], *, look_first: bool) -> bool:
        """Fill free slots; `look_first` where it is unlikely that there is work. Says whether any was filled."""
        may_reclaim = self._patience.over
        try:
            if look_first and not self._claimable(may_reclaim=may_reclaim):
                return False
            began_at = time.monotonic()
            attempts = self._parts.writer.run(
                claim(self._claimant, len(free), may_reclaim=may_reclaim),
                wait_seconds=self._settings.accept_wait_seconds,
            )
        except Exception as error:  # noqa: BLE001 - the loop survives, and tries again
            self._patience.begin()
            self._hooks.emit(LoopFailed("claim", type(error).__name__))
            self._wake.rest(ERROR_PAUSE_SECONDS * random.uniform(0.5, 1.0))  # noqa: S311 - jitter
            return False
        for slot, attempt in zip(free, attempts, strict=False):
            slot.take(attempt, began_at)
            self._tell(attempt)
        return bool(attempts)

    def _claimable(self, *, may_reclaim: bool) -> bool:
        with self._parts.database.read() as connection:
            return claimable(connection, self._claimant, may_reclaim=may_reclaim)

    def _tell(self, attempt: Attempt) -> None:
        job = attempt.job
        waited = (attempt.lease.until - job.available_at).total_seconds() - attempt.lease.seconds
        self._hooks.emit(AttemptClaimed(
            job.id, job.export, attempt.number, self.id, max(0.0, waited), attempt.reclaimed, job.request_id
        ))  # fmt: skip
        if attempt.reclaimed:
            self._hooks.emit(LeaseExpired(job.id, job.export, attempt.number - 1))

    def _drain(self) -> None:
        for slot in self._slots:
            slot.close()
        ends_at = time.monotonic() + self._settings.drain_seconds
        while self._stops == 1 and time.monotonic() < ends_at and not all(slot.join(0.0) for slot in self._slots):
            self._wake.rest(self._settings.poll_interval_seconds)
        for slot in self._slots:
            slot.release()
        for slot in self._slots:
            slot.join(STOP_SECONDS)
