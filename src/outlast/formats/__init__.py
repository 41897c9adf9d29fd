"""Bytes out of rows: one file for each format, and what they share.

base.py     what a format is            shape.py    what rows look like     options.py  what an export may choose
rowtext.py  what a database may write   text.py     a quick way and a careful one to write lines
cells.py    how types are written       policy.py   values that a format can't carry
"""

from outlast.formats.base import Encoder, Format, Row
from outlast.formats.csv import CsvEncoder, csv_text
from outlast.formats.jsonl import JsonlEncoder, jsonl_text
from outlast.formats.options import FileOptions, Unencodable
from outlast.formats.rowtext import CsvText, JsonText, Page, RowText
from outlast.formats.shape import Column, FloatSpelling, Kind, Shape

FORMATS: dict[str, Format] = {
    known.name: known
    for known in (
        Format("csv", CsvEncoder, csv_text),
        Format("jsonl", JsonlEncoder, jsonl_text),
    )
}
"""Every format by its name."""

__all__ = [
    "FORMATS",
    "Column",
    "CsvEncoder",
    "CsvText",
    "Encoder",
    "FileOptions",
    "FloatSpelling",
    "Format",
    "JsonText",
    "JsonlEncoder",
    "Kind",
    "Page",
    "Row",
    "RowText",
    "Shape",
    "Unencodable",
]
