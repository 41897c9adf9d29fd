"""The interface of every storage, and nothing else.

A key is `{job}/{attempt}-{random}`. Bytes under a key prove nothing; the committed result row does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from outlast.model import Attempt


class ChunkStore(Protocol):
    """Pieces of results in the jobs' database. It is injected, for no storage knows a database."""

    @property
    def chunk_bytes(self) -> int:
        """The length of every piece but a key's last."""
        ...

    def insert(self, attempt: Attempt, position: int, data: bytes) -> None:
        """Add a piece, durably, while the lease lives. Raises LeaseLostError, or OSError when there is no way to."""
        ...

    def read(self, key: str, position: int) -> bytes | None:
        """One piece, or None when it isn't there. Raises OSError when the database can't be read."""
        ...

    def delete(self, key: str) -> None:
        """Delete a key's pieces, a few at a time. Raises OSError when the database can't be written."""
        ...

    def keys(self, after: str, limit: int) -> list[str]:
        """Up to `limit` keys that have pieces, in order, beyond `after`."""
        ...


class Staging(Protocol):
    """Bytes on their way to one attempt's key."""

    @property
    def storage(self) -> str:
        """The name of the storage in which the bytes lie; final after `finish`."""
        ...

    def write(self, piece: bytes) -> None:
        """Take the next bytes. Raises LeaseLostError, or OSError when the storage can't take them."""
        ...

    def finish(self) -> None:
        """Make every byte durable; only then may the result be committed."""
        ...

    def abort(self) -> None:
        """Give up; what was written may be deleted now or by the sweep. Never called once completion was attempted."""
        ...


class Storage(Protocol):
    """A place for results."""

    def stage(self, attempt: Attempt) -> Staging:
        """Begin to write under the attempt's storage key."""
        ...

    def read(self, storage: str, key: str, start: int, length: int) -> Iterator[bytes]:
        """Yield the bytes [start, start + length) in pieces. Raises FileNotFoundError when they are gone."""
        ...

    def delete(self, storage: str, key: str) -> None:
        """Delete a key's bytes; one that isn't there is no error."""
        ...

    def keys(self, storage: str, after: str, limit: int) -> list[str]:
        """Up to `limit` keys that have bytes in that storage, in order, beyond `after`."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The storages that the sweep has to list."""
        ...
