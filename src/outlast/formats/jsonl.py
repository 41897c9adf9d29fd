"""JSON Lines: one object per row (RFC 8259), one row per line, UTF-8.

Integers and decimals are exact numbers of any size; NULL is null; times are RFC 3339 text, bytes hex or base64.
"""

from __future__ import annotations

from collections.abc import Sequence

from outlast.formats.cells import Cells
from outlast.formats.columns import Columns
from outlast.formats.json_cells import json_cells, member_cells, member_columns, quote_json
from outlast.formats.options import FileOptions
from outlast.formats.policy import CellJudge
from outlast.formats.rowtext import JsonText
from outlast.formats.text import TextEncoder


class JsonlEncoder(TextEncoder):
    """Writes rows as JSON Lines."""

    content_type = "application/jsonl"
    extension = "jsonl"
    line_end = "\n"

    def cells(self, judge: CellJudge) -> Cells:
        """Give the writers of each type."""
        return member_cells(judge, self.options, self.shape.floats)

    def quick_columns(self, cells: Cells) -> Columns:
        """Give the writer of whole columns."""
        return Columns(cells, member_columns(self.options, self.shape.floats), "null")

    def line(self, patterns: Sequence[str]) -> str:
        """Give a row's template: the members' names are written once."""
        named = zip(self.columns, patterns, strict=True)
        members = ",".join(f"{quote_json(column).replace('%', '%%')}:{pattern}" for column, pattern in named)
        return f"{{{members}}}{self.line_end}"


def jsonl_text(options: FileOptions) -> JsonText:
    """What a database may write in place of rows."""
    return JsonText(options)


__all__ = ["JsonlEncoder", "json_cells", "jsonl_text", "quote_json"]
