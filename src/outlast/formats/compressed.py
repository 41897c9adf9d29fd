"""A text format within gzip (RFC 1952) or Zstandard (RFC 8878): the file itself, so a media type, not an encoding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, TypeAlias

from outlast.formats.base import Encoder, Format, Needs, Piece
from outlast.formats.options import FileOptions
from outlast.formats.shape import Shape

_GZIP_LEVEL = 1
_GZIP_WINDOW = 16 + 15  # a gzip header, which names no file and no time: the same rows give the same bytes
_ZSTD_LEVEL = 3


class _Stream(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


MakeStream: TypeAlias = Callable[[], _Stream]


@dataclass(frozen=True, slots=True)
class Compression:
    """A compression by the ending of its files."""

    extension: str
    content_type: str
    module: str
    stream: MakeStream


def _gzip() -> _Stream:
    # By name, so that its absence is told at the declaration; many times as fast as zlib, at no worse a ratio.
    stream: _Stream = import_module("isal.isal_zlib").compressobj(level=_GZIP_LEVEL, wbits=_GZIP_WINDOW)
    return stream


def _zstd() -> _Stream:
    stream: _Stream = import_module("zstandard").ZstdCompressor(level=_ZSTD_LEVEL).compressobj()
    return stream


COMPRESSIONS = (
    Compression("gz", "application/gzip", "isal", _gzip),
    Compression("zst", "application/zstd", "zstandard", _zstd),
)


class CompressedEncoder:
    """Writes what another encoder writes, compressed as one stream."""

    def __init__(self, inner: Encoder, compression: Compression) -> None:
        """Begin a stream."""
        self._inner = inner
        self._stream = compression.stream()
        self.content_type = compression.content_type
        self.extension = f"{inner.extension}.{compression.extension}"

    def stream(self, pieces: Iterable[Piece]) -> Iterator[bytes]:
        """Give the file's bytes, once. Raises as the inner encoder does."""
        for data in self._inner.stream(pieces):
            yield self._stream.compress(data)
        yield self._stream.flush()

    @property
    def warnings(self) -> tuple[dict[str, Any], ...]:
        """The inner encoder's."""
        return self._inner.warnings


def compressed(inner: Format) -> Iterable[Format]:
    """Give the format in each compression: `csv` becomes `csv.gz` and `csv.zst`."""
    for compression in COMPRESSIONS:
        yield Format(
            f"{inner.name}.{compression.extension}", _encoder(inner, compression), inner.text,
            Needs((compression.module,), "compression"),
        )  # fmt: skip


def _encoder(inner: Format, compression: Compression) -> Callable[[Shape, FileOptions], Encoder]:
    return lambda shape, options: CompressedEncoder(inner.encoder(shape, options), compression)
