"""One attempt's rows: from the definition's statement or iterable, in the caller's columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from typing import Protocol

from sqlalchemy import Connection
from typing_extensions import TypeIs

from outlast.errors import ExportFailedError, FailureCode
from outlast.extract.columns import RowPicker
from outlast.extract.pieces import Batch, Extraction, Pieces
from outlast.extract.reading import Reader, Reading, Wanted
from outlast.extract.source import SourceSpec
from outlast.extract.sqlite_reader import read_sqlite
from outlast.extract.statement import estimate, is_statement, next_size, reading, snapshot
from outlast.formats import Column, FileOptions, Kind, RowText, Shape
from outlast.model import Owner


class Extractable(Protocol):
    """What is needed of a definition (`outlast.declare`)."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The declared columns' names."""
        ...

    @property
    def source(self) -> SourceSpec | None:
        """Where a statement's rows come from."""
        ...

    @property
    def connection_argument(self) -> str | None:
        """The argument that wants a connection to the source."""
        ...

    @property
    def types(self) -> Mapping[str, Kind]:
        """Columns' kinds where they are declared."""
        ...

    @property
    def file_options(self) -> FileOptions:
        """How files are written, and what becomes of values that don't fit."""
        ...

    def rows_of(self, owner: Owner, parameters_json: str, connection: Connection | None = None) -> object:
        """Give a statement or an iterable of rows."""
        ...


def is_iterable(rows: object) -> TypeIs[Iterable[object]]:
    """Whether the rows come one by one; text is an iterable by accident."""
    return isinstance(rows, Iterable) and not isinstance(rows, str | bytes)


@contextmanager
def extract(
    definition: Extractable,
    owner: Owner,
    parameters_json: str,
    columns: Sequence[str],
    source: SourceSpec | None = None,
    text: RowText | None = None,
) -> Iterator[Extraction]:
    """Open the definition's rows for `owner`, with `columns` picked in that order; `source` replaces the declared one.

    `text` is what the database may make of the rows, where it can; without it every row comes as values.

    Raises whatever the export's own code raises, and ExportFailedError; `classify` tells what it means for the attempt.
    """
    source = source or definition.source
    wanting = definition.connection_argument is not None and source is not None
    with snapshot(source) if wanting and source is not None else nullcontext((None, None)) as (connection, as_of):
        rows = definition.rows_of(owner, parameters_json, connection)
        if is_statement(rows):
            wanted = Wanted(rows, definition.columns, columns, definition.types, definition.file_options, text)
            opened = nullcontext((connection, as_of)) if connection is not None else _snapshot(source)
            with opened as (reading_from, seen), _from_statement(reading_from, wanted, seen) as extraction:
                yield extraction
        elif is_iterable(rows):
            try:
                shape = Shape(tuple(Column(name, definition.types.get(name, Kind.UNKNOWN)) for name in columns))
                yield Extraction(shape, _batched(rows, RowPicker(definition.columns, columns)))
            finally:
                close = getattr(rows, "close", None)
                if close is not None:
                    close()
        else:
            detail = f"the export returned a {type(rows).__name__}, neither a select nor an iterable of rows"
            raise ExportFailedError(FailureCode.INTERNAL_ERROR, detail)


def _snapshot(source: SourceSpec | None) -> AbstractContextManager[tuple[Connection, datetime | None]]:
    if source is None:
        raise ExportFailedError(FailureCode.INTERNAL_ERROR, "the export selects, but has no source to select from")
    return snapshot(source)


@contextmanager
def _from_statement(connection: Connection, wanted: Wanted, as_of: datetime | None) -> Iterator[Extraction]:
    expected = estimate(connection, wanted.statement)
    dialect = connection.dialect
    read = _READERS.get(dialect.name) or _READERS.get(f"{dialect.name}+{dialect.driver}", _read_any)
    with read(connection, wanted) as found:
        counted = expected is not None
        yield Extraction(
            found.shape, found.pieces, as_of, expected if counted else found.estimated_rows, found.path,
            "counted" if counted else found.estimate_source, found.report,
        )  # fmt: skip


@contextmanager
def _read_any(connection: Connection, wanted: Wanted) -> Iterator[Reading]:
    """Read a database that has no reader of its own: values as SQLAlchemy gives them."""
    shape = Shape(tuple(Column(name, wanted.types.get(name, Kind.UNKNOWN)) for name in wanted.columns))
    with reading(connection, wanted.statement, wanted.declared, wanted.columns) as pieces:
        yield Reading(shape, pieces)


@contextmanager
def _read_postgresql(connection: Connection, wanted: Wanted) -> Iterator[Reading]:
    from outlast.extract.postgres_reader import read_postgresql  # noqa: PLC0415 - psycopg is an extra

    with read_postgresql(connection, wanted) as found:
        yield found


_READERS: dict[str, Reader] = {"sqlite": read_sqlite, "postgresql+psycopg": _read_postgresql}
"""Each database's own reader, by SQLAlchemy's name of its dialect, and of the driver where only one will do."""


def _batched(rows: Iterable[object], pick: RowPicker) -> Pieces:
    batch: Batch = []
    size = 1
    for number, row in enumerate(rows, 1):
        batch.append(pick(row, number))
        if len(batch) >= size:
            size = next_size(batch[-1])
            yield batch
            batch = []
    if batch:
        yield batch
