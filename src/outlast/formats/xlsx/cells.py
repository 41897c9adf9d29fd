"""One value as a cell, whatever it holds: what the quick way leaves over.

A cell's body begins where its reference ends: `<c r="A1` and the body are a cell. An empty body is no cell: NULL.
A number, date or time that a cell would show as another one is written as text with all its digits: counted as
"as_text", and never a failure, since nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any
from zoneinfo import ZoneInfo

from outlast.formats.cells import Cells, Write, plain_cells
from outlast.formats.json_cells import json_cells
from outlast.formats.numbers import exact, integer
from outlast.formats.options import FileOptions
from outlast.formats.shape import Column, FloatSpelling
from outlast.formats.xlsx import dates, styles
from outlast.formats.xlsx.escaping import escape
from outlast.formats.xlsx.places import Place

EXACT_INTEGER = 2**53
SHORT_INTEGER = 10**11
"""From here on a cell without a style shows an exponent."""

SMALLEST_NORMAL = 2.2250738585072014e-308
"""Excel takes what is nearer to zero for zero."""

EXACT_DIGITS = 15
_EXPONENTS = range(-306, 307)
_MOST_ZEROS = 1000


def number(text: object, style: int | None = None) -> str:
    """Give the body of a number's cell."""
    return f'"><v>{text}</v></c>' if style is None else f'" s="{style}"><v>{text}</v></c>'


class CellWriters:
    """Makes the careful writers of a column's cells."""

    def __init__(
        self, options: FileOptions, place: Place, style_numbers: Mapping[str, int], floats: FloatSpelling
    ) -> None:
        """Judge at `place`; `style_numbers` are the workbook's styles by name; `floats` is for those in documents."""
        self._place = place
        self._styles = style_numbers
        self._zone = ZoneInfo(options.time_zone) if options.time_zone else UTC
        self._json = json_cells(place, options, floats)
        self._spell = plain_cells(options, "json")
        self._known: dict[type, Write] = {
            **{kind: self._spelled(spell) for kind, spell in self._spell.items()},
            type(None): lambda _: "",
            str: self._text,
            bool: lambda value: f'" t="b"><v>{value:d}</v></c>',
            int: self._integer,
            float: self._float,
            date: self._date,
            datetime: self._datetime,
            time: self._time,
            **dict.fromkeys((list, tuple, dict), self._document),
        }

    def of(self, column: Column) -> Callable[[type], Write]:
        """Give the column's writers by type."""
        name = styles.scale_style(column.scale)
        style = self._styles.get(name) if name else None
        return Cells(self._known | {Decimal: lambda value: self._decimal(value, style)}, self._place).__getitem__

    def _text(self, value: str) -> str:
        return escape(self._place.cell(value))

    def _spelled(self, spell: Write) -> Write:
        return lambda value: self._text(spell(value))

    def _as_text(self, value: str) -> str:
        self._place.note("as_text")
        return self._text(value)

    def _document(self, value: Any) -> str:  # noqa: ANN401 - any JSON
        return self._text(self._json[type(value)](value))

    def _integer(self, value: int) -> str:
        if abs(value) > EXACT_INTEGER:
            return self._as_text(integer(value))
        return number(value, self._styles[styles.INTEGER] if abs(value) >= SHORT_INTEGER else None)

    def _float(self, value: float) -> str:
        if not isfinite(value):
            return self._unbounded(value)
        spelled = float.__repr__(value)
        return self._as_text(spelled) if 0 < abs(value) < SMALLEST_NORMAL else number(spelled)

    def _decimal(self, value: Decimal, style: int | None) -> str:
        if not value.is_finite():
            return self._unbounded(value)
        digits = str(value).partition("E")[0].replace(".", "").strip("-0")
        if len(digits) <= EXACT_DIGITS and value.adjusted() in _EXPONENTS:
            return number(value, style)
        if not digits:
            return number(0, style)  # its exponent says nothing, and is none that a float64 has
        return self._as_text(exact(value) if abs(value.adjusted()) < _MOST_ZEROS else str(value))

    def _unbounded(self, value: float | Decimal) -> str:
        text = self._place.not_finite(value)
        return "" if text is None else self._text(text)

    def _date(self, value: date) -> str:
        day = dates.day_number(value)
        return self._as_text(self._spell[date](value)) if day is None else number(day, self._styles[styles.DATE])

    def _datetime(self, value: datetime) -> str:
        if value.tzinfo is None:
            since: timedelta | None = value - dates.EPOCH
        elif self._zone is UTC:
            since = value - dates.EPOCH_UTC
        else:
            local = dates.wall_time(value, self._zone)
            since = None if local is None else local - dates.EPOCH
        serial = None if since is None else dates.exact_serial(since)
        if since is None or serial is None:
            return self._as_text(self._spell[datetime](value))
        return number(repr(serial), self._styles[styles.FRACTION if since.microseconds else styles.SECONDS])

    def _time(self, value: time) -> str:
        fraction = None if value.tzinfo else dates.exact_fraction(dates.time_of_day(value))
        if fraction is None:
            return self._as_text(self._spell[time](value))
        return number(repr(fraction), self._styles[styles.TIME_FRACTION if value.microsecond else styles.TIME])
