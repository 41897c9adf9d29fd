"""How each type of value is written: a table from the type to a function, filled in as types appear."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from enum import Enum
from typing import Any, TypeAlias
from uuid import UUID

from outlast.formats.numbers import exact, not_finite
from outlast.formats.options import FileOptions
from outlast.formats.policy import Judge
from outlast.formats.times import TimeStyle, duration, time_cells

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
        else:
            base = next((base for base in kind.__mro__ if base in self), None)
            if base is str:  # a subclass of it may format itself in its own way
                self[kind] = lambda text: self[str](str.__str__(text))
            else:
                self[kind] = self[base] if base else self._unknown
        return self[kind]

    def _unknown(self, value: object) -> str:
        return self[str](self._judge.stand_in(f"a value of the type {type(value).__name__}"))


def plain_cells(options: FileOptions, style: TimeStyle) -> dict[type, Write]:
    """Give what spells, without quotes, the types that every text format writes as text with nothing to escape."""
    spell_bytes: Write = _base64 if options.binary == "base64" else _hex
    return {
        **time_cells(style, options.time_zone),
        UUID: str,
        bytes: spell_bytes,
        bytearray: spell_bytes,
        memoryview: spell_bytes,
    }


def _hex(value: bytes | bytearray | memoryview) -> str:
    return value.hex()


def _base64(value: bytes | bytearray | memoryview) -> str:
    return b64encode(value).decode()


__all__ = ["Cells", "Write", "duration", "exact", "not_finite", "plain_cells"]
