"""CSV as RFC 4180 has it, but for records that end in LF, with NULL and the empty string told apart; and TSV.

Every text value is quoted, or those that must be; NULL is the unquoted empty field; numbers, true and false are bare;
times are text as SQL databases write it, bytes hex or base64, arrays and objects JSON text; a number that is not
finite is a bare NaN, Infinity or -Infinity. TSV is CSV with a tab as delimiter, quotes included.
"""

from __future__ import annotations

from collections.abc import Sequence

from outlast.formats.cells import Cells
from outlast.formats.columns import Columns
from outlast.formats.csv_cells import csv_cells
from outlast.formats.csv_columns import CsvColumns
from outlast.formats.formulas import guards_formulas
from outlast.formats.options import FileOptions
from outlast.formats.policy import CellJudge
from outlast.formats.rowtext import CsvText
from outlast.formats.shape import Shape
from outlast.formats.text import TextEncoder

_BOM = b"\xef\xbb\xbf"


class CsvEncoder(TextEncoder):
    """Writes rows as CSV."""

    content_type = "text/csv; charset=utf-8; header=present"
    extension = "csv"

    def __init__(self, shape: Shape, options: FileOptions) -> None:
        """Write rows of that shape."""
        self.text = self.row_text(options)
        super().__init__(shape, options)

    @staticmethod
    def row_text(options: FileOptions) -> CsvText:
        """Say how a row is written."""
        return csv_text(options)

    def begin(self) -> bytes:
        """The columns' names, written like all text."""
        bom = _BOM if self.options.csv_dialect == "excel" else b""
        return bom + self._encode_carefully(self.columns, 0)

    def cells(self, judge: CellJudge) -> Cells:
        """Give the writers of each type."""
        return csv_cells(judge, self.text, self.shape.floats)

    def quick_columns(self, cells: Cells) -> Columns:
        """Give the writer of whole columns."""
        return CsvColumns(cells, self.text, self.shape.floats)

    def line(self, patterns: Sequence[str]) -> str:
        """Give a row's template."""
        return self.text.delimiter.join(patterns) + self.text.line_end


class TsvEncoder(CsvEncoder):
    """Writes rows as CSV whose delimiter is a tab."""

    content_type = "text/tab-separated-values; charset=utf-8"
    extension = "tsv"

    @staticmethod
    def row_text(options: FileOptions) -> CsvText:
        """Say how a row is written."""
        return tsv_text(options)


def csv_text(options: FileOptions) -> CsvText:
    """What a database may write in place of rows."""
    return _text(options, options.csv_delimiter)


def tsv_text(options: FileOptions) -> CsvText:
    """What a database may write in place of rows."""
    return _text(options, "\t")


def _text(options: FileOptions, delimiter: str) -> CsvText:
    return CsvText(
        options,
        delimiter=delimiter,
        line_end="\r\n" if options.csv_dialect == "excel" else "\n",
        quoting=options.csv_quoting,
        decimal_mark=options.csv_decimal_mark,
        guard_formulas=guards_formulas(options),
    )
