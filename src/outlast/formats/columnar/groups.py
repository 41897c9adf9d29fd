"""Pieces as Arrow columns, gathered to groups of rows, as a file's bytes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from outlast.formats.base import Piece, Row
from outlast.formats.columnar import schema
from outlast.formats.columnar.arrays import ArrayMaker, all_made
from outlast.formats.columnar.files import FileKind, Sink
from outlast.formats.columnar.fitting import Fits
from outlast.formats.columnar.misfits import Misfits
from outlast.formats.columnar.pages import PageParser
from outlast.formats.options import FileOptions
from outlast.formats.report import Report
from outlast.formats.rowtext import Page
from outlast.formats.shape import Shape

GROUP_ROWS = 65_536
GROUP_BYTES = 8 * 1024**2
"""A group ends at the first of both, and stays in memory until then."""


class Groups:
    """Makes one file. Its methods give the bytes that have become ready."""

    def __init__(self, kind: FileKind, shape: Shape, options: FileOptions, report: Report) -> None:
        """Begin a file of columns whose kinds are known, or stay unknown: text."""
        columns = shape.columns
        self._misfits = Misfits(options, report)
        fits = Fits(options, shape.floats, self._misfits)
        types = [schema.arrow_type(column, options.time_zone) for column in columns]
        self._makers = [ArrayMaker(*of, fits, self._misfits) for of in zip(columns, types, strict=True)]
        self._schema = schema.schema(columns, types)
        self._parser = PageParser(self._makers, self._misfits, self._schema)
        self._sink = Sink()
        self._writer = kind.open(self._sink, self._schema)
        self._batches: list[Any] = []
        self._next_row = 1
        self._rows = self._bytes = 0

    def add(self, piece: Piece) -> bytes:
        """Add rows. Raises ExportFailedError as `ArrayMaker` and `PageParser` do."""
        if isinstance(piece, Page):
            batch = self._parser.parse(piece.data, piece.rows, self._next_row)
        else:
            batch = self._made(piece)
        self._batches.append(batch)
        self._next_row += batch.num_rows
        self._rows += batch.num_rows
        self._bytes += batch.nbytes
        if self._rows >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
            self._write()
        return self._sink.take()

    def end(self) -> bytes:
        """Write what is left, and the file's end."""
        if self._batches:
            self._write()
        self._writer.close()
        return self._sink.take()

    def _made(self, rows: Sequence[Row]) -> Any:  # noqa: ANN401 - a RecordBatch
        columns = zip(self._makers, zip(*rows, strict=True), strict=True)
        makes = [partial(maker.array, values, self._next_row) for maker, values in columns]
        return pa.RecordBatch.from_arrays(all_made(makes, self._misfits), schema=self._schema)

    def _write(self) -> None:
        table = pa.Table.from_batches(self._batches)
        self._batches.clear()
        self._rows = self._bytes = 0
        self._writer.write_table(table, GROUP_ROWS)
        del table
        pa.default_memory_pool().release_unused()
