"""Pages of text out of a table that is walked by its rowids: one result row for each page of many rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

from outlast.extract.pieces import Pieces
from outlast.extract.sqlite_raw import Raw, all_rows, primary_code
from outlast.extract.sqlite_rows import PAGE_BYTES, Convert, is_unicode, streamed
from outlast.extract.sqlite_walk import Walk
from outlast.formats import Page

_LIMIT_BYTES = 4 * 1024 * 1024
_FIRST_ROWS = 64
_MOST_ROWS = 20_000
_FIRST_ROWID, _LAST_ROWID = -(2**63), 2**63 - 1
_LIMIT_LENGTH, _TOO_BIG = 0, 18
"""SQLITE_LIMIT_LENGTH and SQLITE_TOOBIG of https://sqlite.org/c3ref/constlist.html."""


def walked(raw: Raw, walk: Walk, convert: Convert) -> Pieces:
    """Read a table along its rowids, inside of the connection's transaction."""
    first, size, number = _FIRST_ROWID, _FIRST_ROWS, 1
    while True:
        data, lines, rows, last = _read(raw, walk, first, size) or (b"", -1, *_next(raw, walk, first, size))
        if not rows:
            return
        if lines == rows and is_unicode(data):
            yield Page(data, rows)
        else:
            part = replace(walk.reading, parameters=(*walk.reading.parameters, first, last))
            yield from streamed(raw, part, convert, number)
        if last == _LAST_ROWID:
            return
        first, number = last + 1, number + rows
        size = _next_size(size, lines, len(data or b""))


def _next_size(size: int, lines: int, length: int) -> int:
    """Come near a page's size, by little steps upwards, since the next rows may be larger."""
    if lines <= 0:
        return max(1, size // 4)
    return max(1, min(4 * size, _MOST_ROWS, lines * PAGE_BYTES // length))


def _read(raw: Raw, walk: Walk, first: int, size: int) -> tuple[bytes, int, int, int] | None:
    """Read a page; None if it would be larger than it may be."""
    try:
        with _at_most(raw, _LIMIT_BYTES), closing(raw.cursor()) as cursor:
            found: tuple[bytes, int, int, int] = cursor.execute(
                walk.page, (*walk.reading.parameters, first, size)
            ).fetchone()
            return found
    except Exception as error:
        if primary_code(error) == _TOO_BIG:
            return None
        raise


def _next(raw: Raw, walk: Walk, first: int, size: int) -> tuple[int, int]:
    """Give how many of the next `size` rows are to be read one by one, and the last one's rowid."""
    (found,) = all_rows(raw, walk.extent, (*walk.reading.parameters, first, size))
    return found[0], found[1]


@contextmanager
def _at_most(raw: Raw, length: int) -> Iterator[None]:
    """Let SQLite make no value longer than that: the memory of a page is bounded whatever the rows are like."""
    before = raw.limit(_LIMIT_LENGTH, length)
    try:
        yield
    finally:
        raw.limit(_LIMIT_LENGTH, before)
