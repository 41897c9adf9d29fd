"""Bytes out of rows: one file for each format, and what they share.

base.py    what a format is         text.py    a quick way and a careful one to write lines
cells.py   how types are written    policy.py  values that a format can't carry
"""

from outlast.formats.base import Encoder, Row, Unencodable
from outlast.formats.csv import CsvEncoder
from outlast.formats.jsonl import JsonlEncoder

FORMATS: dict[str, type[Encoder]] = {"csv": CsvEncoder, "jsonl": JsonlEncoder}
"""Every format by its name: `FORMATS[name](columns, unencodable)` writes one result."""

__all__ = ["FORMATS", "CsvEncoder", "Encoder", "JsonlEncoder", "Row", "Unencodable"]
