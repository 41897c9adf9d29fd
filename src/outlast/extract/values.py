"""Stored values of SQLite become Python values by their column's kind; what doesn't fit is judged by policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Literal, NoReturn, TypeAlias

from outlast.errors import ExportFailedError, FailureCode
from outlast.extract.kinds import Process, Typed
from outlast.extract.sqlite_kinds import ANYTHING, CASTS, CONVERSIONS, Conversion
from outlast.formats import Column, Row
from outlast.formats.report import Report

Mismatch: TypeAlias = Literal["fail", "text", "cast"]

_CLASSES = {int: "an integer", float: "a real number", str: "text", bytes: "a blob"}


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A column: values of the types in `right` stay as they are, `convert` takes the others."""

    column: Column
    right: frozenset[type]
    convert: Process
    own: bool
    """Whether the conversion is the application's type's own, whose errors are none of ours."""


class Values:
    """Converts rows that hold the wanted columns' stored values; what was changed is noted in `report`."""

    def __init__(self, columns: Sequence[Typed], mismatch: Mismatch, report: Report) -> None:
        """Convert to those columns."""
        self._columns = [_wanted(typed) for typed in columns]
        self._mismatch = mismatch
        self._report = report

    def batch(self, rows: Sequence[Row], first: int) -> list[Row]:
        """Convert rows, the first of which has that number. Raises ExportFailedError UNENCODABLE_VALUE."""
        try:
            return self._quickly(rows)
        except (ValueError, OverflowError):  # a value that doesn't fit, somewhere
            return [self.row(row, number) for number, row in enumerate(rows, first)]

    def row(self, values: Sequence[Any], number: int) -> Row:
        """Convert one row. Raises ExportFailedError UNENCODABLE_VALUE, naming it and the column, under "fail"."""
        return tuple(
            [
                value if type(value) in wanted.right else self._careful(wanted, value, number)
                for wanted, value in zip(self._columns, values, strict=True)
            ]
        )

    def _quickly(self, rows: Sequence[Row]) -> list[Row]:
        changed: dict[int, list[Any]] = {}
        for at, wanted in enumerate(self._columns):
            if wanted.right is ANYTHING:
                continue
            column = list(map(itemgetter(at), rows))
            if wanted.right.issuperset(map(type, column)):
                continue
            right, convert = wanted.right, wanted.convert
            changed[at] = [value if type(value) in right else convert(value) for value in column]
        if not changed:
            return rows if isinstance(rows, list) else list(rows)
        columns: list[Sequence[Any]] = list(zip(*rows, strict=True))
        for at, column in changed.items():
            columns[at] = column
        return list(zip(*columns, strict=True))

    def _careful(self, wanted: _Wanted, value: Any, number: int) -> Any:  # noqa: ANN401 - values of every kind
        if wanted.own:
            return wanted.convert(value)
        try:
            return wanted.convert(value)
        except (ValueError, OverflowError):
            return self._judged(wanted.column, value, number)

    def _judged(self, column: Column, value: Any, number: int) -> Any:  # noqa: ANN401 - as above
        if self._mismatch == "fail":
            detail = f"row {number}, column {column.name!r}: {_CLASSES[type(value)]} that is no {column.kind.value}"
            raise ExportFailedError(FailureCode.UNENCODABLE_VALUE, detail)
        if self._mismatch == "cast":
            try:
                made = CASTS[column.kind](value)
            except (ValueError, OverflowError, KeyError):
                pass
            else:
                self._report.note("cast", column.name, number)
                return made
        self._report.note("kept_as_text", column.name, number)
        return _Hex(value.hex()) if isinstance(value, bytes) else str(value)


def _wanted(typed: Typed) -> _Wanted:
    if typed.process is not None:
        return _Wanted(typed.column, frozenset(), typed.process, own=True)
    conversion = CONVERSIONS.get(typed.column.kind, Conversion(ANYTHING, _refused))
    return _Wanted(typed.column, conversion.right, conversion.convert, own=False)


class _Hex(str):
    """Bytes as text, which is not to be taken for a number, though it may have decimal digits alone."""

    __slots__ = ()


def _refused(_: object) -> NoReturn:
    raise ValueError
