"""Whether a CSV file says what the database says: every value of every row, NULL and the empty string told apart."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from io import StringIO
from pathlib import Path
from typing import Any

from outlast.demo.facts import reading

_SHOWN_DIFFERENCES = 5
_FIELD = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\n]*))([,\n])')

_FROM_CSV: dict[str, Callable[[str], Any]] = {
    "id": int,
    "title": str,
    "description": str,
    "status": str,
    "priority": int,
    "due_date": date.fromisoformat,
    "created_at": datetime.fromisoformat,
    "updated_at": datetime.fromisoformat,
    "completed": {"true": 1, "false": 0}.__getitem__,
    "estimate": float,
}
# Times and dates are text in SQLite; everything else comes from it as it is.
_FROM_DATABASE = {name: read for name, read in _FROM_CSV.items() if name.endswith(("_at", "_date"))}

Row = tuple[Any, ...]


def differences(file_path: Path, database_path: Path, owner_id: int) -> list[str]:
    """Compare the file with that owner's tasks, in whatever order. Says where they differ; empty: nowhere.

    Names tasks and columns, never a value.
    """
    try:
        exported = list(_exported(file_path.read_bytes().decode()))
    except (ValueError, KeyError, csv.Error) as error:
        return [f"the file can't be read as CSV of tasks: {type(error).__name__}"]
    found, stored = {row[0]: row for row in exported}, {row[0]: row for row in _stored(database_path, owner_id)}
    problems = [f"task {number} stands there {count} times" for number, count in _repeated(exported)]
    problems += [f"task {number} is missing" for number in sorted(stored.keys() - found.keys())]
    problems += [f"task {number} is not the owner's" for number in sorted(found.keys() - stored.keys())]
    problems += [
        f"task {number} differs in {column}"
        for number in sorted(stored.keys() & found.keys())
        for column, one, other in zip(_FROM_CSV, found[number], stored[number], strict=True)
        if one != other
    ]
    return problems[:_SHOWN_DIFFERENCES]


def _exported(text: str) -> Iterator[Row]:
    """Read by Python's csv, which takes NULL for an empty string before 3.12; a second reading tells them apart."""
    rows = csv.reader(StringIO(text, newline=""), strict=True)
    for number, (row, record) in enumerate(zip(rows, _records(text), strict=True)):
        if row != [value or "" for value in record]:
            raise ValueError(number)
        if number == 0:
            if row != list(_FROM_CSV):
                raise ValueError(number)
            continue
        yield _typed(_FROM_CSV, record)


def _records(text: str) -> Iterator[list[str | None]]:
    """Split as RFC 4180 says, with None for the unquoted empty field."""
    record: list[str | None] = []
    for match in _FIELD.finditer(text):
        quoted, bare, end = match.groups()
        record.append((bare or None) if quoted is None else quoted.replace('""', '"'))
        if end == "\n":
            yield record
            record = []


def _stored(path: Path, owner_id: int) -> Iterator[Row]:
    select = f"SELECT {', '.join(_FROM_CSV)} FROM tasks WHERE owner_id = ?"  # noqa: S608 - our own columns
    with reading(path) as connection:
        for row in connection.execute(select, (owner_id,)):
            yield _typed(_FROM_DATABASE, row)


def _typed(reads: dict[str, Callable[[str], Any]], values: Sequence[Any]) -> Row:
    return tuple(
        value if value is None or name not in reads else reads[name](value)
        for name, value in zip(_FROM_CSV, values, strict=True)
    )


def _repeated(rows: list[Row]) -> list[tuple[int, int]]:
    counts = Counter(row[0] for row in rows)
    return [(number, count) for number, count in counts.items() if count > 1]
