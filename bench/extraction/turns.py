"""Our turns in a contest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.extraction.attempts import Whole, Works


class Ours:
    """Makes turns of a worker's attempts, and keeps each export's last file to be read back."""

    def __init__(self, works: Works) -> None:
        """Begin with no files."""
        self._works = works
        self._last: dict[tuple[str, str], Whole] = {}

    def __call__(self, export: str, format: str, **parameters: Any) -> Callable[[], Whole]:
        """Give the turn in which that export is made."""

        def turn() -> Whole:
            before = self._last.get((export, format))
            if before is not None:
                before.path.unlink()
            made = self._last[export, format] = self._works.run(export, format, **parameters)
            return made

        return turn

    def last(self, export: str, format: str) -> Whole:
        """The last attempt at it, whose file is there."""
        return self._last[export, format]
