"""The text of a row as a format wants it: what a database may produce in its place (`outlast.extract`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from outlast.formats.options import FileOptions
from outlast.formats.shape import Kind


@dataclass(frozen=True, slots=True)
class CsvText:
    """A row is its fields, joined by the delimiter, and `line_end`.

    `kinds`: the kinds of columns that may come as text, all of them or none; None: of any kind.
    """

    options: FileOptions
    delimiter: str = ","
    line_end: str = "\n"
    quoting: Literal["all", "minimal"] = "all"
    decimal_mark: str = "."
    guard_formulas: bool = False
    kinds: frozenset[Kind] | None = None


@dataclass(frozen=True, slots=True)
class JsonText:
    """A row is a JSON object and `line_end`."""

    options: FileOptions
    line_end: str = "\n"


RowText: TypeAlias = CsvText | JsonText


@dataclass(frozen=True, slots=True)
class Page:
    """Some whole rows as that text, in UTF-8, made by the database. `data` is not yet known to be valid UTF-8."""

    data: bytes
    rows: int
