"""One attempt's rows: from the definition's statement or iterable, in the caller's columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from typing_extensions import TypeIs

from outlast.errors import ExportFailedError, FailureCode
from outlast.extract.columns import RowPicker
from outlast.extract.pieces import Batch, Extraction, Pieces
from outlast.extract.source import SourceSpec
from outlast.extract.statement import Statement, estimate, is_statement, next_size, reading, snapshot
from outlast.formats import Column, RowText, Shape
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

    def rows_of(self, owner: Owner, parameters_json: str) -> object:
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
    del text  # no database writes rows' text yet
    rows = definition.rows_of(owner, parameters_json)
    if is_statement(rows):
        with _from_statement(rows, definition, columns, source or definition.source) as extraction:
            yield extraction
    elif is_iterable(rows):
        try:
            yield Extraction(_shape(columns), _batched(rows, RowPicker(definition.columns, columns)))
        finally:
            close = getattr(rows, "close", None)
            if close is not None:
                close()
    else:
        detail = f"the export returned a {type(rows).__name__}, neither a select nor an iterable of rows"
        raise ExportFailedError(FailureCode.INTERNAL_ERROR, detail)


@contextmanager
def _from_statement(
    statement: Statement, definition: Extractable, columns: Sequence[str], source: SourceSpec | None
) -> Iterator[Extraction]:
    if source is None:
        raise ExportFailedError(FailureCode.INTERNAL_ERROR, "the export selects, but has no source to select from")
    with snapshot(source) as (connection, as_of):
        expected = estimate(connection, statement)
        with reading(connection, statement, definition.columns, columns) as pieces:
            yield Extraction(_shape(columns), pieces, as_of, expected)


def _shape(columns: Sequence[str]) -> Shape:
    return Shape(tuple(map(Column, columns)))


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
