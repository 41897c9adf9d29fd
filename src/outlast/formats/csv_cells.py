"""How each type of value is written in CSV."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from math import isfinite
from typing import TypeAlias

from outlast.formats.cells import Cells, Write, plain_cells
from outlast.formats.floats import speller
from outlast.formats.formulas import FORMULA, GUARD
from outlast.formats.json_cells import json_cells
from outlast.formats.numbers import exact, integer, not_finite
from outlast.formats.policy import CellJudge
from outlast.formats.raw import RawJson
from outlast.formats.rowtext import CsvText
from outlast.formats.shape import FloatSpelling

Quote: TypeAlias = Callable[[str], str]


def csv_cells(judge: CellJudge, text: CsvText, floats: FloatSpelling) -> Cells:
    """Give the writers that make a CSV field of each type; `judge` decides about what UTF-8 or JSON can't carry."""
    options = text.options
    json = json_cells(judge, options, floats)
    quote = quoting(text)
    held = judge.held if options.csv_dialect == "excel" else judge.text
    spell_float = marked(speller(floats), text.decimal_mark)
    spell_decimal = marked(exact, text.decimal_mark)

    def guarded(value: str) -> str:
        if text.guard_formulas and FORMULA.match(value):
            judge.note("guarded")
            return GUARD + value
        return value

    def document(value: object) -> str:
        return quote(json[type(value)](value))

    own: dict[type, Write] = {
        str: lambda value: quote(guarded(held(value))),
        RawJson: lambda value: quote(judge.text(str.__str__(value))),
        bool: lambda value: "true" if value else "false",
        int: integer,
        float: lambda value: spell_float(value) if isfinite(value) else not_finite(value),
        Decimal: lambda value: spell_decimal(value) if value.is_finite() else not_finite(value),
        type(None): lambda _: "",
        list: document,
        tuple: document,
        dict: document,
    }
    # Base64 may begin with +. What else is plain never begins so.
    plain = {
        kind: _then(spell, lambda value: quote(guarded(value))) for kind, spell in plain_cells(options, "sql").items()
    }
    return Cells(plain | own, judge)


def quoting(text: CsvText) -> Quote:
    """Give what quotes a field, its own quotes doubled (RFC 4180 section 2, rules 5 to 7)."""
    if text.quoting == "all":
        return quote_csv
    must_be_quoted = re.compile(rf'["\r\n{re.escape(text.delimiter)}]|\A[ \t]|[ \t]\Z|\A\Z').search
    return lambda value: quote_csv(value) if must_be_quoted(value) else value


def quote_csv(text: str) -> str:
    """Quote a piece of text."""
    return '"' + text.replace('"', '""') + '"' if '"' in text else f'"{text}"'


def marked(spell: Write, decimal_mark: str) -> Write:
    """Spell numbers with that decimal mark."""
    return spell if decimal_mark == "." else lambda value: spell(value).replace(".", decimal_mark)


def _then(spell: Write, quote: Quote) -> Write:
    return lambda value: quote(spell(value))
