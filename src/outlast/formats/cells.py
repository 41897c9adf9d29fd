"""How each type of value is written: a table from the type to a function, filled in as types appear."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, TypeAlias
from uuid import UUID

from outlast.formats.policy import Judge

Write: TypeAlias = Callable[[Any], str]


class Cells(dict[type, Write]):
    """Every known type's writer. A subclass is written as its nearest known base, an enum's member as its value."""

    def __init__(self, known: dict[type, Write], judge: Judge) -> None:
        """Start with the known types; `judge` decides about values of others, quoted as text is."""
        super().__init__(known)
        self._judge = judge

    def __missing__(self, kind: type) -> Write:
        """Find the writer of a type that was not met before, and keep it."""
        if issubclass(kind, Enum):
            self[kind] = lambda member: self[type(member.value)](member.value)
        elif issubclass(kind, str):  # which may format itself in its own way
            self[kind] = lambda text: self[str](str.__str__(text))
        else:
            self[kind] = next((self[base] for base in kind.__mro__ if base in self), self._unknown)
        return self[kind]

    def _unknown(self, value: object) -> str:
        return self[str](self._judge.stand_in(f"a value of the type {type(value).__name__}"))


def instant(value: datetime) -> str:
    """ISO 8601; an aware one in UTC with its offset, unless that lies outside of the calendar."""
    if value.tzinfo is not None and value.tzinfo is not UTC:
        try:
            value = value.astimezone(UTC)
        except OverflowError:
            return value.isoformat()
    return value.isoformat()


def duration(value: timedelta) -> str:
    """ISO 8601 in days and seconds, exact to the microsecond: P1DT0.5S, -PT3S."""
    sign, value = ("-", -value) if value < timedelta(0) else ("", value)
    days = f"{value.days}D" if value.days else ""
    fraction = f".{value.microseconds:06}".rstrip("0") if value.microseconds else ""
    seconds = f"T{value.seconds}{fraction}S" if value.seconds or fraction or not days else ""
    return f"{sign}P{days}{seconds}"


def exact(value: Decimal) -> str:
    """Every digit of a finite number, and no exponent."""
    return format(value, "f")


def not_finite(value: float | Decimal) -> str:
    """NaN, Infinity or -Infinity, as PostgreSQL spells them."""
    if value.is_nan() if isinstance(value, Decimal) else math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


QUOTED: dict[type, Write] = {
    datetime: lambda value: f'"{instant(value)}"',
    date: lambda value: f'"{value.isoformat()}"',
    time: lambda value: f'"{value.isoformat()}"',
    timedelta: lambda value: f'"{duration(value)}"',
    UUID: lambda value: f'"{value}"',
    bytes: lambda value: f'"{value.hex()}"',
    bytearray: lambda value: f'"{value.hex()}"',
    memoryview: lambda value: f'"{value.hex()}"',
}
"""What every text format writes as text, in a spelling that holds nothing to escape."""
