"""JSON Lines: one object per row (RFC 8259), one row per line, UTF-8.

Integers and decimals are exact numbers of any size; NULL is null; times are ISO 8601 text, bytes hex.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from json.encoder import encode_basestring
from math import isfinite
from typing import Any

from outlast.formats.base import Row
from outlast.formats.cells import QUOTED, Cells, Write, exact, not_finite
from outlast.formats.options import FileOptions
from outlast.formats.policy import Judge, Strict
from outlast.formats.rowtext import JsonText
from outlast.formats.text import TextEncoder, WriteLines

quote_json: Callable[[str], str] = encode_basestring
"""Quote a piece of text (RFC 8259 section 7); only what must be escaped is."""


class JsonlEncoder(TextEncoder):
    """Writes rows as JSON Lines."""

    content_type = "application/jsonl"
    extension = "jsonl"

    def cells(self, judge: Judge) -> Cells:
        """Give the writers of each type."""
        return json_cells(judge)

    def lines(self) -> WriteLines:
        """Give the inner loop: the members' names are written once, into a template."""
        members = ",".join(f"{quote_json(column).replace('%', '%%')}:%s" for column in self.columns)
        template = f"{{{members}}}\n"

        def write(cells: Cells, batch: Sequence[Row]) -> str:
            return "".join([template % tuple([cells[type(value)](value) for value in row]) for row in batch])

        return write


def jsonl_text(options: FileOptions) -> JsonText:
    """What a database may write in place of rows."""
    return JsonText(options)


def json_cells(judge: Judge) -> Cells:
    """Give the writers that make JSON of each type; `judge` decides about what JSON can't carry."""
    quote: Write = quote_json if isinstance(judge, Strict) else lambda value: quote_json(judge.text(value))

    def number(value: float) -> str:
        return float.__repr__(value) if isfinite(value) else unbounded(value)

    def decimal(value: Decimal) -> str:
        return exact(value) if value.is_finite() else unbounded(value)

    def unbounded(value: float | Decimal) -> str:
        return quote_json(judge.stand_in("a number that is not finite", not_finite(value)))

    def array(items: Sequence[Any]) -> str:
        return f"[{','.join([cells[type(item)](item) for item in items])}]"

    def mapping(members: Mapping[Any, Any]) -> str:
        if not all(isinstance(key, str) for key in members):
            return quote_json(judge.stand_in("an object with a key that is not text"))
        return f"{{{','.join([f'{quote(key)}:{cells[type(value)](value)}' for key, value in members.items()])}}}"

    own: dict[type, Write] = {
        str: quote,
        bool: lambda value: "true" if value else "false",
        int: int.__repr__,
        float: number,
        Decimal: decimal,
        type(None): lambda _: "null",
        list: array,
        tuple: array,
        dict: mapping,
    }
    cells = Cells(QUOTED | own, judge)
    return cells
