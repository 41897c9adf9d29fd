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
from outlast.extract.postgres_text import Copied, copying, nested
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
    sql = literal_sql(driver, *driver_sql(connection, wanted.statement))
    encoding = server_encoding(driver)
    if encoding == UNKNOWN_ENCODING:
        take_any_bytes(driver)
    columns, width = _columns(connection, driver, wanted, sql)
    shape = Shape(tuple(column.column for column in columns), "postgresql")
    rows = planned_rows(driver, sql)
    copied = None
    if wanted.text is not None and encoding != UNKNOWN_ENCODING:
        copied = copying(wanted.text, columns, unicode=encoding == "UTF8")
    if copied is not None:
        pieces = _copied(driver, nested(sql, width, copied.expressions), copied)
    else:
        pieces = batches(driver, nested(sql, width, [field(column) for column in columns]), columns)
    with closing(cast("Generator[Batch | Page, None, None]", pieces)):
        yield Reading(
            shape, pieces, Path.VALUES if copied is None else Path.DATABASE,
            estimated_rows=rows, estimate_source=None if rows is None else "planner",
        )  # fmt: skip


def _copied(driver: Driver[Any], selecting: bytes, copied: Copied) -> Pieces:
    command = b"COPY (" + selecting + b") TO STDOUT " + copied.options.encode()
    return copied_pieces(driver, command, copied.marks, copied.take_apart)


def _columns(connection: Connection, driver: Driver[Any], wanted: Wanted, sql: bytes) -> tuple[list[Stored], int]:
    """Give the wanted columns, and how many the statement has."""
    found = describe(driver, sql)
    statement = wanted.statement
    names = tuple(column.name for column in found) if isinstance(statement, TextClause) else select_names(statement)
    picker(names, wanted.declared, wanted.columns)  # which tells what differs
    every = stored_columns(driver, found, names, wanted.types)
    for at, process in enumerate(own_processes(statement, connection.dialect)):
        if process is not None and names[at] not in wanted.types:
            every[at] = replace(every[at], process=process)
    return [every[names.index(name)] for name in wanted.columns], len(every)
