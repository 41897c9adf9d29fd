"""Rows out of databases, read-only, streamed, in one consistent snapshot.

extraction.py  one attempt's rows, from a statement or an iterable
pieces.py      rows on their way: values or text
source.py      where rows come from        statement.py  a statement's rows in one snapshot
columns.py     the columns a caller picked failure.py    what an exception means for the attempt

PostgreSQL: postgres_reader.py chooses the path; postgres_session.py its settings, postgres_types.py its columns' kinds;
postgres_text.py and postgres_copy.py are the path of text, postgres_rows.py what Python must judge on it;
postgres_values.py is the path of values
"""

from sqlalchemy import Engine

from outlast.extract.columns import difference
from outlast.extract.extraction import extract, is_iterable
from outlast.extract.failure import classify
from outlast.extract.pieces import Batch, Extraction, Path, Pieces
from outlast.extract.source import SourceSpec, open_source, validate_source
from outlast.extract.statement import Statement, is_statement, result_names, select_names, snapshot

__all__ = [
    "Batch",
    "Engine",
    "Extraction",
    "Path",
    "Pieces",
    "SourceSpec",
    "Statement",
    "classify",
    "difference",
    "extract",
    "is_iterable",
    "is_statement",
    "open_source",
    "result_names",
    "select_names",
    "snapshot",
    "validate_source",
]
