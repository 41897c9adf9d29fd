"""A case's file, made as a worker's child makes it, or with values alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

import psycopg
import sqlalchemy as sa
from pydantic import BaseModel

from outlast.declare import Definition
from outlast.errors import ExportFailedError
from outlast.extract import Statement, sqlite_driver
from outlast.extract.apsw_driver import APSW
from outlast.formats import Kind
from outlast.model import ExportSpec
from outlast.worker.rendering import Rendered, render
from tests.corpus.cases import POSTGRESQL, SHEET_ROWS, SQLITE, Case, Plan
from tests.corpus.tables import DECLARED, SQLITE_TABLES

HERE = Path(__file__).parent

Select: TypeAlias = Callable[[str], Statement]
"""Gives the statement that reads a table."""


@dataclass(frozen=True, slots=True)
class Database:
    """A database that holds the corpus, how its tables are read, and what becomes of them."""

    name: str
    url: str
    select: Select
    plans: Mapping[str, Plan]
    declared: Mapping[str, Kind] = field(default_factory=dict)


class NoParameters(BaseModel):
    """What the exports take."""


@dataclass(frozen=True, slots=True)
class Made:
    """A file, or where it failed; and how it came to be."""

    data: bytes
    warnings: tuple[dict[str, Any], ...] = ()
    failure: str | None = None
    path: str | None = None


def sqlite_database(file: Path) -> Database:
    """Make the database in a file of that name."""
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript((HERE / "sqlite.sql").read_text())
    return Database("sqlite", f"sqlite:///{file}", walked, SQLITE, DECLARED)


def postgresql_database(url: str) -> Database:
    """Make the tables in an empty database."""
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute((HERE / "postgresql.sql").read_bytes())
    return Database("postgresql", url, lambda table: sa.text(f"SELECT * FROM {table} ORDER BY 1"), POSTGRESQL)  # noqa: S608 - ours


def walked(table: str) -> Statement:
    """Read a table of SQLite as it lies, which may be a walk along its rowids."""
    return sa.select(SQLITE_TABLES[table])


def ordered(table: str) -> Statement:
    """Read it row by row."""
    return sa.select(SQLITE_TABLES[table]).order_by(sa.text("rowid + 0"))


def made(case: Case, database: Database, *, by_database: bool) -> Made:
    """Make the file."""
    statement = database.select(case.table)
    columns = _columns(statement, database.url)
    definition = Definition(
        name=case.table, description="", columns=columns, parameters=NoParameters, owner_argument=None, owner_kind=None,
        build=lambda: statement, formats=(case.format,), filename=case.table, source=database.url,
        types={name: kind for name, kind in database.declared.items() if name in columns}, file_options=case.options,
    )  # fmt: skip
    spec = ExportSpec(
        export=case.table, owner="o", tenant="t", parameters_json="{}", format=case.format, columns=columns,
        row_limit=1000, byte_limit=2**24,
    )  # fmt: skip
    with _sheets(case):
        try:
            with render(definition, spec, by_database=by_database) as rendering:
                data = b"".join(piece.data for piece in rendering)
        except ExportFailedError as error:
            return Made(b"", failure=f"{error.code}: {error.detail}")
    return _whole(data, rendering.rendered)


@contextmanager
def reading_by_apsw() -> Iterator[None]:
    """Let this process read SQLite as a worker's child does."""
    before = sqlite_driver.current()
    sqlite_driver.use(APSW)
    try:
        yield
    finally:
        sqlite_driver.use(before)


def _whole(data: bytes, rendered: Rendered) -> Made:
    assert rendered.bytes == len(data)
    return Made(data, rendered.warnings, path=rendered.details["extraction"])


def _columns(statement: Statement, url: str) -> tuple[str, ...]:
    if isinstance(statement, sa.TextClause):
        return _described(url, statement.text)
    return tuple(statement.selected_columns.keys())


@cache
def _described(url: str, statement: str) -> tuple[str, ...]:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        return tuple(column.name for column in connection.execute(statement.encode()).description or ())


@contextmanager
def _sheets(case: Case) -> Iterator[None]:
    """Let sheets be short where the case wants several."""
    if case.policy != "sheets":
        yield
        return
    with patch("outlast.formats.xlsx.encoder.SHEET_ROWS", SHEET_ROWS):
        yield
