"""Bytes out of rows: one file for each format, and what they share.

base.py     what a format is            shape.py    what rows look like     options.py  what an export may choose
rowtext.py  what a database may write   text.py     a quick way and a careful one to write lines
cells.py    how types are written       policy.py   values that a format can't carry
times.py, numbers.py, floats.py  how those are spelled
formulas.py what a spreadsheet would run                raw.py     JSON that a database has written
compressed.py  gzip and Zstandard around a text format
parts.py    a ZIP of parts              zipped.py   any ZIP, made as it goes
report.py   what was changed, counted
"""

from outlast.formats.base import Encoder, Format, Piece, PieceEncoder, Row, row_count
from outlast.formats.columnar import ARROW, PARQUET
from outlast.formats.compressed import compressed
from outlast.formats.csv import CsvEncoder, TsvEncoder, csv_text, tsv_text
from outlast.formats.json_array import JsonArrayEncoder, json_array_text
from outlast.formats.jsonl import JsonlEncoder, jsonl_text
from outlast.formats.options import FileOptions, Unencodable
from outlast.formats.parts import encoder_of, text_of
from outlast.formats.raw import RawJson
from outlast.formats.rowtext import CsvText, JsonText, Page, RowText
from outlast.formats.shape import Column, FloatSpelling, Kind, Shape
from outlast.formats.xlsx import XLSX

_TEXT = (
    Format("csv", CsvEncoder, csv_text),
    Format("jsonl", JsonlEncoder, jsonl_text),
    Format("tsv", TsvEncoder, tsv_text),
    Format("json", JsonArrayEncoder, json_array_text),
)
_COMPRESSED = tuple(small for plain in _TEXT for small in compressed(plain))
_TYPED: tuple[Format, ...] = (PARQUET, ARROW, XLSX)

FORMATS: dict[str, Format] = {known.name: known for known in (*_TEXT, *_COMPRESSED, *_TYPED)}
"""Every format by its name."""

DEFAULT_FORMATS = ("csv", "jsonl")
"""What an export offers that names no formats; they need nothing but what Outlast itself needs."""

__all__ = [
    "DEFAULT_FORMATS",
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
    "Piece",
    "PieceEncoder",
    "RawJson",
    "Row",
    "RowText",
    "Shape",
    "Unencodable",
    "encoder_of",
    "row_count",
    "text_of",
]
