"""Lines that SQLite wrote, gathered to pages; rows that it couldn't write come in their place as values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

from outlast.errors import ExportFailedError, FailureCode
from outlast.extract.pieces import Batch, Pieces
from outlast.extract.sqlite_raw import Raw
from outlast.extract.sqlite_text import Value, unpacked
from outlast.extract.statement import next_size
from outlast.formats import Page, Row

Parameters: TypeAlias = tuple[Any, ...]
Convert: TypeAlias = Callable[[Sequence[Value], int], Row]
"""Makes a row of Python values out of stored ones; the number of the row counts from 1."""

PAGE_BYTES = 96 * 1024
"""Beyond 128 KiB, memory is mapped and given back for each page, which costs more than it saves (measured)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How rows are read.

    rows    SQL that gives each row's line as a blob, or its values, packed in text, where it has no line
    again   SQL that gives the same rows: the line and the values
    """

    rows: str
    again: str
    parameters: Parameters


def streamed(raw: Raw, reading: Reading, convert: Convert, first: int = 1) -> Pieces:
    """Read row by row, the number of whose first row is `first`."""
    with closing(_Again(raw, reading, first)) as again, closing(raw.cursor()) as cursor:
        stretches = _stretches(cursor.execute(reading.rows, reading.parameters))
        yield from _gathered(_judged(stretches, convert, again, first))


def is_unicode(data: bytes) -> bool:
    """Whether it is UTF-8."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


class _Again:
    """Reads the rows a second time, in the same snapshot, when one is needed whose line is not UTF-8."""

    def __init__(self, raw: Raw, reading: Reading, first: int) -> None:
        self._cursor = raw.cursor()
        self._reading = reading
        self._next = first
        self._started = False

    def values(self, number: int, line: bytes) -> list[Value]:
        """Give the row's values. Numbers may only rise."""
        if not self._started:
            self._cursor.execute(self._reading.again, self._reading.parameters)
            self._started = True
        found, packed = next(islice(self._cursor, number - self._next, None), (None, ""))
        self._next = number + 1
        if found != line:
            detail = f"row {number} holds bytes that are not UTF-8, and is another when it is read again"
            raise ExportFailedError(FailureCode.UNENCODABLE_VALUE, detail)
        return unpacked(packed)

    def close(self) -> None:
        """Read no more."""
        self._cursor.close()


def _stretches(cells: Iterable[tuple[bytes | str]]) -> Iterator[list[bytes] | str]:
    """Cut the rows into lines up to a page's size, and what stands between them."""
    lines: list[bytes] = []
    size = 0
    for (cell,) in cells:
        if isinstance(cell, bytes):
            lines.append(cell)
            size += len(cell)
            if size >= PAGE_BYTES:
                yield lines
                lines, size = [], 0
        else:
            if lines:
                yield lines
                lines, size = [], 0
            yield cell
    if lines:
        yield lines


def _judged(
    stretches: Iterable[list[bytes] | str], convert: Convert, again: _Again, number: int
) -> Iterator[Page | Row]:
    for stretch in stretches:
        if isinstance(stretch, str):
            yield convert(unpacked(stretch), number)
            number += 1
            continue
        data = b"".join(stretch)
        if is_unicode(data):
            yield Page(data, len(stretch))
        else:
            for at, line in enumerate(stretch, number):
                yield Page(line, 1) if is_unicode(line) else convert(again.values(at, line), at)
        number += len(stretch)


def _gathered(parts: Iterable[Page | Row]) -> Pieces:
    """Gather rows to batches. What came before an error goes out before it, as it would with values alone."""
    batch: Batch = []
    try:
        for part in parts:
            if not isinstance(part, Page):
                batch.append(part)
                if len(batch) < next_size(part):
                    continue
            if batch:
                yield batch
                batch = []
            if isinstance(part, Page):
                yield part
    except ExportFailedError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch
