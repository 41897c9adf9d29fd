"""CSV as RFC 4180 has it, but for records that end in LF, with NULL and the empty string told apart.

Every text value is quoted; NULL is the unquoted empty field; numbers, true and false are bare; times are ISO 8601
text, bytes hex, arrays and objects JSON text; a number that is not finite is a bare NaN, Infinity or -Infinity.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import isfinite

from outlast.formats.base import Row
from outlast.formats.cells import QUOTED, Cells, Write, exact, not_finite
from outlast.formats.jsonl import json_cells
from outlast.formats.options import FileOptions
from outlast.formats.policy import Judge, Strict
from outlast.formats.rowtext import CsvText
from outlast.formats.text import TextEncoder, WriteLines


class CsvEncoder(TextEncoder):
    """Writes rows as CSV."""

    content_type = "text/csv; charset=utf-8; header=present"
    extension = "csv"

    def begin(self) -> bytes:
        """The columns' names, quoted like all text."""
        return f"{','.join(map(quote_csv, self.columns))}\n".encode()

    def cells(self, judge: Judge) -> Cells:
        """Give the writers of each type."""
        return csv_cells(judge)

    def lines(self) -> WriteLines:
        """Give the inner loop."""
        return write_lines


def csv_text(options: FileOptions) -> CsvText:
    """What a database may write in place of rows."""
    return CsvText(options)


def quote_csv(text: str) -> str:
    """Quote a piece of text, its own quotes doubled (RFC 4180 section 2, rules 5 to 7)."""
    return '"' + text.replace('"', '""') + '"' if '"' in text else f'"{text}"'


def write_lines(cells: Cells, batch: Sequence[Row]) -> str:
    """Give a batch's rows as lines, each value written by its type."""
    return "".join([",".join([cells[type(value)](value) for value in row]) + "\n" for row in batch])


def csv_cells(judge: Judge) -> Cells:
    """Give the writers that make a CSV field of each type; `judge` decides about what UTF-8 or JSON can't carry."""
    json = json_cells(judge)

    def document(value: object) -> str:
        return quote_csv(json[type(value)](value))

    own: dict[type, Write] = {
        str: quote_csv if isinstance(judge, Strict) else lambda value: quote_csv(judge.text(value)),
        bool: lambda value: "true" if value else "false",
        int: int.__repr__,
        float: lambda value: float.__repr__(value) if isfinite(value) else not_finite(value),
        Decimal: lambda value: exact(value) if value.is_finite() else not_finite(value),
        type(None): lambda _: "",
        list: document,
        tuple: document,
        dict: document,
    }
    return Cells(QUOTED | own, judge)
