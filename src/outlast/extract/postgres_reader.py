"""Rows of a statement on PostgreSQL: as text by COPY, where the format and its policies allow it, else as values."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any, cast

from psycopg import Connection as Driver
from sqlalchemy import Connection, TextClause

from outlast.extract.columns import picker
from outlast.extract.driver_sql import driver_sql
from outlast.extract.pieces import Batch, Path, Pieces
from outlast.extract.postgres_copy import pieces as copied_pieces
from outlast.extract.postgres_session import (
    UNKNOWN_ENCODING,
    literal_sql,
    planned_rows,
    prepare_session,
    server_encoding,
    take_any_bytes,
)
from outlast.extract.postgres_text import command, copying, nested
from outlast.extract.postgres_types import Stored, describe, own_processes, stored_columns
from outlast.extract.postgres_values import batches, field
from outlast.extract.reading import Reading, Wanted
from outlast.extract.statement import select_names
from outlast.formats import Page, Shape


@contextmanager
def read_postgresql(connection: Connection, wanted: Wanted) -> Iterator[Reading]:
    """Read within the connection's transaction, past SQLAlchemy's rows.

    Raises ExportFailedError when the statement's columns aren't the declared ones, and psycopg's own errors.
    """
    driver = cast("Driver[Any]", connection.connection.driver_connection)
    prepare_session(driver)
    # Streaming, SQLAlchemy makes a cursor on the server for a statement that it isn't going to execute.
    sql = literal_sql(driver, *driver_sql(connection.execution_options(stream_results=False), wanted.statement))
    connection.execution_options(stream_results=True)
    encoding = server_encoding(driver)
    if encoding == UNKNOWN_ENCODING:
        take_any_bytes(driver)
    columns, names = _columns(connection, driver, wanted, sql)
    shape = Shape(tuple(column.column for column in columns), "postgresql")
    rows = planned_rows(driver, sql)
    copied = None
    if wanted.text is not None and encoding != UNKNOWN_ENCODING:
        copied = copying(wanted.text, columns, unicode=encoding == "UTF8")
    if copied is not None:
        pieces: Pieces = copied_pieces(driver, command(sql, names, copied), copied.marks, copied.take_apart)
    else:
        pieces = batches(driver, nested(sql, len(names), [field(column) for column in columns]), columns)
    with closing(cast("Generator[Batch | Page, None, None]", pieces)):
        yield Reading(
            shape, pieces, Path.VALUES if copied is None else Path.DATABASE,
            estimated_rows=rows, estimate_source=None if rows is None else "planner",
        )  # fmt: skip


def _columns(connection: Connection, driver: Driver[Any], wanted: Wanted, sql: bytes) -> tuple[list[Stored], list[str]]:
    """Give the wanted columns, and the names of all in the database's result."""
    found = describe(driver, sql)
    statement = wanted.statement
    names = tuple(column.name for column in found) if isinstance(statement, TextClause) else select_names(statement)
    picker(names, wanted.declared, wanted.columns)  # which tells what differs
    every = stored_columns(driver, found, names, wanted.types)
    for at, process in enumerate(own_processes(statement, connection.dialect)):
        if process is not None and names[at] not in wanted.types:
            every[at] = replace(every[at], process=process)
    return [every[names.index(name)] for name in wanted.columns], [column.name for column in found]
