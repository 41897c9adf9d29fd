"""How an attempt ends: one write, repeated until it is known to have landed or the lease is lost."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from outlast.database import settle
from outlast.database.writer import Write, Writer
from outlast.errors import FailureCode, LeaseLostError, OutcomeUnknownError, RequestRefusedError
from outlast.model import Failure, Job, StagedResult
from outlast.retry import backoff_seconds
from outlast.settings import Settings
from outlast.telemetry.events import AttemptSettled, LoopFailed, OwnershipViolated
from outlast.telemetry.hooks import Hooks
from outlast.worker.lease import HeldLease

PAUSE_SECONDS = 0.1
DEFECT_LIMIT = 3
"""How often a settlement is tried that meets an error which no waiting explains."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """Settles the attempts of one worker."""

    settings: Settings
    writer: Writer
    hooks: Hooks
    on_trouble: Callable[[], None]

    def complete(self, held: HeldLease, staged: StagedResult, began_at: float) -> bool:
        """Commit the result. False when that is impossible though the lease lives: then the attempt failed."""
        write = settle.complete(held.attempt, staged, lifetime_seconds=self.settings.result_lifetime_seconds)
        try:
            self._settle(held, write, None, began_at)
        except Exception:  # noqa: BLE001 - it was reported where it was met
            return False
        return True

    def fail(self, held: HeldLease, failure: Failure, began_at: float) -> None:
        """Retry after a backoff, or end the job."""
        attempt, settings = held.attempt, self.settings
        delay = backoff_seconds(
            attempt.number, base_seconds=settings.backoff_base_seconds, cap_seconds=settings.backoff_cap_seconds,
            at_least_seconds=failure.retry_after_seconds,
        )  # fmt: skip
        write = settle.fail(attempt, failure, held.progress, delay_seconds=delay)
        if failure.code is FailureCode.OWNERSHIP_VIOLATION:
            self.hooks.emit(OwnershipViolated(attempt.job.id, attempt.job.export, "attempt"))
        with suppress(Exception):  # it was reported; the lease runs out, and the job is reclaimed
            self._settle(held, write, failure.code, began_at)

    def release(self, held: HeldLease, began_at: float) -> bool:
        """Give the job back. False when that was refused: the lease was lost, or the job was released too often."""
        with suppress(Exception):  # as in `fail`
            write = settle.release(held.attempt, release_limit=self.settings.release_limit)
            return self._settle(held, write, None, began_at)
        return False

    def fenced(self, held: HeldLease, action: str) -> None:
        """Report a write that was refused for want of the lease, which is lost."""
        held.lost = True
        self.hooks.emit(held.fenced(action))

    def _settle(self, held: HeldLease, write: Write[Job], code: FailureCode | None, began_at: float) -> bool:
        """Write until it landed, or the lease is lost (false). Raises what remains unexplained."""
        name = write.name
        held.settling = True
        defects = 0
        while not held.lost:
            try:
                job = self.writer.run(write, wait_seconds=held.patience_seconds)
            except LeaseLostError:
                self.fenced(held, name)
                return False
            except (OutcomeUnknownError, RequestRefusedError) as error:
                self._trouble(error)
                if isinstance(error, OutcomeUnknownError):
                    write = _looked_up(write)
            except Exception as error:
                self._trouble(error)
                defects += 1
                if defects == DEFECT_LIMIT:
                    raise
            else:
                self._settled(held, job, code, began_at)
                return True
            time.sleep(PAUSE_SECONDS)
        return False

    def _trouble(self, error: Exception) -> None:
        self.on_trouble()
        self.hooks.emit(LoopFailed("settlement", type(error).__name__))

    def _settled(self, held: HeldLease, job: Job, code: FailureCode | None, began_at: float) -> None:
        attempt, progress = held.attempt, held.progress
        self.hooks.emit(AttemptSettled(
            job.id, job.export, attempt.number, attempt.worker_id, job.status, code,
            time.monotonic() - began_at, progress.rows, progress.bytes, job.request_id,
        ))  # fmt: skip


def _looked_up(write: Write[Job]) -> Write[Job]:
    """The same write, which first looks up whether it was made."""
    return replace(write, perform=lambda connection, _shared: write.recover(connection))
