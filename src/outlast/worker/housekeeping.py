"""Housekeeping, in small batches and repeatable: what is past saving is ended, what nobody wants is deleted.

The storages are listed, not only the rows: a process that was paused may finish its bytes after their key was swept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from outlast.boundary import boundary
from outlast.database import housekeeping, workers
from outlast.database.housekeeping import BATCH, Fate
from outlast.database.results import mark_deleted
from outlast.database.writer import Write
from outlast.telemetry.events import BytesDeleted, JobEnded, JobsPurged, LeaseExpired, LoopFailed
from outlast.worker.parts import Parts

PAGE_KEYS = 500
"""How many of a storage's keys are listed and judged at once."""
WORKER_KEPT_SECONDS = 86_400.0
"""How long a worker's row is kept after its last sign."""

T = TypeVar("T")


@dataclass(slots=True)
class Swept:
    """How many jobs were exhausted, keys' bytes deleted (by reason), jobs purged and spent keys forgotten.

    `failed` counts what met an error and is left to the next sweep.
    """

    exhausted: int = 0
    orphans: int = 0
    expired: int = 0
    erased: int = 0
    purged: int = 0
    keys_forgotten: int = 0
    failed: int = 0


def sweep_once(parts: Parts) -> Swept:
    """One whole round, as `outlast sweep` does it.

    A job whose last attempt lost its lease is left to a process that has waited until it might have been renewed.
    """
    sweep = Sweep(parts)
    sweep.exhaust(may_reclaim=False)
    sweep.expire()
    for storage in parts.storage.names:
        while sweep.next_page(storage):
            pass
    sweep.purge()
    return sweep.swept


class Sweep:
    """Housekeeping in steps, each of which survives every error. `go_on` is asked between batches."""

    def __init__(self, parts: Parts, go_on: Callable[[], bool] = lambda: True) -> None:
        """Begin each storage's listing at its start."""
        self.swept = Swept()
        self._parts = parts
        self._settings = parts.settings
        self._go_on = go_on
        self._listed_until = dict.fromkeys(parts.storage.names, "")

    def turn(self) -> None:
        """One bounded round; of each storage the next page."""
        self.expire()
        for storage in self._parts.storage.names:
            self.next_page(storage)
        self.purge()

    def exhaust(self, *, may_reclaim: bool) -> None:
        """End the jobs that are past saving; `may_reclaim` as for a claim. Looking for them writes nothing."""
        with self._surviving("exhaust"):
            while self._go_on():
                with self._parts.database.read() as connection:
                    if not housekeeping.past_saving(connection, may_reclaim=may_reclaim):
                        return
                ended = self._write(housekeeping.exhaust(may_reclaim=may_reclaim))
                self.swept.exhausted += len(ended)
                for one in ended:
                    job = one.job
                    if one.was_running:
                        self._parts.hooks.emit(LeaseExpired(job.id, job.export, job.attempt_count))
                    self._parts.hooks.emit(JobEnded(job.id, job.export, job.status, job.error_code))

    def expire(self) -> None:
        """Delete the bytes of results that expired longer ago than the grace which lets downloads end."""
        with self._surviving("expire"):
            deleted = BATCH
            while deleted == BATCH and self._go_on():
                with self._parts.database.read() as connection:
                    rows = housekeeping.expired(connection, grace_seconds=self._settings.expired_grace_seconds)
                deleted = sum(self._delete(row.storage, row.storage_key, row.job_id) for row in rows)
                self.swept.expired += deleted
                self._tell_deleted("expired", deleted)

    def next_page(self, storage: str) -> bool:
        """Judge the storage's next keys, and begin again at its end, of which the answer is false."""
        with self._surviving("sweep"):
            keys = self._parts.storage.keys(storage, self._listed_until[storage], PAGE_KEYS)
            self._listed_until[storage] = keys[-1] if keys else ""
            if keys and self._go_on():
                self._judge(storage, keys)
                return True
        return False

    def purge(self) -> None:
        """Delete old jobs whose bytes are gone, keys whose lifetime ended, and workers long gone."""
        settings = self._settings
        old = housekeeping.purge(
            retention_seconds=settings.retention_seconds, key_lifetime_seconds=settings.key_lifetime_seconds
        )
        with self._surviving("purge"):
            with self._parts.database.read() as connection:
                jobs = housekeeping.old_jobs(connection, retention_seconds=settings.retention_seconds)
                keys = housekeeping.outlived_keys(connection)
                gone = workers.any_gone(connection, kept_seconds=WORKER_KEPT_SECONDS)
            if jobs:
                purged = self._repeated(old)
                self.swept.purged += purged
                if purged:  # and nobody else was quicker
                    self._parts.hooks.emit(JobsPurged(purged))
            if keys:
                self.swept.keys_forgotten += self._repeated(housekeeping.forget_keys())
            if gone:
                self._write(workers.forget(kept_seconds=WORKER_KEPT_SECONDS))

    def _judge(self, storage: str, keys: list[str]) -> None:
        with self._parts.database.read() as connection:
            verdicts = housekeeping.verdicts(
                connection, storage, keys, grace_seconds=self._settings.orphan_grace_seconds
            )
        orphans = erased = 0
        for key, verdict in verdicts.items():
            if verdict.fate is Fate.ORPHAN:
                orphans += self._delete(storage, key, None)
            elif verdict.fate is Fate.ERASED:
                erased += self._delete(storage, key, verdict.job_id)
        self.swept.orphans += orphans
        self.swept.erased += erased
        self._tell_deleted("orphan", orphans)
        self._tell_deleted("erased", erased)

    def _delete(self, storage: str, key: str, job_id: str | None) -> bool:
        """Delete a key's bytes, and then note that at the job's result. Says whether that succeeded."""
        try:
            boundary("sweep.before_delete")
            self._parts.storage.delete(storage, key)
            boundary("sweep.after_delete")
            if job_id is not None:
                self._write(mark_deleted(job_id))
        except Exception as error:  # noqa: BLE001 - the other keys come first, and the next sweep tries again
            self._failed("sweep", error)
            return False
        return True

    def _repeated(self, write: Write[int]) -> int:
        total, count = 0, BATCH
        while count == BATCH and self._go_on():
            count = self._write(write)
            total += count
        return total

    def _write(self, write: Write[T]) -> T:
        return self._parts.writer.run(write, wait_seconds=self._settings.accept_wait_seconds)

    def _tell_deleted(self, reason: str, keys: int) -> None:
        if keys:
            self._parts.hooks.emit(BytesDeleted(reason, keys))

    @contextmanager
    def _surviving(self, step: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever it was, the next sweep tries again
            self._failed(step, error)

    def _failed(self, step: str, error: Exception) -> None:
        self.swept.failed += 1
        self._parts.hooks.emit(LoopFailed(step, type(error).__name__))
