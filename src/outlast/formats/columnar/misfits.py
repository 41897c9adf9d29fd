"""What a column can't hold: judged by the export's policies where it stands, and counted."""

from __future__ import annotations

from outlast.formats.options import FileOptions
from outlast.formats.policy import Policy
from outlast.formats.report import Report


class Misfits(Policy):
    """Judges at the current `row` and `column`. Its methods raise ExportFailedError under the policy "fail".

    A typed column can't keep a misfit as text: whatever policy lets it pass, NULL stands in its place, counted as
    "nulled".
    """

    def __init__(self, options: FileOptions, report: Report) -> None:
        """Count in that report."""
        super().__init__(options, report)
        self.casts = options.mismatch == "cast"

    def unencodable(self, why: str) -> None:
        """Give NULL for a value that no such column can hold, though its type is the column's."""
        if self._options.unencodable == "fail":
            self._fail(why)
        self.note("nulled")

    def mismatched(self, value: object, kind: str) -> None:
        """Give NULL for a value of another type than the column's."""
        if self._options.mismatch == "fail":
            self._fail(f"a value of the type {type(value).__name__} that doesn't fit a column of the type {kind}")
        self.note("nulled")

    def as_text(self, value: object) -> None:
        """Let a value of another type become text, since the column holds text."""
        if self._options.mismatch == "fail":
            self._fail(f"a value of the type {type(value).__name__} in a column of text")
        self.note("as_text")
