"""A workbook out of rows: sheets of at most a million rows, within a ZIP, given as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from stream_zip import ZipOverflowError

from outlast.errors import ExportFailedError, FailureCode
from outlast.formats.base import Piece
from outlast.formats.options import FileOptions
from outlast.formats.report import Report
from outlast.formats.shape import Shape
from outlast.formats.xlsx.package import Package, sheet_part
from outlast.formats.xlsx.places import Place
from outlast.formats.xlsx.sheets import RowWriter
from outlast.formats.xlsx.slices import Slices
from outlast.formats.xlsx.styles import styles_of
from outlast.formats.xlsx.widths import SAMPLE_ROWS, widths
from outlast.formats.zipped import zipped

SHEET_ROWS = 1_048_576
"""A sheet's rows, its header included."""

SHEET_BYTES = 2 * 1024**3
"""At so much XML a sheet is taken for full. Each must stay below 4 GiB, since Excel would offer to repair a ZIP64."""

SHEET_COLUMNS = 16_384

_FEW_ROWS = 100
_MANY_ROWS = 1000
_SLICE_BYTES = 1024**2  # so many rows are written at once as make about so much XML: some copies of it are in memory


class XlsxEncoder:
    """Writes rows as a workbook."""

    content_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    extension = "xlsx"

    def __init__(self, shape: Shape, options: FileOptions) -> None:
        """Write rows of that shape."""
        self._shape = shape
        self._options = options
        self._report = Report()

    def stream(self, pieces: Iterable[Piece]) -> Iterator[bytes]:
        """Give the file's bytes, once.

        Raises ExportFailedError UNENCODABLE_VALUE, naming row and column, under "fail"; RESULT_TOO_LARGE if there are
        too many columns, if a sheet is full and no further one is allowed, or if the file would reach 4 GiB.
        """
        count = len(self._shape.columns)
        if count > SHEET_COLUMNS:
            raise _too_large(f"{count} columns, but a sheet has at most {SHEET_COLUMNS}")
        try:
            yield from zipped(self._members(Slices(pieces)), "ZIP_32")
        except ZipOverflowError:
            raise _too_large("a workbook may take at most 4 GiB") from None

    @property
    def warnings(self) -> tuple[dict[str, Any], ...]:
        """What was changed so far: `code`, `column`, `count`, and `first_rows`, the numbers of the first of them."""
        return self._report.warnings

    def _members(self, rows: Slices) -> Iterator[tuple[str, Iterable[bytes]]]:
        place = Place(self._options, self._report)
        names = [place.header(name) for name in self._shape.names]
        package = Package(styles_of(self._shape), widths(names, rows.sample(SAMPLE_ROWS)))
        writer = RowWriter(self._shape, self._options, place, package)
        header, sheets = writer.header(names), 0
        while sheets == 0 or rows.more:
            if sheets and self._options.sheet_overflow == "fail":
                raise _too_large(f"more rows than fit on one sheet, which ends with row {place.row}")
            sheets += 1
            start = f"{package.head(sheets)}{header}".encode()
            yield sheet_part(sheets), self._sheet(start, rows, writer, package)
        for name, data in package.parts(sheets):
            yield name, [data]

    def _sheet(self, start: bytes, rows: Slices, writer: RowWriter, package: Package) -> Iterator[bytes]:
        yield start
        row_count, byte_count, at_once = 1, len(start), _FEW_ROWS
        while byte_count < SHEET_BYTES and (batch := rows.take(min(SHEET_ROWS - row_count, at_once))):
            data = writer.rows(batch, row_count + 1).encode()
            yield data
            row_count += len(batch)
            byte_count += len(data)
            at_once = max(1, min(_MANY_ROWS, _SLICE_BYTES * len(batch) // len(data)))
        yield package.tail.encode()


def _too_large(detail: str) -> ExportFailedError:
    return ExportFailedError(FailureCode.RESULT_TOO_LARGE, detail)
