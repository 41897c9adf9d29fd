"""Reads what COPY sends: pages of many rows."""

from __future__ import annotations

import json
import re
import select
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, TypeAlias

from psycopg import Connection
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, abc

from outlast.extract.pieces import Batch, Pieces
from outlast.formats import Page, Row
from outlast.formats.jsonl import quote_json
from outlast.formats.raw import RawJson

Line: TypeAlias = bytes | memoryview | bytearray

PAGE_BYTES = 96 * 1024
"""Beyond 128 KiB, memory is mapped and given back for each page."""

_NOT_FINITE = (":NaN", ":Infinity", ":-Infinity")
_NUMBERS = frozenset(mark[1:] for mark in _NOT_FINITE)
_MARK = re.compile("|".join(_NOT_FINITE).encode())
_JSON = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)


def pages(driver: Connection[Any], command: bytes) -> Generator[Page, None, None]:
    """Give the rows of a COPY command; closing the generator cancels it."""
    with closing(_stretches(driver, command)) as stretches:
        for lines in stretches:
            yield Page(b"".join(lines), len(lines))


def json_pieces(driver: Connection[Any], command: bytes, names: Sequence[str]) -> Pieces:
    """Give rows of JSON; those in which a number is not finite as values: all else in them is JSON already."""
    with closing(_stretches(driver, command)) as stretches:
        for lines in stretches:
            data = b"".join(lines)
            if any(mark.encode() in data for mark in _NOT_FINITE):
                yield from _parted(lines, names)
            else:
                yield Page(data, len(lines))


def _parted(lines: Iterable[Line], names: Sequence[str]) -> Iterator[Batch | Page]:
    good: list[Line] = []
    for line in lines:
        values = _values(bytes(line).decode(), names) if _MARK.search(line) else None
        if values is None:
            good.append(line)
            continue
        if good:
            yield Page(b"".join(good), len(good))
            good = []
        yield [values]
    if good:
        yield Page(b"".join(good), len(good))


def _values(line: str, names: Sequence[str]) -> Row | None:
    """Take a row apart; None if all its numbers are finite."""
    values: list[Any] = []
    at = 0
    for name in names:
        at += len(quote_json(name)) + len("{:")  # the bracket or a comma, the name, the colon
        _, end = _JSON.raw_decode(line, at)
        text = line[at:end]
        values.append(float(text) if text in _NUMBERS else None if text == "null" else RawJson(text))
        at = end
    return values if any(isinstance(value, float) for value in values) else None


def _stretches(driver: Connection[Any], command: bytes) -> Generator[list[Line], None, None]:
    """Give the rows' lines, in lists of about a page. libpq gives one row at a call (libpq, section 32.10.2)."""
    with driver.cursor() as cursor, cursor.copy(command):
        raw = driver.pgconn
        lines: list[Line] = []
        size = 0
        readable = select.poll()
        readable.register(raw.socket, select.POLLIN)
        receive = raw.get_copy_data
        while True:
            received, line = receive(1)
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
    if failed is not None:
        raise error_from_result(failed, encoding="utf-8")
