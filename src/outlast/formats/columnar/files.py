"""The two kinds of files: groups of rows go in, bytes come out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

_DICTIONARY_BYTES = 64 * 1024


class Sink:
    """Keeps what is written until it is taken."""

    closed = False

    def __init__(self) -> None:
        """Begin with nothing."""
        self._written: list[bytes] = []

    def write(self, data: bytes) -> int:
        """Keep it."""
        self._written.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Do nothing: there is nowhere to flush to."""

    def close(self) -> None:
        """Do nothing: what was written can still be taken."""

    def take(self) -> bytes:
        """Give what was written since the last time."""
        data = b"".join(self._written)
        self._written.clear()
        return data


class GroupWriter(Protocol):
    """Writes tables into a sink."""

    def write_table(self, table: Any, rows: int, /) -> None:  # noqa: ANN401 - pyarrow carries no types
        """Write a table as a group, or as several of at most so many rows."""
        ...

    def close(self) -> None:
        """Write what stands at the file's end."""
        ...


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file; `open` takes a sink and a schema."""

    extension: str
    content_type: str
    open: Callable[[Sink, Any], GroupWriter]


def _parquet(sink: Sink, file_schema: object) -> GroupWriter:
    # Dictionaries for few distinct values alone: larger ones take longer, and compress worse than the text itself.
    writer: GroupWriter = pq.ParquetWriter(
        sink, file_schema, version="2.6", compression="zstd", compression_level=1,
        dictionary_pagesize_limit=_DICTIONARY_BYTES,
    )  # fmt: skip
    return writer


class _ArrowFile:
    """Writes whole groups: the batches of a table that is not combined would stay as small as they came."""

    def __init__(self, writer: GroupWriter) -> None:
        self._writer = writer
        self.close = writer.close

    def write_table(self, table: Any, rows: int, /) -> None:  # noqa: ANN401 - pyarrow carries no types
        self._writer.write_table(table.combine_chunks(), rows)


def _arrow(sink: Sink, file_schema: object) -> GroupWriter:
    # A file, not a stream: its footer tells that it is whole, and readers may jump to any group, or map it to memory.
    writer: GroupWriter = pa.ipc.new_file(
        pa.PythonFile(sink, mode="w"),
        file_schema,
        options=pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False),
    )
    return _ArrowFile(writer)


FILES = {
    "parquet": FileKind("parquet", "application/vnd.apache.parquet", _parquet),
    "arrow": FileKind("arrow", "application/vnd.apache.arrow.file", _arrow),
}
"""Media types as registered: https://www.iana.org/assignments/media-types/."""
