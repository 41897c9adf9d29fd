"""A result on its way to its owner."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from outlast.database import jobs
from outlast.database.connection import Database
from outlast.errors import OutlastError
from outlast.model import Result
from outlast.storage.base import Storage

ERASURE_CHECK_SECONDS = 1.0


class ResultGoneError(OutlastError):
    """There are no further bytes: the result was erased while it was read, or its storage can't give them."""


@dataclass(frozen=True, slots=True)
class Download:
    """A result that its owner may have, as was decided when he asked; what it is, and its bytes."""

    job_id: str
    result: Result
    database: Database
    storage: Storage

    def read(self, start: int, length: int) -> Iterator[bytes]:
        """Yield the bytes [start, start + length) in pieces, a few at a time in memory.

        Raises ResultGoneError, between two pieces, soon after the result was erased.
        """
        self._require_kept()
        checked_at = time.monotonic()
        pieces = self.storage.read(self.result.storage, self.result.storage_key, start, length)
        try:
            for piece in pieces:
                if time.monotonic() - checked_at > ERASURE_CHECK_SECONDS:
                    self._require_kept()
                    checked_at = time.monotonic()
                yield piece
        except OSError as error:
            raise ResultGoneError from error

    def _require_kept(self) -> None:
        with self.database.read() as connection:
            seen = jobs.get(connection, self.job_id)
        if seen is None or seen.job.erased_at is not None:
            raise ResultGoneError
