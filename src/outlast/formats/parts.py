"""A result in parts: whole files of a format in one ZIP, with a manifest of them at its end."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any

from outlast.formats.base import Encoder, Format, Needs, Piece, row_count
from outlast.formats.options import FileOptions
from outlast.formats.report import Report
from outlast.formats.rowtext import Page, RowText
from outlast.formats.shape import Shape
from outlast.formats.zipped import zipped

ZIP = Needs(("stream_zip",), "compression")
MANIFEST_NAME = "manifest.json"
MANIFEST_VERSION = 1


class PartsEncoder:
    """Writes `part-0001.csv`, `part-0002.csv`, …, each whole by itself, and `manifest.json`, which lists them.

    A part ends at `part_rows` rows exactly, or with the piece of rows that brings it to `part_bytes` bytes.
    """

    content_type = "application/zip"
    extension = "zip"

    def __init__(self, make: Callable[[], Encoder], options: FileOptions) -> None:
        """Write each part with an encoder of its own."""
        self._make = make
        self._options = options
        self._report = Report()
        self._parts: list[dict[str, Any]] = []

    def stream(self, pieces: Iterable[Piece]) -> Iterator[bytes]:
        """Give the file's bytes, once. Raises as the parts' encoders do."""
        yield from zipped(self._members(_Source(pieces)), "ZIP_64")

    @property
    def warnings(self) -> tuple[dict[str, Any], ...]:
        """What was changed in any part, by the rows' numbers in the whole result."""
        return self._report.warnings

    def _members(self, source: _Source) -> Iterator[tuple[str, Iterable[bytes]]]:
        for number in count(1):
            encoder = self._make()
            name = f"part-{number:04}.{encoder.extension}"
            yield name, self._part(name, encoder, source)
            if not source.more:
                break
        manifest = {"manifest": MANIFEST_VERSION, "parts": self._parts}
        yield MANIFEST_NAME, [json.dumps(manifest, indent=2).encode() + b"\n"]

    def _part(self, name: str, encoder: Encoder, source: _Source) -> Iterator[bytes]:
        digest, length, first_row = hashlib.sha256(), 0, source.rows

        def full() -> bool:
            limit = self._options.part_bytes
            return limit is not None and length >= limit

        for data in encoder.stream(source.part(self._options.part_rows, full)):
            digest.update(data)
            length += len(data)
            yield data
        rows = source.rows - first_row
        self._parts.append({"filename": name, "bytes": length, "rows": rows, "sha256": digest.hexdigest()})
        self._report.include(encoder.warnings, first_row)


def encoder_of(format_: Format, shape: Shape, options: FileOptions) -> Encoder:
    """Make the encoder of one result: the format's, or one of many parts."""
    if not options.parted:
        return format_.encoder(shape, options)
    return PartsEncoder(lambda: format_.encoder(shape, options), options)


def text_of(format_: Format, options: FileOptions) -> RowText | None:
    """Say what a database may write in place of rows; nothing where parts are counted in rows: no page can be cut."""
    return None if options.part_rows is not None else format_.text(options)


class _Source:
    """The pieces, part by part."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self.rows = 0
        self._pieces = iter(pieces)
        self._next: Piece | None = next(self._pieces, None)

    @property
    def more(self) -> bool:
        """Whether rows are left."""
        return self._next is not None

    def part(self, row_limit: int | None, full: Callable[[], bool]) -> Iterator[Piece]:
        """Give pieces until so many rows were given, or `full` says so after one of them."""
        end = None if row_limit is None else self.rows + row_limit
        while self._next is not None and (end is None or self.rows < end):
            piece = self._take(None if end is None else end - self.rows)
            self.rows += row_count(piece)
            yield piece
            if full():
                return

    def _take(self, row_limit: int | None) -> Piece:
        """Take the next piece, of a batch no more than so many rows. A page can't be cut, so none comes then."""
        piece = self._next
        assert piece is not None  # noqa: S101 - the caller looked
        if row_limit is not None and not isinstance(piece, Page) and len(piece) > row_limit:
            self._next = piece[row_limit:]
            return piece[:row_limit]
        self._next = next((piece for piece in self._pieces if not isinstance(piece, Page) or piece.rows), None)
        return piece
