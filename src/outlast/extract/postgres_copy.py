"""Reads what COPY sends: pages of many rows."""

from __future__ import annotations

import select
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import repeat
from typing import Any, TypeAlias

from psycopg import Connection, OperationalError
from psycopg.errors import error_from_result
from psycopg.pq import DiagnosticField, ExecStatus, abc

from outlast.extract.pieces import Batch
from outlast.extract.postgres_rows import TakeApart
from outlast.formats import Page

Line: TypeAlias = bytes | memoryview | bytearray

PAGE_BYTES = 96 * 1024
"""Beyond 128 KiB, memory is mapped and given back for each page."""


def pieces(
    driver: Connection[Any], command: bytes, marks: Sequence[bytes] = (), take_apart: TakeApart | None = None
) -> Generator[Batch | Page, None, None]:
    """Give the rows of a COPY command; closing the generator cancels it.

    Rows that hold one of the marks are taken apart, and come as values unless that finds them to be as they should.
    """
    with closing(_stretches(driver, command)) as stretches:
        for lines in stretches:
            data = b"".join(lines)
            if take_apart is not None and any(mark in data for mark in marks):
                yield from _parted(lines, marks, take_apart)
            else:
                yield Page(data, len(lines))


def _parted(lines: Iterable[Line], marks: Sequence[bytes], take_apart: TakeApart) -> Iterator[Batch | Page]:
    good: list[bytes] = []
    batch: Batch = []
    for line in map(bytes, lines):
        values = take_apart(line.decode()) if any(mark in line for mark in marks) else None
        if values is None:
            if batch:
                yield batch
                batch = []
            good.append(line)
        else:
            if good:
                yield Page(b"".join(good), len(good))
                good = []
            batch.append(values)
    if good:
        yield Page(b"".join(good), len(good))
    if batch:
        yield batch


def _stretches(driver: Connection[Any], command: bytes) -> Generator[list[Line], None, None]:
    """Give the rows' lines, in lists of about a page. libpq gives one row at a call (libpq, section 32.10.2)."""
    with driver.cursor() as cursor, cursor.copy(command):
        raw = driver.pgconn
        lines: list[Line] = []
        size = 0
        readable = select.poll()
        readable.register(raw.socket, select.POLLIN)
        for received, line in map(raw.get_copy_data, repeat(1)):
            if received > 0:
                lines.append(line)
                size += received
                if size >= PAGE_BYTES:
                    yield lines
                    lines, size = [], 0
            elif received == 0:
                readable.poll()
                raw.consume_input()
            else:
                break
        _settle(raw)
    if lines:
        yield lines


def _settle(raw: abc.PGconn) -> None:
    """Take what comes behind the last row. Raises the server's error, if it ended with one."""
    failed = None
    while (result := raw.get_result()) is not None:
        if result.status != ExecStatus.COMMAND_OK:
            failed = result
    if failed is None:
        return
    if failed.error_field(DiagnosticField.SQLSTATE) is None:  # libpq's own words: there is no server any more
        raise OperationalError("the connection was lost")
    raise error_from_result(failed, encoding="utf-8")
