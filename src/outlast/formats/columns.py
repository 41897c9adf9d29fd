"""Whole columns of a batch as text: by the one type that all their values have, at the speed of Python's C.

Each gives the same text as the careful way gives cell by cell (`Cells`), or raises ValueError where that must look.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from types import NoneType
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID

from outlast.formats.cells import Cells
from outlast.formats.floats import spell_floats
from outlast.formats.options import FileOptions
from outlast.formats.shape import FloatSpelling
from outlast.formats.times import TimeStyle

BARE = "%s"
QUOTED = '"%s"'


class Written(NamedTuple):
    """A column's part of each row's template, and what is put into it."""

    pattern: str
    values: Sequence[object]
    guarded: bool = False
    """Whether formulas among them were guarded."""


WriteColumn: TypeAlias = Callable[[Sequence[Any]], Written | None]
"""Writes values of one type, none of them None; gives None where they must be written one by one."""


class Columns:
    """Writes columns by their types."""

    def __init__(self, cells: Cells, known: dict[type, WriteColumn], null: str) -> None:
        """Write the known types as whole columns, others by their cells, and None as `null`."""
        self._cells = cells
        self._known = known
        self._null = null

    def write(self, values: Sequence[Any]) -> Written:
        """Write a column."""
        kinds = set(map(type, values))
        has_nulls = NoneType in kinds
        kinds.discard(NoneType)
        write = self._known.get(kinds.pop()) if len(kinds) == 1 else None
        if write is None:
            return self._one_by_one(values)
        if not has_nulls:
            return write(values) or self._one_by_one(values)
        written = write([value for value in values if value is not None])
        return self._with_nulls(values, written) if written else self._one_by_one(values)

    def _one_by_one(self, values: Sequence[Any]) -> Written:
        cells = self._cells
        return Written(BARE, [cells[type(value)](value) for value in values])

    def _with_nulls(self, values: Sequence[Any], written: Written) -> Written:
        null, filled = self._null, iter(written.values)
        if written.pattern == BARE:
            cells = [null if value is None else next(filled) for value in values]
        elif written.pattern == QUOTED:
            cells = [null if value is None else f'"{next(filled)}"' for value in values]
        else:
            cells = [null if value is None else written.pattern % next(filled) for value in values]
        return Written(BARE, cells, written.guarded)


def common_columns(
    options: FileOptions, floats: FloatSpelling, style: TimeStyle, plain: str
) -> dict[type, WriteColumn]:
    """Give the writers that text formats share; `plain` is the pattern of text with nothing to escape."""
    known: dict[type, WriteColumn] = {
        bool: lambda values: Written(BARE, list(map({True: "true", False: "false"}.__getitem__, values))),
        int: lambda values: Written(BARE, values),
        float: lambda values: Written(BARE, spell_floats(values, floats)) if all(map(isfinite, values)) else None,
        Decimal: _decimals,
        date: lambda values: Written(plain, list(map(date.isoformat, values))),
        datetime: lambda values: _moments(values, style, plain, in_utc=options.time_zone is None),
        UUID: lambda values: Written(plain, list(map(str, values))),
    }
    return (
        known
        if options.binary != "hex"
        else known | {bytes: lambda values: Written(plain, list(map(bytes.hex, values)))}
    )


def _decimals(values: Sequence[Decimal]) -> Written | None:
    texts = list(map(str, values))
    together = "".join(texts)
    # An exponent, NaN, or Infinity.
    return None if "E" in together or "N" in together or "I" in together else Written(BARE, texts)


def _moments(values: Sequence[datetime], style: TimeStyle, plain: str, *, in_utc: bool) -> Written | None:
    """Local times, or instants whose offset is zero already."""
    texts = list(map(str, values))
    zones = {value.tzinfo for value in values}
    offset = ""
    if zones != {None}:
        if not in_utc or not all([text.endswith("+00:00") for text in texts]):  # noqa: C419 - quicker so
            return None
        texts = [text[:-6] for text in texts]
        offset = "+00:00" if style == "json" else "+00"
    if "." in "".join(texts):
        texts = [text.rstrip("0") if "." in text else text for text in texts]
    if style == "json":
        texts = [text.replace(" ", "T") for text in texts]
    return Written(plain.replace(BARE, BARE + offset), texts)
