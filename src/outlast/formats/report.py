"""What a format changed, counted: by code and column, with the numbers of the first rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_FIRST_ROWS = 5


class Report:
    """Counts what was changed, for the result's warnings."""

    def __init__(self) -> None:
        """Begin with nothing to report."""
        self._counts: dict[tuple[str, str], int] = {}
        self._first_rows: dict[tuple[str, str], list[int]] = {}

    def note(self, code: str, column: str, row: int) -> None:
        """Count one value of `column`, in the row of that number, counted from 1; 0 is the header."""
        place = (code, column)
        self._counts[place] = self._counts.get(place, 0) + 1
        rows = self._first_rows.setdefault(place, [])
        if len(rows) < _FIRST_ROWS and row not in rows:
            rows.append(row)

    def include(self, warnings: Iterable[dict[str, Any]], rows_before: int) -> None:
        """Add what another report counted in rows that follow so many."""
        for warning in warnings:
            place = (warning["code"], warning["column"])
            self._counts[place] = self._counts.get(place, 0) + warning["count"]
            rows = self._first_rows.setdefault(place, [])
            rows += [rows_before + row for row in warning["first_rows"]][: _FIRST_ROWS - len(rows)]

    @property
    def warnings(self) -> tuple[dict[str, Any], ...]:
        """What was changed so far, one entry for each code and column."""
        return tuple(
            {"code": code, "column": column, "count": count, "first_rows": self._first_rows[code, column]}
            for (code, column), count in self._counts.items()
        )
