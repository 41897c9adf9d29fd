"""Rows of a statement: one read-only transaction, one snapshot, streamed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import Any, Protocol, TypeAlias, cast

from sqlalchemy import CompoundSelect, Connection, CursorResult, Select, TextClause, TextualSelect, func, select
from sqlalchemy.exc import SQLAlchemyError
from typing_extensions import TypeIs

from outlast.extract.columns import Pick, picker
from outlast.extract.pieces import Pieces
from outlast.extract.source import SourceSpec, open_source

Selecting: TypeAlias = Select[*tuple[Any, ...]] | CompoundSelect[*tuple[Any, ...]] | TextualSelect
Statement: TypeAlias = Selecting | TextClause

BATCH_ROWS = 500
_BATCH_BYTES = 1024 * 1024
_COUNT_SECONDS = 0.05
_COUNT_STEPS = 1000


class _Interruptible(Protocol):
    def set_progress_handler(self, handler: Callable[[], bool] | None, steps: int, /) -> None: ...


def is_statement(rows: object) -> TypeIs[Statement]:
    """Whether the rows are still to be selected."""
    return isinstance(rows, Select | CompoundSelect | TextualSelect | TextClause)


@contextmanager
def snapshot(source: SourceSpec) -> Iterator[tuple[Connection, datetime | None]]:
    """Open `source` for reading; the time is that before which everything committed is seen, None if unpromised."""
    engine = open_source(source)
    try:
        with engine.connect() as connection, connection.begin() as transaction:
            try:
                yield connection, _fix_snapshot(connection)
            finally:
                transaction.rollback()
    finally:
        engine.dispose()


def result_names(statement: Statement, result: CursorResult[*tuple[Any, ...]]) -> tuple[str, ...]:
    """Give the columns' names in the order of the values: a select's own, else what the database calls them."""
    return tuple(result.keys()) if isinstance(statement, TextClause) else select_names(statement)


def select_names(statement: Selecting) -> tuple[str, ...]:
    """Give the names under which a select's columns are known in Python, which may not be the database's."""
    return tuple(key for key, _ in statement.selected_columns.items())


@contextmanager
def reading(
    connection: Connection, statement: Statement, declared: Sequence[str], wanted: Sequence[str]
) -> Iterator[Pieces]:
    """Run the statement, and give its rows, as batches, in the caller's columns.

    Raises ExportFailedError when the result hasn't the declared columns.
    """
    # A cursor left open would keep its connection, and with it the snapshot, beyond close().
    with closing(connection.execution_options(max_row_buffer=BATCH_ROWS).execute(statement)) as result:
        yield _batches(result, picker(result_names(statement, result), declared, wanted))


def _batches(result: CursorResult[*tuple[Any, ...]], pick: Pick) -> Pieces:
    size = 1
    while rows := result.fetchmany(size):
        yield [pick(row) for row in rows]
        size = next_size(rows[-1])


def next_size(row: Sequence[Any]) -> int:
    """Give the number of rows to fetch next, so that a batch stays near a megabyte if they are like this one."""
    return max(1, min(BATCH_ROWS, _BATCH_BYTES // (1 + sum(map(sys.getsizeof, row)))))


def estimate(connection: Connection, statement: Statement) -> int | None:
    """Count the rows in the same snapshot, if that takes no more than some hundredths of a second.

    On SQLite only: an interrupted count costs a transaction elsewhere.
    """
    if connection.dialect.name != "sqlite":
        return None
    driver = cast("_Interruptible", connection.connection.driver_connection)
    give_up = time.monotonic() + _COUNT_SECONDS
    driver.set_progress_handler(lambda: time.monotonic() > give_up, _COUNT_STEPS)
    try:
        return connection.scalar(_counting(statement))
    except SQLAlchemyError:
        return None
    finally:
        driver.set_progress_handler(None, 0)


def _counting(statement: Statement) -> Select[int]:
    selecting = statement.columns() if isinstance(statement, TextClause) else statement
    unordered = selecting.order_by(None) if isinstance(selecting, Select) else selecting
    return select(func.count()).select_from(unordered.subquery())


def _fix_snapshot(connection: Connection) -> datetime | None:
    """Take the snapshot now, not at the first row: the time must lie just before it."""
    if connection.dialect.name == "sqlite":
        now = datetime.now(UTC)
        fix = getattr(connection.connection.driver_connection, "fix_snapshot", None)
        if fix is not None:
            fix()
        else:
            connection.exec_driver_sql("SELECT 1 FROM sqlite_master LIMIT 1").all()
        return now
    if connection.dialect.name == "postgresql":
        return cast("datetime", connection.scalar(select(func.statement_timestamp()))).astimezone(UTC)
    return None
