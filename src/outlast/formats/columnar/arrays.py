"""A column's values as an Arrow array: all at once where they are plain, value by value where one is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import MAXYEAR, MINYEAR, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, TypeAlias
from uuid import UUID

import pyarrow as pa

from outlast.errors import ExportFailedError
from outlast.formats.columnar import schema
from outlast.formats.columnar.fitting import Fits
from outlast.formats.columnar.misfits import Misfits
from outlast.formats.raw import RawJson
from outlast.formats.shape import Column, Kind
from outlast.formats.times import duration

Prepare: TypeAlias = Callable[[Sequence[Any]], Sequence[Any] | None]

_TROUBLE = (pa.ArrowException, OverflowError, UnicodeError, TypeError, ValueError)
"""What pyarrow raises for a value that doesn't fit."""

_PLAIN: dict[Kind, frozenset[type]] = {
    Kind.INTEGER: frozenset({int}),
    Kind.FLOAT: frozenset({float, int}),
    Kind.DECIMAL: frozenset({Decimal}),
    Kind.BOOLEAN: frozenset({bool}),
    Kind.TEXT: frozenset({str}),
    Kind.BYTES: frozenset({bytes}),
    Kind.DATE: frozenset({date}),
    Kind.TIME: frozenset({time}),
    Kind.DATETIME: frozenset({datetime}),
    Kind.INSTANT: frozenset({datetime}),
    Kind.INTERVAL: frozenset({timedelta, str}),
    Kind.UUID: frozenset({UUID}),
    Kind.JSON: frozenset({RawJson}),
    Kind.ARRAY: frozenset({RawJson}),
    Kind.UNKNOWN: frozenset({str}),
}
"""The types that Arrow takes for each kind exactly; others it would convert in silence."""

_NONE = frozenset({type(None)})


class ArrayMaker:
    """Makes the arrays of one column."""

    def __init__(self, column: Column, type_: Any, fits: Fits, misfits: Misfits) -> None:  # noqa: ANN401 - pyarrow's
        """Make arrays of that type; `fits` makes what stands out fit, judged at `misfits`."""
        self.column = column
        self.type = type_
        self._storage = schema.storage(type_)
        decimal = pa.types.is_decimal(type_)
        self._fit = fits.of(column, (type_.precision, type_.scale) if decimal else None)
        self._misfits = misfits
        self._plain = _NONE | _PLAIN[column.kind]
        self._prepare = _PREPARE.get(column.kind, _as_they_are)
        if column.kind is Kind.DECIMAL and not decimal:
            self._plain = _NONE  # text: spelled one by one

    def array(self, values: Sequence[Any], first_row: int) -> Any:  # noqa: ANN401 - pyarrow's
        """Give the values as an array; the number of the first one's row is for reports.

        Raises ExportFailedError UNENCODABLE_VALUE, naming row and column, where the policies say "fail".
        """
        if self._plain.issuperset(map(type, values)):
            try:
                prepared = self._prepare(values)
                if prepared is not None:
                    return schema.as_type(pa.array(prepared, self._storage), self.type)
            except _TROUBLE:
                pass
        return self.careful(values, first_row)

    def careful(self, values: Iterable[Any], first_row: int) -> Any:  # noqa: ANN401 - pyarrow's
        """Do it value by value."""
        misfits, fit = self._misfits, self._fit
        misfits.column = self.column.name
        fitting: list[Any] = []
        for misfits.row, value in enumerate(values, first_row):
            fitting.append(fit(value))
        return schema.as_type(pa.array(fitting, self._storage), self.type)


def all_made(makes: Iterable[Callable[[], Any]], misfits: Misfits) -> list[Any]:
    """Make the arrays of all columns. Of several misfits that fail, the first row's is raised."""
    arrays: list[Any] = []
    failures: list[tuple[int, int, ExportFailedError]] = []
    for at, make in enumerate(makes):
        try:
            arrays.append(make())
        except ExportFailedError as error:
            failures.append((misfits.row, at, error))
    if failures:
        raise min(failures)[2]
    return arrays


def _as_they_are(values: Sequence[Any]) -> Sequence[Any]:
    return values


def _local(values: Sequence[Any]) -> Sequence[Any] | None:
    """Give times if none has an offset, which Arrow would drop in silence."""
    return None if any(value.tzinfo for value in values if value is not None) else values


def _aware(values: Sequence[Any]) -> Sequence[Any] | None:
    """Give times if each has an offset, without which Arrow would take it for UTC, and lies in Python's calendar there.

    Arrow's own goes further, but its readers in Python fail on such an instant.
    """
    plain = all(value.tzinfo and MINYEAR < value.year < MAXYEAR for value in values if value is not None)
    return values if plain else None


def _uuids(values: Sequence[Any]) -> Sequence[Any]:
    return [None if value is None else value.bytes for value in values]


def _intervals(values: Sequence[Any]) -> Sequence[Any]:
    return [duration(value) if isinstance(value, timedelta) else value for value in values]


_PREPARE: dict[Kind, Prepare] = {
    Kind.TIME: _local,
    Kind.DATETIME: _local,
    Kind.INSTANT: _aware,
    Kind.UUID: _uuids,
    Kind.INTERVAL: _intervals,
}
