"""Rows as a sheet's XML (ECMA-376 part 1, 18.3.1.73), by columns, which is quicker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xlsxwriter.utility import xl_col_to_name

from outlast.formats.base import Row
from outlast.formats.options import FileOptions
from outlast.formats.shape import Shape
from outlast.formats.xlsx import styles
from outlast.formats.xlsx.cells import CellWriters
from outlast.formats.xlsx.columns import ColumnWriter, quick_writers
from outlast.formats.xlsx.escaping import escape
from outlast.formats.xlsx.package import Package
from outlast.formats.xlsx.places import Place


class RowWriter:
    """Writes rows as a sheet's XML."""

    def __init__(self, shape: Shape, options: FileOptions, place: Place, package: Package) -> None:
        """Write rows of that shape; `place` is where they stand in the whole result."""
        self._shape = shape
        self._place = place
        self._style = package.styles[styles.HEADER]
        cells = CellWriters(options, place, package.styles, shape.floats)
        self._letters = [xl_col_to_name(index) for index in range(len(shape.columns))]
        self._columns = [
            ColumnWriter(
                column.name, letters,
                quick_writers(column, options, package.styles), cells.of(column),
            )
            for column, letters in zip(shape.columns, self._letters, strict=True)
        ]  # fmt: skip

    def header(self, names: Sequence[str]) -> str:
        """Give the columns' names as the first row."""
        cells = [
            f'<c r="{letters}1" s="{self._style}{escape(name)}'
            for letters, name in zip(self._letters, names, strict=True)
        ]
        return f'<row r="1">{"".join(cells)}</row>'

    def rows(self, batch: Sequence[Row], first: int) -> str:
        """Give rows as XML; `first` is the sheet's number of the first one. Raises what `Place` raises."""
        numbers = list(map(str, range(first, first + len(batch))))
        template = ['<row r="%s">']
        inserts: list[Sequence[Any]] = [numbers]
        for column, values in zip(self._columns, zip(*batch, strict=True), strict=True):
            part, into = column.write(values, numbers, self._place)
            template.append(part)
            inserts.extend(into)
        template.append("</row>")
        self._place.row += len(batch)
        return "".join(map("".join(template).__mod__, zip(*inserts, strict=True)))
