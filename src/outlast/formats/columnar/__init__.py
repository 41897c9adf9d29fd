"""Parquet and Arrow IPC: typed columns, written in groups of rows; rows come as values, or as CSV that Arrow parses.

encoder.py  a file out of pieces: gathered here, made to columns and written in a thread
schema.py   the Arrow type of each kind     inference.py  a kind for columns of which none is known
arrays.py   a batch's columns, quickly      fitting.py    one value, carefully
pages.py    CSV as columns                  decoding.py   bytes and UUIDs out of its text
spelling.py values of mixed types as text   misfits.py    what a column can't hold
files.py    the two kinds of files
"""

from __future__ import annotations

import os
from functools import partial
from importlib import import_module

from outlast.formats.base import Encoder, Format, Needs
from outlast.formats.options import FileOptions
from outlast.formats.rowtext import CsvText
from outlast.formats.shape import Kind, Shape


def columnar_text(options: FileOptions) -> CsvText:
    """What a database may write in place of rows: CSV in one spelling, whatever is chosen for CSV files."""
    plain = {"binary": "hex", "time_zone": None, "formulas": None}
    chosen = {"csv_dialect": "rfc4180", "csv_quoting": "all", "csv_delimiter": ",", "csv_decimal_mark": "."}
    return CsvText(options.model_copy(update=plain | chosen), kinds=frozenset(Kind) - {Kind.UNKNOWN})


def _encoder(name: str, shape: Shape, options: FileOptions) -> Encoder:
    """Give an encoder; what it needs is imported now, so that those who write no such files need not install it."""
    # Read when Arrow is loaded: this pool gives freed memory back, tens of megabytes that the default one keeps.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    encoder: Encoder = import_module("outlast.formats.columnar.encoder").ColumnarEncoder(name, shape, options)
    return encoder


_NEEDS = Needs(("pyarrow",), "parquet")
PARQUET = Format("parquet", partial(_encoder, "parquet"), columnar_text, _NEEDS)
ARROW = Format("arrow", partial(_encoder, "arrow"), columnar_text, _NEEDS)
