"""One attempt's rows on their way: batches of values, or pages of text that the database has made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from outlast.formats import Page, Row, Shape
from outlast.formats.report import Report
from outlast.model import EstimateSource

Batch: TypeAlias = list[Row]
Pieces: TypeAlias = Iterator[Batch | Page]


class Path(StrEnum):
    """How rows became text; the word stands in the manifest. Both ways give the same bytes for the same rows."""

    VALUES = "values"
    DATABASE = "database"


@dataclass(frozen=True, slots=True)
class Extraction:
    """Rows on their way. Every row committed before `as_of` is in; None: no snapshot was promised.

    On the path DATABASE a page may still be followed by a batch: rows that hold what only Python can judge.
    `estimate_source` says how `estimated_rows` came about: counted in the same snapshot, or guessed by the planner.
    """

    shape: Shape
    pieces: Pieces
    as_of: datetime | None = None
    estimated_rows: int | None = None
    path: Path = Path.VALUES
    estimate_source: EstimateSource | None = None
    report: Report = field(default_factory=Report)

    @property
    def warnings(self) -> tuple[dict[str, Any], ...]:
        """What was changed in the pieces taken so far, as an encoder's warnings."""
        return self.report.warnings
