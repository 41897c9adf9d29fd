"""What a database's own reader is asked for, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlalchemy import Connection

from outlast.extract.pieces import Path, Pieces
from outlast.extract.statement import Statement
from outlast.formats import FileOptions, Kind, RowText, Shape
from outlast.formats.report import Report
from outlast.model import EstimateSource


@dataclass(frozen=True, slots=True)
class Wanted:
    """A statement that must have exactly the `declared` columns, of which those at `columns` are wanted, in that order.

    `types` are declared kinds by column; `text` is what the database may make of rows, None for values only.
    """

    statement: Statement
    declared: Sequence[str]
    columns: Sequence[str]
    types: Mapping[str, Kind]
    options: FileOptions
    text: RowText | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """Rows on their way; what the reader changes in them is noted in `report`.

    `estimated_rows` and `estimate_source` are as in `Extraction`, where the reader knows them.
    """

    shape: Shape
    pieces: Pieces
    path: Path = Path.VALUES
    report: Report = field(default_factory=Report)
    estimated_rows: int | None = None
    estimate_source: EstimateSource | None = None


Reader: TypeAlias = Callable[[Connection, Wanted], AbstractContextManager[Reading]]
"""Reads within the connection's transaction. Raises ExportFailedError when the columns aren't the declared ones."""
