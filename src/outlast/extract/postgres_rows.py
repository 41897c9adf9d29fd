"""Rows that PostgreSQL has written and only Python can judge, taken apart into values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

from outlast.formats import Column, CsvText, Kind, Row
from outlast.formats.jsonl import quote_json
from outlast.formats.raw import RawJson

TakeApart: TypeAlias = Callable[[str], Row | None]
"""Gives a line's values; None if the line may go out as it is."""

GUARD_MARK = "\x01"
"""Stands before text that may have to be guarded, and before text that begins with the mark itself."""

NOT_FINITE = (b":NaN", b":Infinity", b":-Infinity")
"""Stands in JSON where a number is not finite, or within text."""

_JSON = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
_SPECIAL = frozenset({"NaN", "Infinity", "-Infinity"})


def json_row(names: Sequence[str]) -> TakeApart:
    """Take JSON apart, if a number in it is not finite: all other values stay the JSON that they are."""
    # Before a value stand the bracket or a comma, the name and the colon.
    before = [len(quote_json(name)) + len("{:") for name in names]

    def values(line: str) -> Row | None:
        found: list[Any] = []
        at = 0
        for skipped in before:
            at += skipped
            _, end = _JSON.raw_decode(line, at)
            text = line[at:end]
            found.append(float(text) if text in _SPECIAL else None if text == "null" else RawJson(text))
            at = end
        return found if any(isinstance(value, float) for value in found) else None

    return values


def csv_row(text: CsvText, columns: Sequence[Column]) -> TakeApart:
    """Take CSV apart in which text may bear the mark."""
    field = re.compile(rf'(?:"((?:[^"]|"")*)"|([^{re.escape(text.delimiter)}\n]*))[{re.escape(text.delimiter)}\n]')

    def values(line: str) -> Row:
        fields = zip(columns, field.finditer(line), strict=True)
        return [_value(column.kind, found[1], found[2], text) for column, found in fields]

    return values


def _value(kind: Kind, quoted: str | None, bare: str | None, text: CsvText) -> Any:  # noqa: ANN401 - of every kind
    if quoted is None:
        return _BARE[kind](bare.replace(text.decimal_mark, ".")) if bare else None
    unquoted = quoted.replace('""', '"')
    return RawJson(unquoted) if kind in {Kind.JSON, Kind.ARRAY} else unquoted.removeprefix(GUARD_MARK)


_BARE: dict[Kind, Callable[[str], Any]] = {
    Kind.INTEGER: int,
    Kind.FLOAT: float,
    Kind.DECIMAL: Decimal,
    Kind.BOOLEAN: {"true": True, "false": False}.__getitem__,
}
