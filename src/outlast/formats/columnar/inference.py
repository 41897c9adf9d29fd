"""A kind for columns of which none is known: what the first rows' values have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, TypeAlias
from uuid import UUID

from outlast.formats.base import Row
from outlast.formats.columnar.fitting import INT64
from outlast.formats.raw import RawJson
from outlast.formats.shape import Column, Kind

_EXACT_IN_FLOAT = 2**53

_Alike: TypeAlias = Callable[[Iterable[Any]], bool]


def known(columns: Sequence[Column], rows: Sequence[Row]) -> tuple[Column, ...]:
    """Give the columns, each unknown one with the kind of its values.

    It stays unknown, which is text, where the values are of several kinds, or all NULL: a later value always fits.
    """
    return tuple(
        replace(column, kind=kind_of([row[at] for row in rows])) if column.kind is Kind.UNKNOWN else column
        for at, column in enumerate(columns)
    )


def kind_of(values: Sequence[Any]) -> Kind:
    """Give the kind of which all values are."""
    types = set(map(type, values)) - {type(None)}
    present = [value for value in values if value is not None]
    for kind, (allowed, alike) in _KINDS.items():
        if types and types <= allowed and (alike is None or alike(present)):
            return kind
    return Kind.UNKNOWN


def _short(values: Iterable[Any]) -> bool:
    return all(value in INT64 for value in values)


def _exact(values: Iterable[Any]) -> bool:
    return all(isinstance(value, float) or abs(value) <= _EXACT_IN_FLOAT for value in values)


def _local(values: Iterable[Any]) -> bool:
    return all(value.tzinfo is None for value in values)


def _aware(values: Iterable[Any]) -> bool:
    return all(value.tzinfo is not None for value in values)


_KINDS: dict[Kind, tuple[set[type], _Alike | None]] = {
    Kind.INTEGER: ({int}, _short),
    Kind.FLOAT: ({int, float}, _exact),
    Kind.DECIMAL: ({int, Decimal}, None),
    Kind.BOOLEAN: ({bool}, None),
    Kind.TEXT: ({str}, None),
    Kind.BYTES: ({bytes, bytearray, memoryview}, None),
    Kind.DATE: ({date}, None),
    Kind.TIME: ({time}, _local),
    Kind.DATETIME: ({datetime}, _local),
    Kind.INSTANT: ({datetime}, _aware),
    Kind.INTERVAL: ({timedelta}, None),
    Kind.UUID: ({UUID}, None),
    Kind.JSON: ({list, tuple, dict, RawJson}, None),
}
