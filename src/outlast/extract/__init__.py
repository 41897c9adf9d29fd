"""Rows out of databases, read-only, streamed, in one consistent snapshot.

extraction.py  one attempt's rows, from a statement or an iterable
source.py      where rows come from        statement.py  a statement's rows in one snapshot
columns.py     the columns a caller picked failure.py    what an exception means for the attempt
"""

from sqlalchemy import Engine

from outlast.extract.columns import difference
from outlast.extract.extraction import Extraction, extract, is_iterable
from outlast.extract.failure import classify
from outlast.extract.source import SourceSpec, open_source, validate_source
from outlast.extract.statement import Statement, is_statement, result_names, select_names, snapshot

__all__ = [
    "Engine",
    "Extraction",
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
