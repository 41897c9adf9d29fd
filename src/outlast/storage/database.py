"""Results in the jobs' database: pieces of equal length, each committed by itself, so a staged byte is durable."""

from __future__ import annotations

from collections.abc import Iterator

from outlast.model import Attempt
from outlast.storage.base import ChunkStore


class DatabaseFile:
    """One attempt's bytes on their way into the database."""

    def __init__(self, chunks: ChunkStore, attempt: Attempt) -> None:
        """Nothing is written yet."""
        self._chunks = chunks
        self._attempt = attempt
        self._count = 0

    def append(self, piece: bytes) -> None:
        """Add the next piece. Raises LeaseLostError, or OSError."""
        self._chunks.insert(self._attempt, self._count, piece)
        self._count += 1

    def finish(self) -> None:
        """Nothing is left to do: each piece was committed."""

    def pieces(self) -> Iterator[bytes]:
        """What was appended. Raises OSError when it can't be read back."""
        for position in range(self._count):
            yield _require(self._chunks.read(self._attempt.storage_key, position))


class DatabaseResults:
    """Reads and deletes what lies in the database."""

    name = "database"

    def __init__(self, chunks: ChunkStore) -> None:
        """Keep results in that store."""
        self._chunks = chunks

    def open(self, attempt: Attempt) -> DatabaseFile:
        """Begin to write under the attempt's key."""
        return DatabaseFile(self._chunks, attempt)

    def read(self, key: str, start: int, length: int) -> Iterator[bytes]:
        """Yield the bytes [start, start + length) in pieces. Raises FileNotFoundError when they are gone."""
        position, skip = divmod(start, self._chunks.chunk_bytes)
        while length > 0:
            piece = _require(self._chunks.read(key, position))[skip : skip + length]
            if not piece:
                raise FileNotFoundError("the result ends early")
            yield piece
            position, skip, length = position + 1, 0, length - len(piece)

    def delete(self, key: str) -> None:
        """Delete a key's bytes; one that isn't there is no error."""
        self._chunks.delete(key)

    def keys(self, after: str, limit: int) -> list[str]:
        """Up to `limit` keys, in order, beyond `after`."""
        return self._chunks.keys(after, limit)


def _require(piece: bytes | None) -> bytes:
    if piece is None:
        raise FileNotFoundError("a piece of the result is gone")
    return piece
