"""Results in an object storage: below the URL's prefix the key is the object's name, and nothing else is.

An object is visible only once it is whole, and durable when the store says so. It is made once: what fits into one
part by a conditional request; a multipart upload by its key alone, whose random part nobody else knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import NotSupportedError

from outlast.boundary import boundary
from outlast.model import Attempt
from outlast.storage.key import is_key, parts
from outlast.storage.object_errors import os_errors

if TYPE_CHECKING:
    from obstore import WritableFile

    from outlast.storage.object_store import StoreOpener

MIB = 1024 * 1024
PART_BYTES = 8 * MIB
PART_LIMIT = 10_000  # of one upload, in S3 and by S3's measure
READ_BYTES = 2 * MIB
"""A range that is read at once: a slow reader holds so much memory, and no connection of the store's."""


def part_bytes_for(result_limit_bytes: int) -> int:
    """The length of an upload's parts, so that the largest result has no more of them than S3 takes."""
    return max(PART_BYTES, -(-result_limit_bytes // PART_LIMIT))


class ObjectStaging:
    """One attempt's bytes on their way into its object. One part is filled while the one before it is on its way."""

    def __init__(self, results: ObjectResults, attempt: Attempt) -> None:
        """Nothing is sent before a part is full."""
        self._results = results
        self._key = attempt.storage_key
        self._first = bytearray()
        self._filled_bytes = 0
        self._upload: WritableFile | None = None
        self._completing = False

    @property
    def storage(self) -> str:
        """The name of the storage in which the bytes lie."""
        return self._results.name

    def write(self, piece: bytes) -> None:
        """Take the next bytes. Raises OSError, perhaps of a part that was sent before."""
        rest = memoryview(piece)
        while rest:
            room = self._results.part_bytes - self._filled_bytes
            self._fill(rest[:room], completes=len(rest) >= room)
            rest = rest[room:]

    def finish(self) -> None:
        """Complete the object. Raises OSError; then it may or may not be there."""
        boundary("stage.before_durable")
        self._completing = True
        if self._upload is None:
            self._results.create(self._key, self._first)
        else:
            with os_errors():
                self._upload.close()
        boundary("stage.after_durable")

    def abort(self) -> None:
        """Give up: discard the parts, or the object. What can't be discarded now is left to the sweep or the store."""
        with suppress(OSError), os_errors():
            if self._completing:
                self._results.delete(self._key)
            elif self._upload is not None:
                self._upload.__exit__(InterruptedError, None, None)  # obstore's way to abort an upload

    def _fill(self, some: memoryview, *, completes: bool) -> None:
        if completes:
            boundary("stage.before_part")
        if self._upload is not None:
            with os_errors():
                self._upload.write(some)
        else:
            self._first += some
            if completes:
                self._begin()
        self._filled_bytes = 0 if completes else self._filled_bytes + len(some)
        if completes:
            boundary("stage.after_part")

    def _begin(self) -> None:
        upload = self._results.upload(self._key)
        with os_errors():
            upload.write(self._first)
        self._upload = upload  # not before: there is nothing to abort until it was begun
        self._first = bytearray()


class ObjectResults:
    """Reads and deletes what lies in the object storage."""

    name = "objects"

    def __init__(self, store: StoreOpener, *, part_bytes: int = PART_BYTES) -> None:
        """Keep results in that store, which must be their own: bucket and prefix."""
        self._store = store
        self.part_bytes = part_bytes

    def stage(self, attempt: Attempt) -> ObjectStaging:
        """Begin to write under the attempt's key."""
        return ObjectStaging(self, attempt)

    def create(self, key: str, data: bytes | bytearray) -> None:
        """Write an object at once. Raises OSError, FileExistsError where there is one and the store can tell."""
        parts(key)
        with os_errors():
            try:
                obstore.put(self._store(), key, data, mode="create", use_multipart=False)
            except NotSupportedError:
                obstore.put(self._store(), key, data, use_multipart=False)

    def upload(self, key: str) -> WritableFile:
        """Begin an object that is written part by part; the store learns of it with the first of them."""
        parts(key)
        return obstore.open_writer(self._store(), key, buffer_size=self.part_bytes, max_concurrency=1)

    def read(self, key: str, start: int, length: int) -> Iterator[bytes]:
        """Yield the bytes [start, start + length) in pieces. Raises FileNotFoundError when they are gone."""
        parts(key)
        if not length:
            with os_errors():
                obstore.head(self._store(), key)
        end = start + length
        while start < end:
            wanted = min(READ_BYTES, end - start)
            with os_errors():
                piece = bytes(obstore.get_range(self._store(), key, start=start, length=wanted))
            yield piece
            if len(piece) < wanted:
                raise FileNotFoundError("the result ends early")
            start += wanted

    def delete(self, key: str) -> None:
        """Delete a key's object; one that isn't there is no error. Raises OSError."""
        parts(key)
        with suppress(FileNotFoundError), os_errors():
            obstore.delete(self._store(), key)

    def keys(self, after: str, limit: int) -> list[str]:
        """Up to `limit` keys, in order, beyond `after`; what doesn't look like one of ours is passed over."""
        found: list[str] = []
        with os_errors():
            for batch in obstore.list(self._store(), offset=after, chunk_size=limit):
                found += [meta["path"] for meta in batch if is_key(meta["path"])]
                if len(found) >= limit:
                    break
        return found[:limit]
