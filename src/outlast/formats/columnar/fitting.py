"""One value made to fit its column, whatever it is: what the quick way leaves over.

A function gives what Arrow takes for the column's type, or NULL where the policies let a misfit pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from math import isfinite
from typing import Any, TypeAlias
from uuid import UUID

from outlast.formats.columnar.misfits import Misfits
from outlast.formats.columnar.spelling import decimal_text, spellings
from outlast.formats.json_cells import json_cells
from outlast.formats.options import FileOptions
from outlast.formats.shape import Column, FloatSpelling, Kind
from outlast.formats.times import duration

Fit: TypeAlias = Callable[[Any], Any]

_BEYOND = re.compile(r"-?infinity|.* BC|\+?\d{5,}-.*|24:00:00.*|\d\d:\d\d:\d\d(\.\d+)?[+-]\d.*", re.DOTALL)
"""Times that databases know and Arrow, or its readers in Python, don't."""

INT64 = range(-(2**63), 2**63)


class Fits:
    """Makes the functions that fit values into a column of each kind."""

    def __init__(self, options: FileOptions, floats: FloatSpelling, misfits: Misfits) -> None:
        """Judge at `misfits`; `floats` is how floats are spelled where they become text."""
        self._misfits = misfits
        self._spell = spellings(misfits, options, floats)
        self._spell_json = json_cells(misfits, options, floats)
        self._by_kind: dict[Kind, Fit] = {
            Kind.UNKNOWN: self._unknown,
            Kind.INTEGER: self._integer,
            Kind.FLOAT: self._float,
            Kind.BOOLEAN: self._boolean,
            Kind.TEXT: self._text,
            Kind.BYTES: self._bytes,
            Kind.DATE: self._date,
            Kind.TIME: self._time,
            Kind.DATETIME: self._datetime,
            Kind.INSTANT: self._instant,
            Kind.INTERVAL: self._interval,
            Kind.UUID: self._uuid,
            Kind.JSON: self._json,
            Kind.ARRAY: self._json,
        }

    def of(self, column: Column, digits: tuple[int, int] | None) -> Fit:
        """Give the column's function; `digits` are precision and scale of a decimal column that isn't text."""
        kind = column.kind
        if kind is Kind.DECIMAL:
            convert: Fit = self._decimal_text if digits is None else lambda value: self._decimal(value, *digits)
        else:
            convert = self._by_kind[kind]

        def fit(value: Any) -> Any:  # noqa: ANN401 - any value
            while isinstance(value, Enum):
                value = value.value
            if value is None:
                return None
            found = convert(value)
            return self._misfits.mismatched(value, kind.value) if found is _MISMATCH else found

        return fit

    def _unknown(self, value: Any) -> Any:  # noqa: ANN401 - any value
        return self._spell[type(value)](value)

    def _text(self, value: Any) -> Any:  # noqa: ANN401 - any value
        if not isinstance(value, str):
            self._misfits.as_text(value)
        return self._spell[type(value)](value)

    def _integer(self, value: Any) -> Any:  # noqa: ANN401 - any value
        # Text of a type of its own may mean something else, as hex does.
        if self._misfits.casts and (isinstance(value, bool | float | Decimal) or type(value) is str):
            value = _whole(value)
        if not isinstance(value, int) or isinstance(value, bool):
            return _MISMATCH
        return int(value) if value in INT64 else self._misfits.unencodable("an integer of more than 64 bits")

    def _float(self, value: Any) -> Any:  # noqa: ANN401 - any value
        if isinstance(value, float):
            return float(value)
        exactly = isinstance(value, int) and not isinstance(value, bool)
        if self._misfits.casts and isinstance(value, Decimal):
            exactly = value.is_finite()
        if not exactly:
            return _MISMATCH
        try:
            return float(value) if float(value) == value else _MISMATCH
        except OverflowError:
            return _MISMATCH

    def _decimal(self, value: Any, precision: int, scale: int) -> Any:  # noqa: ANN401 - any value
        number = self._number(value)
        if number is _MISMATCH or (number.is_finite() and not _holds(number, precision, scale)):
            return _MISMATCH
        return number if number.is_finite() else self._misfits.unencodable("a number that is not finite")

    def _decimal_text(self, value: Any) -> Any:  # noqa: ANN401 - any value
        number = self._number(value)
        return _MISMATCH if number is _MISMATCH else decimal_text(number)

    def _number(self, value: Any) -> Any:  # noqa: ANN401 - any value
        if isinstance(value, Decimal):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return Decimal(value)
        return Decimal(repr(value)) if self._misfits.casts and isinstance(value, float) else _MISMATCH

    def _boolean(self, value: Any) -> Any:  # noqa: ANN401 - any value
        if isinstance(value, bool):
            return value
        return bool(value) if self._misfits.casts and isinstance(value, int) and value in {0, 1} else _MISMATCH

    def _bytes(self, value: Any) -> Any:  # noqa: ANN401 - any value
        return bytes(value) if isinstance(value, bytes | bytearray | memoryview) else _MISMATCH

    def _date(self, value: Any) -> Any:  # noqa: ANN401 - any value
        if isinstance(value, date) and not isinstance(value, datetime):
            return value
        return self._not_a_time(value)

    def _time(self, value: Any) -> Any:  # noqa: ANN401 - any value
        if not isinstance(value, time):
            return self._not_a_time(value)
        return self._misfits.unencodable("a time of day with an offset") if value.tzinfo else value

    def _datetime(self, value: Any) -> Any:  # noqa: ANN401 - any value
        return value if isinstance(value, datetime) and value.tzinfo is None else self._not_a_time(value)

    def _instant(self, value: Any) -> Any:  # noqa: ANN401 - any value
        if not isinstance(value, datetime) or value.tzinfo is None:
            return self._not_a_time(value)
        try:
            return value.astimezone(UTC)
        except OverflowError:
            return self._misfits.unencodable("an instant outside of the calendar")

    def _not_a_time(self, value: Any) -> Any:  # noqa: ANN401 - any value
        if isinstance(value, str) and _BEYOND.fullmatch(value):
            return self._misfits.unencodable("a date or time outside of the calendar")
        return _MISMATCH

    def _interval(self, value: Any) -> Any:  # noqa: ANN401 - any value
        if isinstance(value, timedelta):
            return duration(value)
        return self._misfits.text(value) if isinstance(value, str) else _MISMATCH

    def _uuid(self, value: Any) -> Any:  # noqa: ANN401 - any value
        if isinstance(value, UUID):
            return value.bytes
        if self._misfits.casts and isinstance(value, str):
            try:
                return UUID(value).bytes
            except ValueError:
                return _MISMATCH
        return _MISMATCH

    def _json(self, value: Any) -> Any:  # noqa: ANN401 - any value
        return self._spell_json[type(value)](value)


_MISMATCH: Any = object()
"""What a function gives for a value of another type."""


def _whole(value: bool | float | Decimal | str) -> Any:  # noqa: ANN401, FBT001 - the same, or an integer
    """Give the integer that is the same number."""
    if isinstance(value, str):
        return int(value) if re.fullmatch(r"-?(0|[1-9][0-9]{0,18})", value) else value
    finite = value.is_finite() if isinstance(value, Decimal) else isfinite(value)
    return int(value) if finite and int(value) == value else value


def _holds(value: Decimal, precision: int, scale: int) -> bool:
    """Whether a decimal of so many digits, `scale` of them behind the point, is exactly that number."""
    _, digits, exponent = value.as_tuple()
    if not value:
        return True
    assert isinstance(exponent, int)  # noqa: S101 - it is finite
    zeros = len(digits) - len("".join(map(str, digits)).rstrip("0"))
    return exponent + zeros >= -scale and value.adjusted() < precision - scale
