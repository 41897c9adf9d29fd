"""Pages of text out of a table that is walked by its rowids: one result row for each page of many rows."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TypeAlias

from outlast.extract.pieces import Pieces
from outlast.extract.sqlite_raw import Raw, all_rows, primary_code
from outlast.extract.sqlite_rows import PAGE_BYTES, Convert, is_unicode, streamed
from outlast.extract.sqlite_walk import Walk
from outlast.formats import Page

_Found: TypeAlias = tuple[bytes, int] | None
"""A stretch's text and its number of rows; None: it would be larger than it may be."""

_LIMIT_BYTES = 4 * 1024 * 1024
_FIRST_WIDTH = 64
_FIRST_ROWID, _LAST_ROWID = -(2**63), 2**63 - 1
_LIMIT_LENGTH, _TOO_BIG = 0, 18
"""SQLITE_LIMIT_LENGTH and SQLITE_TOOBIG of https://sqlite.org/c3ref/constlist.html."""


def walked(raw: Raw, walk: Walk, convert: Convert, twin: Raw | None = None) -> Pieces:
    """Read a table along its rowids, inside of the connection's transaction.

    The twin, in the same snapshot, reads the next stretch meanwhile: SQLite's work needs no interpreter.
    """
    first, width, number = _next(raw, walk, _FIRST_ROWID), _FIRST_WIDTH, 1
    with closing(_Ahead(twin, walk)) as ahead:
        while first is not None:
            last, found = ahead.taken(first) or ahead.while_reading(raw, first, min(first + width - 1, _LAST_ROWID))
            if found is None and last > first:
                width = max(1, width // 4)
                continue
            data, rows = found or (b"\0", 1)
            if rows and b"\0" not in data and is_unicode(data):
                yield Page(data, rows)
            elif rows:
                part = replace(walk.reading, parameters=(*walk.reading.parameters, first, last))
                yield from streamed(raw, part, convert, number)
            number += rows
            # By little steps upwards, since the next rows may be larger, or stand closer.
            width = max(1, min(4 * width, width * PAGE_BYTES // len(data)) if rows else width)
            first = last + 1 if rows and last < _LAST_ROWID else _next(raw, walk, last + 1)


class _Ahead:
    """Reads the stretch behind the one that is being read. It is given as its last rowid, and what `_read` gave."""

    def __init__(self, twin: Raw | None, walk: Walk) -> None:
        """Read by the twin; without one there is nothing ahead."""
        self._twin = twin
        self._walk = walk
        self._thread = ThreadPoolExecutor(1, "outlast-twin")
        self._next: tuple[int, int, Future[_Found]] | None = None

    def while_reading(self, raw: Raw, first: int, last: int) -> tuple[int, _Found]:
        """Read a stretch, and meanwhile, ahead of it, as many rowids again."""
        end = 2 * last - first + 1
        self._next = None
        if self._twin is not None and last - first >= _FIRST_WIDTH and end <= _LAST_ROWID:
            self._next = last + 1, end, self._thread.submit(_read, self._twin, self._walk, last + 1, end)
        return last, _read(raw, self._walk, first, last)

    def taken(self, first: int) -> tuple[int, _Found] | None:
        """Give what was read ahead if it begins there, once. Raises what reading it raised."""
        if self._next is None or self._next[0] != first:
            return None
        _, last, found = self._next
        self._next = None
        return last, found.result()

    def close(self) -> None:
        """Wait for the thread's end: the connection is not to be closed under it."""
        self._thread.shutdown(wait=True)


def _read(raw: Raw, walk: Walk, first: int, last: int) -> _Found:
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
