"""Rows of PostgreSQL as Python values that lose nothing, through a cursor of the server's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, TypeAlias

from psycopg import Connection, Cursor, DataError
from psycopg.adapt import Buffer, Loader, Transformer
from psycopg.postgres import types
from psycopg.pq import Format
from psycopg.types.string import TextLoader

from outlast.extract.kinds import Process
from outlast.extract.pieces import Batch, Pieces
from outlast.extract.postgres_types import Stored
from outlast.extract.statement import next_size
from outlast.formats import Kind, Row
from outlast.formats.raw import RawJson

Change: TypeAlias = Callable[[Any], Any]

_TIMES = frozenset(types[name].oid for name in ("date", "time", "timestamp", "timestamptz"))
_NATIVE = _TIMES | frozenset(
    types[name].oid for name in ("bool", "bytea", "int2", "int4", "int8", "oid", "float4", "float8", "numeric", "uuid")
)
"""What the driver's own loaders turn into values without loss; the times as far as Python's calendar goes."""

_DOCUMENTS = frozenset(types[name].oid for name in ("json", "jsonb"))
_INTERVAL = types["interval"].oid
_CURSOR = b"outlast_rows"
_PART = re.compile(r"(-?[\d.]+)([YMWDHS])")


class _AnyText(Loader):
    """Text whose encoding nobody knows: what is not UTF-8 becomes lone surrogates, for the encoders' policies."""

    def load(self, data: Buffer) -> str:
        return bytes(data).decode("utf-8", "surrogateescape")


class _Document(_AnyText):
    def load(self, data: Buffer) -> RawJson:
        return RawJson(super().load(data))


def field(column: Stored) -> str:
    """Give the expression by which a column is selected."""
    return f"to_json({column.sql})" if column.column.kind is Kind.ARRAY and column.process is None else column.sql


def batches(driver: Connection[Any], sql: bytes, columns: Sequence[Stored]) -> Pieces:
    """Run a statement that has those columns, and give its rows."""
    with driver.cursor() as cursor:
        cursor.execute(b"DECLARE " + _CURSOR + b" NO SCROLL CURSOR FOR " + sql, prepare=False)
        try:
            read = _Reader(cursor, columns)
            size = 1
            while rows := read(size):
                yield rows
                size = next_size(rows[-1])
        finally:
            if not driver.closed and driver.info.transaction_status.name == "INTRANS":
                cursor.execute(b"CLOSE " + _CURSOR, prepare=False)


class _Reader:
    """Fetches rows. Loaders are the cursor's own, so that the application's connection keeps its."""

    def __init__(self, cursor: Cursor[Any], columns: Sequence[Stored]) -> None:
        self._cursor = cursor
        self._careful: Any = None  # the driver's Transformer, once it is needed
        self._columns = columns
        cursor.execute(b"FETCH FORWARD 0 FROM " + _CURSOR, prepare=False)
        oids = [found.type_code for found in cursor.description or ()]
        _register(cursor, oids)
        self._changes = {
            at: _change(cursor.connection, oid, column.process)
            for at, (oid, column) in enumerate(zip(oids, columns, strict=True))
            if column.process is not None
        }

    def __call__(self, size: int) -> Batch:
        """Give up to so many rows; none at the end."""
        self._cursor.execute(b"FETCH FORWARD %d FROM %s" % (size, _CURSOR), prepare=False)
        try:
            rows = self._cursor.fetchall()
        except DataError:  # a time that Python can't hold
            rows = self._fetched_carefully()
        return [self._changed(row) for row in rows] if self._changes else rows

    def _fetched_carefully(self) -> list[Row]:
        result = self._cursor.pgresult
        assert result is not None  # noqa: S101 - it was fetched
        if self._careful is None:
            for oid in _TIMES:
                self._cursor.adapters.register_loader(oid, _careful(self._cursor.adapters.get_loader(oid, Format.TEXT)))
            self._careful = Transformer(self._cursor)
        self._careful.set_pgresult(result)
        return list(self._careful.load_rows(0, result.ntuples, tuple))

    def _changed(self, row: Sequence[Any]) -> Row:
        values = list(row)
        for at, change in self._changes.items():
            values[at] = change(values[at])
        return tuple(values)


def _register(cursor: Cursor[Any], oids: Iterable[int]) -> None:
    known = cursor.connection.info.encoding != "ascii"
    for oid in oids:
        if oid in _DOCUMENTS:
            cursor.adapters.register_loader(oid, _Document)
        elif oid not in _NATIVE:
            cursor.adapters.register_loader(oid, TextLoader if known else _AnyText)


def _careful(loader: type[Any] | None) -> type[Loader]:
    """Make a loader that gives the database's text where `loader` refuses a value."""

    class Careful(Loader):
        def __init__(self, oid: int, context: Any = None) -> None:  # noqa: ANN401 - the driver's
            super().__init__(oid, context)
            assert loader is not None  # noqa: S101 - the driver knows these types
            self._load = loader(oid, context).load

        def load(self, data: Buffer) -> Any:  # noqa: ANN401 - a time or text
            try:
                return self._load(data)
            except DataError:
                return bytes(data).decode()

    return Careful


def _change(driver: Connection[Any], oid: int, process: Process) -> Change:
    """Let the application's own type have what the driver would have given to it."""
    if oid in _NATIVE:
        return process
    if oid == _INTERVAL:
        return lambda value: process(None if value is None else _interval(value))
    loader = driver.adapters.get_loader(oid, Format.TEXT) or TextLoader
    load = loader(oid, driver).load
    return lambda value: process(None if value is None else load(str.__str__(value).encode("utf-8", "surrogateescape")))


def _interval(text: str) -> timedelta:
    """Read what IntervalStyle iso_8601 writes; the driver too takes a year for 365 days, and a month for 30."""
    days, _, clock = text.removeprefix("P").partition("T")
    total = timedelta()
    for number, unit in _PART.findall(days):
        total += timedelta(days=int(number) * {"Y": 365, "M": 30, "W": 7, "D": 1}[unit])
    for number, unit in _PART.findall(clock):
        microseconds = int(Decimal(number).scaleb(6)) * {"H": 3600, "M": 60, "S": 1}[unit]
        total += timedelta(microseconds=microseconds)
    return total
