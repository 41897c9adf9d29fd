"""What the fast path asks of the driver: apsw's connection and cursor, seen from outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol


class Cursor(Protocol):
    """One statement being read."""

    def execute(self, statements: str, bindings: Sequence[Any] = ..., /) -> Cursor:
        """Start to read."""
        ...

    def __iter__(self) -> Iterator[Any]:
        """Give the rows, each a tuple."""
        ...

    def __next__(self) -> Any:  # noqa: ANN401 - values of any storage class
        """Give the next row."""
        ...

    def fetchone(self) -> Any:  # noqa: ANN401 - values of any storage class
        """Give the next row, None if there is none."""
        ...

    def close(self, force: bool = ..., /) -> None:  # noqa: FBT001 - as the driver has it
        """Read no more."""
        ...


class Raw(Protocol):
    """A connection."""

    def cursor(self) -> Any:  # noqa: ANN401 - a Cursor; the driver's own annotations are narrower in other places
        """Make a cursor."""
        ...

    def limit(self, id: int, newval: int = ..., /) -> int:
        """Set one of SQLite's limits, and give what it was."""
        ...


def all_rows(raw: Raw, sql: str, bindings: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """Read a small result."""
    cursor = raw.cursor()
    try:
        return list(cursor.execute(sql, bindings))
    finally:
        cursor.close()
