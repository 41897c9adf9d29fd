"""Rows of a statement on SQLite: as text that SQLite makes, where driver and format allow it, else as values."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Any

from sqlalchemy import Connection, TextClause

from outlast.errors import ExportFailedError
from outlast.extract.columns import Pick, picker
from outlast.extract.driver_sql import driver_sql
from outlast.extract.kinds import typed_columns
from outlast.extract.pieces import Batch, Path, Pieces
from outlast.extract.reading import Reading, Wanted
from outlast.extract.sqlite_fast import Asked, text_pieces
from outlast.extract.statement import next_size, select_names
from outlast.extract.values import Values
from outlast.formats import Page, Row, Shape
from outlast.formats.report import Report


@contextmanager
def read_sqlite(connection: Connection, wanted: Wanted) -> Iterator[Reading]:
    """Read within the connection's transaction, past SQLAlchemy's rows: stored values become what their kinds say.

    Raises ExportFailedError when the statement's columns aren't the declared ones, and the driver's own errors.
    """
    driver = connection.connection.driver_connection
    assert driver is not None  # noqa: S101 - the connection is in a transaction
    compile_ = partial(driver_sql, connection)
    sql, parameters = compile_(wanted.statement)
    with closing(driver.cursor()) as cursor:
        names = _names(driver, cursor, wanted, sql, parameters)
        pick = picker(names, wanted.declared, wanted.columns)
        chosen = [names.index(name) for name in wanted.columns]
        every = typed_columns(wanted.statement, names, connection.dialect, wanted.types)
        typed = [every[at] for at in chosen]
        shape = Shape(tuple(column.column for column in typed), "sqlite")
        report = Report()
        values = Values(typed, wanted.options.mismatch, report)
        raw = getattr(driver, "raw", None)
        if raw is not None and wanted.text is not None and not any(column.process for column in typed):
            asked = Asked(wanted.statement, compile_, wanted.text, shape.columns, chosen, len(names))
            with driver.translating():
                pieces = text_pieces(raw, asked, values.row, driver.twin)
            if pieces is not None:
                with closing(_translated(driver, pieces)) as translated:
                    yield Reading(shape, translated, Path.DATABASE, report)
                return
        cursor.execute(sql, parameters)
        yield Reading(shape, _batches(cursor, pick, values), report=report)


def _translated(driver: Any, pieces: Pieces) -> Generator[Batch | Page, None, None]:  # noqa: ANN401 - the driver's
    """Let the driver's errors be those that it raises otherwise."""
    with driver.translating():
        yield from pieces


def _names(driver: Any, cursor: Any, wanted: Wanted, sql: str, parameters: Any) -> Sequence[str]:  # noqa: ANN401 - the driver's
    """Give the columns' names in Python: a select's own, else what SQLite calls them."""
    if not isinstance(wanted.statement, TextClause):
        return select_names(wanted.statement)
    names = tuple(driver.names(sql, parameters)) if hasattr(driver, "names") else ()
    if names:
        return names
    cursor.execute(sql, parameters)  # what has no columns wants to write: SQLite refuses it
    return tuple(name for name, *_ in cursor.description or ())


def _batches(cursor: Any, pick: Pick, values: Values) -> Pieces:  # noqa: ANN401 - the driver's
    number, size = 1, 1
    while rows := cursor.fetchmany(size):
        size = next_size(rows[-1])
        yield from _converted(values, [pick(row) for row in rows], number)
        number += len(rows)


def _converted(values: Values, rows: Sequence[Row], first: int) -> Pieces:
    """Convert a batch. What comes before an error goes out before it: an earlier row's may be the encoder's to find."""
    try:
        batch = values.batch(rows, first)
    except ExportFailedError:
        done: Batch = []
        for number, row in enumerate(rows, first):
            try:
                done.append(values.row(row, number))
            except ExportFailedError:
                yield done
                raise
        batch = done
    yield batch
