"""What the rows look like: their columns, each of a kind, and how their source spells a float."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

FloatSpelling: TypeAlias = Literal["python", "sqlite", "postgresql"]


class Kind(StrEnum):
    """What a column holds; the word stands in the manifest. Of an `UNKNOWN` one each value's own type decides."""

    UNKNOWN = "unknown"
    INTEGER = "integer"
    FLOAT = "float"
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    TEXT = "text"
    BYTES = "bytes"
    DATE = "date"
    TIME = "time"
    DATETIME = "datetime"  # a local time, without offset
    INSTANT = "instant"
    INTERVAL = "interval"
    UUID = "uuid"
    JSON = "json"
    ARRAY = "array"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a result. `precision` and `scale` are a decimal's, where the source declares them."""

    name: str
    kind: Kind = Kind.UNKNOWN
    precision: int | None = None
    scale: int | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """All columns, in the order of each row's values."""

    columns: tuple[Column, ...]
    floats: FloatSpelling = "python"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)
