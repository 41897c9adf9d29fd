"""Bytes of results that are kept in the database: pieces of at most 256 KiB under the attempt's storage key.

A piece is inserted only while the attempt's lease lives; it is deleted in small transactions, overwritten with zeros.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Integer, String, delete, exists, func, select
from sqlalchemy.engine import Connection

from outlast.database import dialect
from outlast.database.connection import Database
from outlast.database.dialect import insert_or_ignore
from outlast.database.locking import lock_job
from outlast.database.schema import CHUNK_LIMIT_BYTES, export_jobs, result_chunks
from outlast.database.settle import lease_is_live
from outlast.database.statement import Statement, param
from outlast.database.writer import Batch, Write, Writer
from outlast.errors import LeaseLostError, OutcomeUnknownError, RequestRefusedError
from outlast.model import Attempt

DELETE_LIMIT = 16
"""How many pieces (4 MiB) one transaction deletes."""

_chunks = result_chunks.c

_insert = Statement(
    "chunks.insert",
    insert_or_ignore(result_chunks, "storage_key", "position").from_select(
        ["storage_key", "position", "data"],
        select(param("storage_key", String), param("position", Integer), param("data", _chunks.data.type)).where(
            exists(select(export_jobs.c.id).where(*lease_is_live))
        ),
    ),
)
_read = Statement(
    "chunks.read",
    select(_chunks.data).where(
        _chunks.storage_key == param("storage_key", String), _chunks.position == param("position", Integer)
    ),
)
_first_positions = (
    select(_chunks.position)
    .where(_chunks.storage_key == param("storage_key", String))
    .order_by(_chunks.position)
    .limit(DELETE_LIMIT)
)
_delete = Statement(
    "chunks.delete",
    delete(result_chunks).where(
        _chunks.storage_key == param("storage_key", String), _chunks.position.in_(_first_positions)
    ),
)
_next_key = Statement(
    "chunks.next_key", select(func.min(_chunks.storage_key)).where(_chunks.storage_key > param("after", String))
)
_present = Statement(
    "chunks.present",
    select(_chunks.position).where(
        _chunks.storage_key == param("storage_key", String), _chunks.position == param("position", Integer)
    ),
)


def stage_chunk(attempt: Attempt, position: int, data: bytes) -> Write[None]:
    """Add one piece. Raises LeaseLostError when the lease is gone or expired."""

    def perform(connection: Connection, _shared: Batch) -> None:
        key = attempt.storage_key
        lock_job(connection, attempt.job.id)
        inserted = _insert.count(
            connection, storage_key=key, position=position, data=data, job_id=attempt.job.id, token=attempt.lease.token
        )
        if not inserted and _present.row(connection, storage_key=key, position=position) is None:
            raise LeaseLostError

    return Write("stage", attempt.job.id, perform, lambda connection: perform(connection, Batch()))


def read_chunk(connection: Connection, storage_key: str, position: int) -> bytes | None:
    """One piece, or None when it isn't there (any more)."""
    data = _read.value(connection, storage_key=storage_key, position=position)
    return None if data is None else bytes(data)


def delete_chunks(storage_key: str) -> Write[bool]:
    """Delete the next few pieces; true while there may be more."""

    def perform(connection: Connection, _shared: Batch) -> bool:
        return _delete.count(connection, storage_key=storage_key) == DELETE_LIMIT

    return Write("chunks", storage_key, perform, lambda connection: perform(connection, Batch()))


def staged_keys(connection: Connection, after: str, limit: int) -> list[str]:
    """Up to `limit` storage keys that have bytes here, in order, beyond `after`."""
    keys: list[str] = []
    while len(keys) < limit and (key := _next_key.value(connection, after=after)) is not None:
        keys.append(key)
        after = key
    return keys


class Chunks:
    """The pieces as a store (`outlast.storage.base.ChunkStore`); every trouble with the database is an OSError there.

    `wait_seconds` is how long one piece may wait for the database's write lock.
    """

    chunk_bytes = CHUNK_LIMIT_BYTES

    def __init__(self, database: Database, writer: Writer, *, wait_seconds: float) -> None:
        """Read from the database, write through the process's writer."""
        self._database = database
        self._writer = writer
        self._wait_seconds = wait_seconds

    def insert(self, attempt: Attempt, position: int, data: bytes) -> None:
        """Add a piece, durably. Raises LeaseLostError, or OSError."""
        with _as_os_error():
            self._writer.run(stage_chunk(attempt, position, data), wait_seconds=self._wait_seconds)

    def read(self, key: str, position: int) -> bytes | None:
        """One piece, or None when it isn't there. Raises OSError."""
        with _as_os_error(), self._database.read() as connection:
            return read_chunk(connection, key, position)

    def delete(self, key: str) -> None:
        """Delete a key's pieces, a few at a time. Raises OSError."""
        with _as_os_error():
            while self._writer.run(delete_chunks(key), wait_seconds=self._wait_seconds):
                pass

    def keys(self, after: str, limit: int) -> list[str]:
        """Up to `limit` keys that have pieces, in order, beyond `after`. Raises OSError."""
        with _as_os_error(), self._database.read() as connection:
            return staged_keys(connection, after, limit)


@contextmanager
def _as_os_error() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if not isinstance(error, (RequestRefusedError, OutcomeUnknownError, *dialect.driver_errors())):
            raise
        raise OSError(errno.EAGAIN, "the database can't hold or give the bytes right now") from error
