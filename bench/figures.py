"""Samples become medians and percentiles, tables for people, and one JSON object for scripts."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table


def percentile(samples: Sequence[float], share: float) -> float:
    """The smallest sample that at least `share` (0 to 1) of all samples don't exceed (nearest rank)."""
    ordered = sorted(samples)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


@dataclass(slots=True)
class Report:
    """What was measured, and whether it reached what the project promises."""

    console: Console = field(default_factory=lambda: Console(width=110, highlight=False))
    figures: dict[str, float] = field(default_factory=dict)
    _verdicts: list[tuple[str, str, float, str]] = field(default_factory=list)

    def say(self, text: str) -> None:
        """A line for people."""
        self.console.print(text)

    def table(self, title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """A table for people; numbers are rounded to what can be read."""
        table = Table(*header, title=title, title_justify="left", title_style="bold")
        for row in rows:
            table.add_row(*(shown(cell) for cell in row))
        self.console.print(table)

    def median(self, name: str, samples: Sequence[float]) -> float:
        """Note the median of one figure's samples under its name."""
        return self.note(name, statistics.median(samples))

    def note(self, name: str, value: float) -> float:
        """Note a figure under its name."""
        self.figures[name] = value
        return value

    def at_least(self, name: str, bound: float) -> None:
        """Hold a noted figure against its promise."""
        self._verdicts.append((name, f"≥ {bound:g}", self.figures[name], _verdict(self.figures[name] >= bound)))

    def at_most(self, name: str, bound: float) -> None:
        """Hold a noted figure against its promise."""
        self._verdicts.append((name, f"≤ {bound:g}", self.figures[name], _verdict(self.figures[name] <= bound)))

    def close(self) -> None:
        """Print the verdicts and, as the last line, every figure as one JSON object."""
        self.table("What was promised", ("figure", "promised", "measured", ""), self._verdicts)
        rounded = {name: float(f"{value:.4g}") for name, value in self.figures.items()}
        print(json.dumps(rounded), flush=True)


def shown(cell: object) -> str:
    """A cell's text: three significant digits, thousands with their comma."""
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:,.0f}" if abs(cell) >= 100 else f"{cell:.3g}"


def _verdict(met: bool) -> str:  # noqa: FBT001 - it is the verdict
    return "met" if met else "MISSED"
