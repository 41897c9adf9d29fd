"""XLSX: typed cells, text that is always text, a frozen header; written row by row, without a temporary file.

encoder.py  a workbook out of rows      package.py  what stands around the rows, made by XlsxWriter
slices.py   which rows go together      sheets.py   rows as a sheet's XML
columns.py  a batch's columns, quickly  cells.py    one value, carefully
dates.py    days as numbers             escaping.py text as XML
places.py   what cells can't hold       styles.py, widths.py  how it looks
"""

from __future__ import annotations

from importlib import import_module

from outlast.formats.base import Encoder, Format, Needs
from outlast.formats.options import FileOptions
from outlast.formats.shape import Shape


def xlsx_encoder(shape: Shape, options: FileOptions) -> Encoder:
    """Give an encoder; what it needs is imported now, so that those who write no workbooks need not install it."""
    encoder: Encoder = import_module("outlast.formats.xlsx.encoder").XlsxEncoder(shape, options)
    return encoder


XLSX = Format("xlsx", xlsx_encoder, lambda _: None, Needs(("xlsxwriter", "stream_zip"), "xlsx"))
