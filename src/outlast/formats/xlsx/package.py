"""What stands around the rows, made by XlsxWriter: styles, theme, relations, and each sheet's head and tail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from xlsxwriter import Workbook

_MADE_AT = datetime(1980, 1, 1)  # noqa: DTZ001 - no time of ours: the same rows give the same bytes
_TITLE = "Export"
_SHEETS = "xl/worksheets/"
_ROW, _ROWS_END = '<row r="1"', "</sheetData>"


class Package:
    """The parts of a workbook whose sheets are all alike. `styles` gives each style's number, by its name."""

    def __init__(self, styles: Mapping[str, dict[str, Any]], widths: Sequence[int]) -> None:
        """Make it for columns of those widths, in characters, and styles as XlsxWriter's formats name them."""
        self._styles = styles
        self._widths = widths
        sheets = [text.decode() for name, text in self._all(2) if name.startswith(_SHEETS)]
        numbers = re.findall(r' s="(\d+)"', _styled_row(sheets[0]))
        self.styles = dict(zip(styles, map(int, numbers), strict=True))
        self._heads = tuple(map(_head, sheets))
        self.tail = sheets[0][sheets[0].index(_ROWS_END) :]

    def head(self, number: int) -> str:
        """Give what stands before the rows of a sheet, counted from 1: the first is the one that is shown."""
        return self._heads[number > 1]

    def parts(self, sheet_count: int) -> Iterator[tuple[str, bytes]]:
        """Give name and content of all parts but the sheets."""
        return ((name, data) for name, data in self._all(sheet_count) if not name.startswith(_SHEETS))

    def _all(self, sheet_count: int) -> Iterator[tuple[str, bytes]]:
        file = BytesIO()
        book = Workbook(file, {"in_memory": True})
        book.set_properties({"created": _MADE_AT})
        formats = [book.add_format(style) for style in self._styles.values()]
        for number in range(1, sheet_count + 1):
            self._sheet(book, title(number), formats)
        book.close()
        with ZipFile(file) as archive:
            yield from ((name, archive.read(name)) for name in archive.namelist())

    def _sheet(self, book: Any, name: str, formats: Sequence[object]) -> None:  # noqa: ANN401 - XlsxWriter is untyped
        sheet = book.add_worksheet(name)
        sheet.freeze_panes(1, 0)
        for column, width in enumerate(self._widths):
            sheet.set_column(column, column, width)
        for column, style in enumerate(formats):  # a style is kept only if a cell has it, so one row has them all
            sheet.write_blank(0, column, None, style)


def sheet_part(number: int) -> str:
    """Give the name of the part that holds the sheet, counted from 1."""
    return f"{_SHEETS}sheet{number}.xml"


def title(number: int) -> str:
    """Give the sheet's name, counted from 1: short enough, and free of what a name may not hold."""
    return _TITLE if number == 1 else f"{_TITLE} ({number})"


def _styled_row(sheet: str) -> str:
    start = sheet.index(_ROW)
    return sheet[start : sheet.index(_ROWS_END, start)]


def _head(sheet: str) -> str:
    """Cut it before the row of styles, and take out how far it reaches, which nobody knows yet."""
    return re.sub(r"<dimension [^>]*/>", "", sheet[: sheet.index(_ROW)])
