"""How wide columns are, from the header and the first rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from outlast.formats.base import Row

SAMPLE_ROWS = 200
_NARROWEST = 8
_WIDEST = 60
_MARGIN = 1


def widths(names: Sequence[str], rows: Sequence[Row]) -> list[int]:
    """Give the columns' widths in characters, within bounds."""
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return [
        min(max(_NARROWEST, _MARGIN + max(map(_length, (name, *values)))), _WIDEST)
        for name, values in zip(names, columns, strict=True)
    ]


def _length(value: Any) -> int:  # noqa: ANN401 - any cell
    if isinstance(value, datetime):
        return len("2026-03-01 09:30:00") + (len(".000") if value.microsecond else 0)
    if value is None or isinstance(value, date | bool | bytes | list | tuple | dict):
        return len("2026-03-01")
    if isinstance(value, str):
        return max(map(len, value[: 4 * _WIDEST].splitlines()), default=0)
    return len(str(value)[:_WIDEST]) if not isinstance(value, int) else min(value.bit_length() // 3 + 1, _WIDEST)
