"""The worker's second thread of life: it shows that it is alive, and keeps house, again and again."""

from __future__ import annotations

import random
import threading
import time

from outlast.database import workers
from outlast.database.workers import Incarnation
from outlast.telemetry.events import LoopFailed
from outlast.worker.housekeeping import Sweep
from outlast.worker.parts import Parts
from outlast.worker.patience import Patience

TURN_SECONDS = 2.0
"""How often jobs past saving are looked for."""
SIGNS = 4
"""How many signs of life a worker gives in the time after which it would count as gone."""


class Upkeep:
    """A thread, from `begin` to `close`."""

    def __init__(self, parts: Parts, incarnation: Incarnation, patience: Patience) -> None:
        """Nothing begins before `begin`."""
        self._parts = parts
        self._incarnation = incarnation
        self._patience = patience
        self._sign_seconds = parts.settings.worker_seen_seconds / SIGNS
        self._sign_at = 0.0
        self._closing = threading.Event()
        self._sweep = Sweep(parts, self._go_on)
        self._thread = threading.Thread(target=self._run, name="outlast-upkeep", daemon=True)

    def begin(self) -> None:
        """Register the incarnation, and start."""
        self._give_sign()
        self._thread.start()

    def close(self) -> None:
        """Stop between two batches, and note that the incarnation has stopped."""
        self._closing.set()
        self._thread.join()
        self._write_down(stopped=True)

    def _run(self) -> None:
        sweep_at = self._next_sweep()
        while not self._closing.wait(min(TURN_SECONDS, self._sign_seconds)):
            self._give_sign()
            self._sweep.exhaust(may_reclaim=self._patience.over)
            if time.monotonic() >= sweep_at:
                self._sweep.turn()
                sweep_at = self._next_sweep()

    def _next_sweep(self) -> float:
        interval = self._parts.settings.housekeeping_interval_seconds
        return time.monotonic() + interval * random.uniform(0.5, 1.0)  # noqa: S311 - so that workers take turns

    def _go_on(self) -> bool:
        self._give_sign()
        return not self._closing.is_set()

    def _give_sign(self) -> None:
        if time.monotonic() >= self._sign_at:
            self._sign_at = time.monotonic() + self._sign_seconds
            self._write_down(stopped=False)

    def _write_down(self, *, stopped: bool) -> None:
        write = workers.stopped(self._incarnation) if stopped else workers.seen(self._incarnation)
        try:
            self._parts.writer.run(write, wait_seconds=self._sign_seconds)
        except Exception as error:  # noqa: BLE001 - the next sign tries again
            self._parts.hooks.emit(LoopFailed("upkeep", type(error).__name__))
