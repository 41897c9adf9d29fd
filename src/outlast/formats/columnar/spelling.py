"""Values of mixed types as the text of one column, spelled as CSV spells them, without its quotes."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite

from outlast.formats.cells import Cells, Write, plain_cells
from outlast.formats.floats import speller
from outlast.formats.json_cells import json_cells
from outlast.formats.numbers import exact, integer, not_finite
from outlast.formats.options import FileOptions
from outlast.formats.policy import Judge
from outlast.formats.raw import RawJson
from outlast.formats.shape import FloatSpelling


def spellings(judge: Judge, options: FileOptions, floats: FloatSpelling) -> Cells:
    """Give the writer of each type; `judge` decides about what text can't carry."""
    json = json_cells(judge, options, floats)
    spell_float = speller(floats)
    documents: dict[type, Write] = {kind: json[kind] for kind in (list, tuple, dict)}
    own: dict[type, Write] = {
        str: judge.text,
        RawJson: lambda value: judge.text(str.__str__(value)),
        bool: lambda value: "true" if value else "false",
        int: integer,
        float: lambda value: spell_float(value) if isfinite(value) else not_finite(value),
        Decimal: decimal_text,
    }
    return Cells(plain_cells(options, "sql") | documents | own, judge)


def decimal_text(value: Decimal) -> str:
    """Every digit; NaN, Infinity and -Infinity by name."""
    return exact(value) if value.is_finite() else not_finite(value)
