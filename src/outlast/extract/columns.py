"""The columns that a caller picked, out of rows that must have exactly the declared ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from outlast.errors import ExportFailedError, FailureCode

Pick: TypeAlias = Callable[[Sequence[Any]], Sequence[Any]]

_NAMED_COLUMNS = 5
_NAME_CHARACTERS = 60


def difference(declared: Iterable[str], found: Iterable[str]) -> str:
    """Say which names differ, whatever their order; empty if none do."""
    declared, found = tuple(declared), tuple(found)
    missing = [name for name in declared if name not in found]
    unexpected = [name for name in found if name not in declared]
    doubled = sorted({name for name in found if found.count(name) > 1})
    parts = [("missing", missing), ("unexpected", unexpected), ("more than once", doubled)]
    return "; ".join(f"{what}: {_listed(names)}" for what, names in parts if names)


def picker(found: Sequence[str], declared: Sequence[str], wanted: Sequence[str]) -> Pick:
    """Give the function that picks `wanted`, in that order, out of a row whose values stand as `found`.

    Raises ExportFailedError when `found` and `declared` are not the same names.
    """
    problem = difference(declared, found)
    if problem:
        raise ExportFailedError(
            FailureCode.INTERNAL_ERROR, f"the result's columns are not the declared ones: {problem}"
        )
    positions = [found.index(name) for name in wanted]
    if positions == list(range(len(found))):
        return _whole
    if len(positions) == 1:
        only = positions[0]
        return lambda row: (row[only],)
    return itemgetter(*positions)


class RowPicker:
    """Picks out of rows of any kind: by name where a row has names (mappings, named tuples), else by position."""

    def __init__(self, declared: Sequence[str], wanted: Sequence[str]) -> None:
        """Pick `wanted` out of rows that have exactly `declared`."""
        self._declared = tuple(declared)
        self._names = frozenset(declared)
        self._wanted = tuple(wanted)
        self._by_position = picker(self._declared, self._declared, self._wanted)
        self._by_fields: dict[tuple[str, ...], Pick] = {}

    def __call__(self, row: object, number: int) -> Sequence[Any]:
        """Pick out of row `number` (from 1). Raises ExportFailedError when it isn't what was declared."""
        if isinstance(row, Mapping):
            if row.keys() != self._names:
                raise _wrong(number, difference(self._declared, map(str, row)))
            return [row[name] for name in self._wanted]
        if isinstance(row, str | bytes) or not isinstance(row, Sequence):
            raise _wrong(number, f"a {type(row).__name__} is neither a mapping nor a sequence")
        fields = getattr(row, "_fields", None)
        if fields is not None:
            pick = self._by_fields.get(fields)
            if pick is None:
                pick = self._by_fields[fields] = picker(fields, self._declared, self._wanted)
            return pick(row)
        if len(row) != len(self._declared):
            raise _wrong(number, f"{len(row)} values for {len(self._declared)} columns")
        return self._by_position(row)


def _whole(row: Sequence[Any]) -> Sequence[Any]:
    return row


def _wrong(number: int, problem: str) -> ExportFailedError:
    return ExportFailedError(FailureCode.INTERNAL_ERROR, f"row {number} is not what was declared: {problem}")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name[:_NAME_CHARACTERS]) for name in names[:_NAMED_COLUMNS])
    return shown if len(names) <= _NAMED_COLUMNS else f"{shown} and {len(names) - _NAMED_COLUMNS} more"
