"""A batch's column as pieces of XML at C speed, where its values are of one plain kind; else cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any, TypeAlias
from uuid import UUID

from outlast.formats.cells import Write, plain_cells
from outlast.formats.options import FileOptions
from outlast.formats.shape import Column
from outlast.formats.xlsx import dates, styles
from outlast.formats.xlsx.cells import EXACT_DIGITS, EXACT_INTEGER, SHORT_INTEGER
from outlast.formats.xlsx.escaping import TEXT, TEXT_END, escape_plain
from outlast.formats.xlsx.places import Place

Plain: TypeAlias = tuple[str, Sequence[Any], str]
"""What all the cells begin with, what tells them apart, and what all end with."""

Quick: TypeAlias = Callable[[Sequence[Any]], Plain | None]
"""Gives exactly what the careful way gives, or None if a value needs a look."""

_END = "</v></c>"
_NULL = type(None)


def quick_writers(column: Column, options: FileOptions, style_numbers: Mapping[str, int]) -> dict[type, Quick]:
    """Give the quick ways of a column's values by type."""
    utc, spell = options.time_zone is None, plain_cells(options, "json")[bytes]
    name = styles.scale_style(column.scale)
    decimal_style = style_numbers.get(name) if name else None
    return {
        str: _texts,
        bool: lambda values: ('" t="b"><v>', list(map(int, values)), _END),
        int: lambda values: _integers(values, style_numbers[styles.INTEGER]),
        float: _floats,
        Decimal: lambda values: _decimals(values, decimal_style),
        date: lambda values: _dates(values, style_numbers[styles.DATE]),
        datetime: lambda values: _datetimes(values, style_numbers, utc=utc),
        time: lambda values: _times(values, style_numbers),
        _Text: lambda values: _texts(list(map(str.__str__, values))),
        bytes: lambda values: _texts(list(map(spell, values))),
        UUID: lambda values: _texts(list(map(str, values))),
    }


class _Text(str):
    """Stands for whatever is text, but of a type of its own."""

    __slots__ = ()


class ColumnWriter:
    """Writes the cells of one column."""

    def __init__(self, name: str, letters: str, quick: Mapping[type, Quick], careful: Callable[[type], Write]) -> None:
        """Write below the column's letters."""
        self._name = name
        self._start = f'<c r="{letters}'
        self._quick = quick
        self._careful = careful

    def write(self, values: Sequence[Any], numbers: Sequence[str], place: Place) -> tuple[str, list[Sequence[Any]]]:
        """Give a template and what belongs into it; `numbers` are the sheet's rows, `place` stands before the first."""
        kinds = set(map(type, values))
        null = _NULL in kinds
        kinds.discard(_NULL)
        if len(kinds) == 1 and (quick := self._quick_of(kinds.pop())):
            plain = quick([value for value in values if value is not None] if null else values)
            if plain is not None:
                return self._sparse(plain, values, numbers) if null else self._dense(plain, numbers)
        return "%s", [self._cells(values, numbers, place)]

    def _quick_of(self, kind: type) -> Quick | None:
        return self._quick.get(kind) or (self._quick.get(_Text) if issubclass(kind, str) else None)

    def _dense(self, plain: Plain, numbers: Sequence[str]) -> tuple[str, list[Sequence[Any]]]:
        start, inner, end = plain
        return f"{self._start}%s{start}%s{end}", [numbers, inner]

    def _sparse(self, plain: Plain, values: Sequence[Any], numbers: Sequence[str]) -> tuple[str, list[Sequence[Any]]]:
        start, inner, end = plain
        head, rest = self._start, iter(inner)
        return "%s", [
            [
                "" if value is None else f"{head}{number}{start}{next(rest)}{end}"
                for value, number in zip(values, numbers, strict=True)
            ]
        ]

    def _cells(self, values: Sequence[Any], numbers: Sequence[str], place: Place) -> list[str]:
        head, careful, first = self._start, self._careful, place.row + 1
        place.column = self._name
        cells = []
        for place.row, (value, number) in enumerate(zip(values, numbers, strict=True), first):
            body = careful(type(value))(value)
            cells.append(body and f"{head}{number}{body}")
        place.row = first - 1
        return cells


def _texts(values: Sequence[str]) -> Plain | None:
    inner = escape_plain(values)
    return None if inner is None else (TEXT, inner, TEXT_END)


def _integers(values: Sequence[int], style: int) -> Plain | None:
    least, most = min(values), max(values)
    if least > -SHORT_INTEGER and most < SHORT_INTEGER:
        return '"><v>', values, _END
    if least >= SHORT_INTEGER and most <= EXACT_INTEGER:
        return f'" s="{style}"><v>', values, _END
    return None


def _floats(values: Sequence[float]) -> Plain | None:
    if not isfinite(sum(values)):
        return None
    inner = list(map(float.__repr__, values))
    return None if "e-3" in " ".join(inner) else ('"><v>', inner, _END)


def _decimals(values: Sequence[Decimal], style: int | None) -> Plain | None:
    inner = list(map(str, values))
    if max(map(len, inner)) > EXACT_DIGITS or "E" in (joined := " ".join(inner)) or "N" in joined or "I" in joined:
        return None
    return ('"><v>' if style is None else f'" s="{style}"><v>'), inner, _END


def _dates(values: Sequence[date], style: int) -> Plain | None:
    if min(values) < dates.FIRST_DAY:
        return None
    return f'" s="{style}"><v>', list(map(dates.day_number, values)), _END


def _datetimes(values: Sequence[datetime], style_numbers: Mapping[str, int], *, utc: bool) -> Plain | None:
    zones = {value.tzinfo for value in values}
    if zones == {None}:
        epoch = dates.EPOCH
    elif utc and None not in zones:
        epoch = dates.EPOCH_UTC
    else:
        return None
    since = [value - epoch for value in values]
    if min(since) < dates.FIRST or max(since) >= dates.EXACT_UNTIL or dates.any_rounded_up(since):
        return None
    return '" s="', _serials(since, style_numbers[styles.SECONDS], style_numbers[styles.FRACTION]), _END


def _times(values: Sequence[time], style_numbers: Mapping[str, int]) -> Plain | None:
    if {value.tzinfo for value in values} != {None}:
        return None
    since = list(map(dates.time_of_day, values))
    if max(since) >= dates.LAST_TIME:
        return None
    return '" s="', _serials(since, style_numbers[styles.TIME], style_numbers[styles.TIME_FRACTION]), _END


def _serials(since: Sequence[timedelta], seconds: int, fraction: int) -> list[str]:
    day = dates.DAY
    return [f'{fraction if value.microseconds else seconds}"><v>{value / day!r}' for value in since]
