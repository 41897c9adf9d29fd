"""Where results are kept: on one host small ones in the database and large ones in a directory, else in objects.

Nobody knows a result's size before its last byte. So on one host staging begins in the database, and what passes the
cap moves to the directory. Where there is an object storage it takes every new result; what lies in the other places
is still read and swept.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from outlast.boundary import boundary
from outlast.model import Attempt
from outlast.storage.base import ChunkStore, Staging
from outlast.storage.database import DatabaseFile, DatabaseResults
from outlast.storage.directory import DirectoryFile, DirectoryResults

if TYPE_CHECKING:
    from outlast.storage.objects import ObjectResults  # which needs obstore


class _Place(Protocol):
    def read(self, key: str, start: int, length: int) -> Iterator[bytes]: ...

    def delete(self, key: str) -> None: ...

    def keys(self, after: str, limit: int) -> list[str]: ...


class ResultStaging:
    """Bytes on their way to one attempt's key; in the database, in pieces of its chunk length."""

    def __init__(self, results: ResultStorage, attempt: Attempt) -> None:
        """Begin in the database, unless its cap is zero."""
        self._results = results
        self._attempt = attempt
        self._rest = bytearray()
        self._staged_bytes = 0
        self._file: DatabaseFile | DirectoryFile = results.database.open(attempt)

    @property
    def storage(self) -> str:
        """The name of the storage in which the bytes lie; final after `finish`."""
        place = self._results.database if isinstance(self._file, DatabaseFile) else self._results.directory
        return place.name

    def write(self, piece: bytes) -> None:
        """Take the next bytes. Raises LeaseLostError, or OSError when the storage can't take them."""
        if isinstance(self._file, DirectoryFile):
            self._append_rest()
            self._append(piece)
            return
        whole = self._results.chunk_bytes
        if not self._rest and len(piece) == whole:
            self._append(piece)
            return
        self._rest += piece
        while len(self._rest) >= whole:
            self._append(bytes(self._rest[:whole]))
            del self._rest[:whole]

    def finish(self) -> None:
        """Make every byte durable; only then may the result be committed. Raises as `write` does."""
        self._append_rest()
        boundary("stage.before_durable")
        self._file.finish()
        boundary("stage.after_durable")

    def abort(self) -> None:
        """Give up: delete what was written, or leave it to the sweep if that can't be done now."""
        if isinstance(self._file, DirectoryFile):
            self._file.close()
        for storage in self._results.names:  # it may have been on its way from one to the other
            with suppress(OSError):
                self._results.delete(storage, self._attempt.storage_key)

    def _append_rest(self) -> None:
        if self._rest:
            self._append(bytes(self._rest))
            self._rest.clear()

    def _append(self, piece: bytes) -> None:
        if isinstance(self._file, DatabaseFile) and self._staged_bytes + len(piece) > self._results.database_limit:
            self._move_to_directory(self._file)
        boundary("stage.before_chunk")
        self._file.append(piece)
        boundary("stage.after_chunk")
        self._staged_bytes += len(piece)

    def _move_to_directory(self, staged: DatabaseFile) -> None:
        key = self._attempt.storage_key
        file = self._file = self._results.directory.open(key)
        if not self._staged_bytes:  # nothing to move, so no need to wait for the database's write lock
            return
        for piece in staged.pieces():
            file.append(piece)
        boundary("stage.mid_move")
        with suppress(OSError):  # the sweep deletes them too: the result will say where it lies
            self._results.database.delete(key)


class ResultStorage:
    """The places, by name."""

    def __init__(
        self,
        chunks: ChunkStore,
        directory: Path,
        *,
        database_limit_bytes: int,
        objects: ObjectResults | None = None,
    ) -> None:
        """Keep results in `objects`, if given, else in the database, and those beyond its limit in `directory`."""
        self.database = DatabaseResults(chunks)
        self.directory = DirectoryResults(directory)
        self.chunk_bytes = chunks.chunk_bytes
        self.database_limit = database_limit_bytes
        self._objects = objects
        self._places: dict[str, _Place] = {self.database.name: self.database, self.directory.name: self.directory}
        if objects is not None:
            self._places[objects.name] = objects

    @property
    def names(self) -> tuple[str, ...]:
        """The storages that the sweep has to list."""
        return tuple(self._places)

    def stage(self, attempt: Attempt) -> Staging:
        """Begin to write under the attempt's storage key."""
        if self._objects is not None:
            return self._objects.stage(attempt)
        return ResultStaging(self, attempt)

    def read(self, storage: str, key: str, start: int, length: int) -> Iterator[bytes]:
        """Yield the bytes [start, start + length) in pieces. Raises FileNotFoundError when they are gone."""
        return self._place(storage).read(key, start, length)

    def delete(self, storage: str, key: str) -> None:
        """Delete a key's bytes; one that isn't there is no error. Raises OSError when it can't be done now."""
        self._place(storage).delete(key)

    def keys(self, storage: str, after: str, limit: int) -> list[str]:
        """Up to `limit` keys that have bytes in that storage, in order, beyond `after`."""
        return self._place(storage).keys(after, limit)

    def _place(self, storage: str) -> _Place:
        if storage not in self._places:
            raise FileNotFoundError(f"there is no storage {storage!r}")
        return self._places[storage]
