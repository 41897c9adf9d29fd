"""What independent readers find in a workbook."""

import io
import zipfile
from typing import Any
from xml.etree import ElementTree as ET

import openpyxl
from openpyxl.utils.escape import unescape
from python_calamine import CalamineWorkbook

Rows = list[list[Any]]

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def by_openpyxl(file: bytes, sheet: int = 0, *, read_only: bool = False) -> Rows:
    """Give a sheet's rows, the header first, each as long as it. Escapes in inline text are left to its callers."""
    book = openpyxl.load_workbook(io.BytesIO(file), read_only=read_only)
    rows = [list(row) for row in book.worksheets[sheet].iter_rows(values_only=True)]
    book.close()
    width = len(rows[0])
    padded = [row + [None] * (width - len(row)) for row in rows]
    return [[unescape(value) if isinstance(value, str) else value for value in row] for row in padded]


def by_calamine(file: bytes, sheet: int = 0) -> Rows:
    """Give a sheet's rows, the header first. Empty text and no cell are alike to it, and all numbers floats."""
    return CalamineWorkbook.from_filelike(io.BytesIO(file)).get_sheet_by_index(sheet).to_python(skip_empty_area=False)


def parts(file: bytes) -> dict[str, bytes]:
    """Give the parts by name; each was read whole, its checksum and its XML are right."""
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    for part in found.values():
        ET.fromstring(part)  # noqa: S314 - our own
    return found


def cells(file: bytes, sheet: int = 1) -> dict[str, tuple[str | None, str]]:
    """Give each cell's type and its text as they stand in the sheet's XML, by reference."""
    root = ET.fromstring(parts(file)[f"xl/worksheets/sheet{sheet}.xml"])  # noqa: S314 - our own
    return {cell.attrib["r"]: (cell.get("t"), "".join(cell.itertext())) for cell in root.iter(f"{_MAIN}c")}


def looks(file: bytes) -> dict[str, str]:
    """Give the number format of each cell of the first sheet, by reference."""
    sheet = openpyxl.load_workbook(io.BytesIO(file)).worksheets[0]
    return {cell.coordinate: cell.number_format for row in sheet.iter_rows() for cell in row if cell.value is not None}
