"""The Arrow type of each kind of column, as pyarrow and DuckDB read it back without loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from outlast.formats.shape import Column, Kind

KIND = b"outlast.kind"
"""In a field's metadata: the column's kind."""

_DECIMAL_DIGITS = 38
"""A decimal128's; of wider ones DuckDB makes floats, so they are text."""


def arrow_type(column: Column, time_zone: str | None = None) -> Any:  # noqa: ANN401 - pyarrow carries no types
    """Give the column's type. Instants are UTC; `time_zone` is only the one in which readers are to show them."""
    match column.kind:
        case Kind.INSTANT:
            return pa.timestamp("us", time_zone or "UTC")
        case Kind.DECIMAL:
            digits = _digits(column)
            return pa.string() if digits is None else pa.decimal128(*digits)
        case Kind.UUID:
            return pa.uuid()
        case Kind.JSON | Kind.ARRAY:
            return pa.json_(pa.string())
        case _:
            return _PLAIN.get(column.kind, pa.string())


def field(column: Column, type_: object) -> Any:  # noqa: ANN401 - as above
    """Describe the column."""
    return pa.field(column.name, type_, metadata={KIND: column.kind.value})


def storage(type_: Any) -> Any:  # noqa: ANN401 - as above
    """Give the type in which an extension type's values are stored; any other type as it is."""
    return getattr(type_, "storage_type", type_)


def as_type(array: Any, type_: Any) -> Any:  # noqa: ANN401 - as above
    """Give an array of the storage type as one of the type."""
    return array if array.type == type_ else pa.ExtensionArray.from_storage(type_, array)


def schema(columns: Sequence[Column], types: Sequence[object]) -> Any:  # noqa: ANN401 - as above
    """Describe all columns."""
    return pa.schema([field(column, type_) for column, type_ in zip(columns, types, strict=True)])


def _digits(column: Column) -> tuple[int, int] | None:
    """Give precision and scale; None where none are declared or a decimal128 is too narrow.

    PostgreSQL allows a scale below zero or above the precision: as many digits are added as make it a plain one.
    """
    if column.precision is None:
        return None
    scale = column.scale or 0
    precision = max(column.precision - min(scale, 0), scale)
    return (precision, max(scale, 0)) if 0 < precision <= _DECIMAL_DIGITS else None


_PLAIN: dict[Kind, Any] = {
    Kind.INTEGER: pa.int64(),
    Kind.FLOAT: pa.float64(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.BYTES: pa.binary(),
    Kind.DATE: pa.date32(),
    Kind.TIME: pa.time64("us"),
    Kind.DATETIME: pa.timestamp("us"),
}
