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
_FIRST_WIDTH = 64
_FIRST_ROWID, _LAST_ROWID = -(2**63), 2**63 - 1
_LIMIT_LENGTH, _TOO_BIG = 0, 18
"""SQLITE_LIMIT_LENGTH and SQLITE_TOOBIG of https://sqlite.org/c3ref/constlist.html."""


def walked(raw: Raw, walk: Walk, convert: Convert) -> Pieces:
    """Read a table along its rowids, inside of the connection's transaction."""
    first, width, number = _next(raw, walk, _FIRST_ROWID), _FIRST_WIDTH, 1
    while first is not None:
        last = min(first + width - 1, _LAST_ROWID)
        found = _read(raw, walk, first, last)
        if found is None and width > 1:
            width = max(1, width // 4)
            continue
        data, rows = found or (b"\0", 1)
        if rows:
            if b"\0" not in data and is_unicode(data):
                yield Page(data, rows)
            else:
                part = replace(walk.reading, parameters=(*walk.reading.parameters, first, last))
                yield from streamed(raw, part, convert, number)
        number += rows
        # By little steps upwards, since the next rows may be larger, or stand closer.
        width = max(1, min(4 * width, width * PAGE_BYTES // len(data)) if rows else width)
        first = last + 1 if rows and last < _LAST_ROWID else _next(raw, walk, last + 1)


def _read(raw: Raw, walk: Walk, first: int, last: int) -> tuple[bytes, int] | None:
    """Read a page; None if it would be larger than it may be."""
    try:
        with _at_most(raw, _LIMIT_BYTES), closing(raw.cursor()) as cursor:
            found: tuple[bytes, int] = cursor.execute(walk.page, (*walk.reading.parameters, first, last)).fetchone()
            return found
    except Exception as error:
        if primary_code(error) == _TOO_BIG:
            return None
        raise


def _next(raw: Raw, walk: Walk, first: int) -> int | None:
    """Give the rowid of the next row from there on."""
    if first > _LAST_ROWID:
        return None
    ((found,),) = all_rows(raw, walk.next, (*walk.reading.parameters, first))
    return None if found is None else int(found)


@contextmanager
def _at_most(raw: Raw, length: int) -> Iterator[None]:
    """Let SQLite make no value longer than that: the memory of a page is bounded whatever the rows are like."""
    before = raw.limit(_LIMIT_LENGTH, length)
    try:
        yield
    finally:
        raw.limit(_LIMIT_LENGTH, before)
