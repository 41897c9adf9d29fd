"""How each type of value is written in JSON (RFC 8259)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from json.encoder import encode_basestring
from math import isfinite
from typing import Any

from outlast.formats.cells import Cells, Write, plain_cells
from outlast.formats.columns import BARE, QUOTED, WriteColumn, Written, common_columns
from outlast.formats.floats import speller
from outlast.formats.numbers import EXACT_INTEGER, exact, integer, rounded_by_doubles
from outlast.formats.options import FileOptions
from outlast.formats.policy import Judge, Strict
from outlast.formats.raw import RawJson
from outlast.formats.shape import FloatSpelling

quote_json: Callable[[str], str] = encode_basestring
"""Quote a piece of text (RFC 8259 section 7); only what must be escaped is."""

_DEFAULT = FileOptions()


def json_cells(judge: Judge, options: FileOptions = _DEFAULT, floats: FloatSpelling = "python") -> Cells:
    """Give the writers that make JSON of each type; `judge` decides about what JSON can't carry."""
    quote: Write = quote_json if isinstance(judge, Strict) else lambda value: quote_json(judge.text(value))
    spell_float = speller(floats)

    def number(value: float) -> str:
        return spell_float(value) if isfinite(value) else unbounded(value)

    def decimal(value: Decimal) -> str:
        return exact(value) if value.is_finite() else unbounded(value)

    def unbounded(value: float | Decimal) -> str:
        text = judge.not_finite(value)
        return "null" if text is None else quote_json(text)

    def array(items: Sequence[Any]) -> str:
        return f"[{','.join([cells[type(item)](item) for item in items])}]"

    def mapping(members: Mapping[Any, Any]) -> str:
        if not all(isinstance(key, str) for key in members):
            return quote_json(judge.stand_in("an object with a key that is not text"))
        return f"{{{','.join([f'{quote(key)}:{cells[type(value)](value)}' for key, value in members.items()])}}}"

    def document(value: str) -> str:
        text = judge.text(value)
        return quote_json(text) if text != value and options.unencodable == "hex" else raw(text)

    own: dict[type, Write] = {
        str: quote,
        RawJson: document,
        bool: lambda value: "true" if value else "false",
        int: integer,
        float: number,
        Decimal: decimal,
        type(None): lambda _: "null",
        list: array,
        tuple: array,
        dict: mapping,
    }
    quoted = {kind: _quoted(spell) for kind, spell in plain_cells(options, "json").items()}
    cells = Cells(quoted | own, judge)
    return cells


def member_cells(judge: Judge, options: FileOptions, floats: FloatSpelling) -> Cells:
    """Give the writers of a row's own values: `json_numbers` concerns these, not the numbers within documents."""
    cells = json_cells(judge, options, floats)
    if options.json_numbers == "exact":
        return cells
    decimal = cells[Decimal]

    def cautious(value: Decimal) -> str:
        text = decimal(value)
        return f'"{text}"' if text[-1].isdigit() and rounded_by_doubles(text) else text

    return Cells({**cells, int: cautious_integer, Decimal: cautious}, judge)


def member_columns(options: FileOptions, floats: FloatSpelling) -> dict[type, WriteColumn]:
    """Give the writers of whole columns of a row's own values."""
    known = common_columns(options, floats, "json", QUOTED)
    known[str] = lambda values: Written(BARE, list(map(quote_json, values)))
    if options.json_numbers == "text":
        del known[Decimal]
        known[int] = _cautious_integers
    return known


def cautious_integer(value: int) -> str:
    """Give an integer, as a string past what a double holds."""
    return int.__repr__(value) if -EXACT_INTEGER <= value <= EXACT_INTEGER else f'"{integer(value)}"'


def _cautious_integers(values: Sequence[int]) -> Written:
    if min(values) >= -EXACT_INTEGER and max(values) <= EXACT_INTEGER:
        return Written(BARE, values)
    return Written(BARE, list(map(cautious_integer, values)))


def raw(text: str) -> str:
    """Give JSON text on one line: a break can only be white space there, for in strings it is escaped."""
    text = str.__str__(text)
    return text.replace("\r", " ").replace("\n", " ") if "\n" in text or "\r" in text else text


def _quoted(spell: Write) -> Write:
    return lambda value: f'"{spell(value)}"'
