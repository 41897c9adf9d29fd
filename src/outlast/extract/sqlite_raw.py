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


def described(raw: Raw, sql: str, bindings: Sequence[Any]) -> list[tuple[str | None, ...]]:
    """Tell of each column of a result, without reading it: name, declared type, and database, table, column if any."""
    found: list[tuple[str | None, ...]] = []
    cursor = raw.cursor()

    def note(running: Any, *_: object) -> bool:  # noqa: ANN401 - the driver's cursor
        found.extend(running.description_full)
        return False

    cursor.exec_trace = note
    try:
        cursor.execute(sql, bindings)
    except Exception as error:
        if type(error).__name__ != "ExecTraceAbort":
            raise
    finally:
        cursor.close()
    return found


def primary_code(error: Exception) -> int:
    """Give SQLite's primary result code, -1 if the error has none."""
    code = getattr(error, "result", None)
    return code & 0xFF if isinstance(code, int) else -1
