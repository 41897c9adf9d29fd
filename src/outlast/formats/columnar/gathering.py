"""Pieces in sizes that are worth a step: small pages are joined, and the first rows are looked at before the rest."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from outlast.errors import ExportFailedError
from outlast.formats.base import Piece, Row
from outlast.formats.rowtext import Page

PAGE_BYTES = 512 * 1024
_SAMPLE_ROWS = 10_000
_SAMPLE_BYTES = 4 * 1024**2


def gathered(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Join pages that follow one another until they reach `PAGE_BYTES`; batches stay as they are, and none is empty.

    What came before an error goes out before it: its own trouble is told first.
    """
    pages: list[Page] = []
    size = 0
    try:
        for piece in pieces:
            if isinstance(piece, Page) and piece.rows:
                pages.append(piece)
                size += len(piece.data)
            if pages and (size >= PAGE_BYTES or not isinstance(piece, Page)):
                yield _joined(pages)
                pages, size = [], 0
            if not isinstance(piece, Page) and piece:
                yield piece
    except ExportFailedError:
        if pages:
            yield _joined(pages)
        raise
    if pages:
        yield _joined(pages)


def first_rows(pieces: Iterable[Piece]) -> tuple[list[Row], Iterator[Piece]]:
    """Give the first thousands of rows, or the first megabytes of them, and all pieces, these again included."""
    rest = iter(pieces)
    taken: list[Piece] = []
    rows: list[Row] = []
    size = 0
    while len(rows) < _SAMPLE_ROWS and size < _SAMPLE_BYTES:
        piece = next(rest, None)
        if piece is None:
            break
        taken.append(piece)
        if isinstance(piece, Page):
            break
        rows += piece
        size += sum(map(_size, piece))
    return rows, chain(taken, rest)


def _joined(pages: Sequence[Page]) -> Page:
    if len(pages) == 1:
        return pages[0]
    return Page(b"".join([page.data for page in pages]), sum(page.rows for page in pages))


def _size(row: Row) -> int:
    return sum(map(sys.getsizeof, row))
