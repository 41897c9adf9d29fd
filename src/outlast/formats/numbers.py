"""Numbers as text."""

from __future__ import annotations

import math
from decimal import Decimal

EXACT_INTEGER = 2**53 - 1
"""Readers that keep every number as a double hold integers up to this one exactly, of either sign."""

_EXACT_DIGITS = 15
_EXACT_PLACES = 300


def exact(value: Decimal) -> str:
    """Every digit of a finite number, and no exponent."""
    return format(value, "f")


def integer(value: int) -> str:
    """Every digit; of many thousands, too, which Python itself refuses to print."""
    try:
        return int.__repr__(value)
    except ValueError:
        return exact(Decimal(value))


def not_finite(value: float | Decimal) -> str:
    """NaN, Infinity or -Infinity, as PostgreSQL spells them."""
    if value.is_nan() if isinstance(value, Decimal) else math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def rounded_by_doubles(number: str) -> bool:
    """Whether readers that keep every number as a double may round it: one spelled by `exact`.

    So it is with more than 15 digits, zeros before them aside, and with so many places that a double ends up as 0.
    """
    digits = number.lstrip("-0.").replace(".", "")
    return len(digits) > _EXACT_DIGITS or len(number.partition(".")[2]) > _EXACT_PLACES
