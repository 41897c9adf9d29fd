"""The fast path on SQLite: whether there is one for a statement and a format, and its pieces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Select

from outlast.extract.pieces import Pieces
from outlast.extract.sqlite_cells import Stored
from outlast.extract.sqlite_columns import facts, origins
from outlast.extract.sqlite_pages import walked
from outlast.extract.sqlite_raw import Raw, all_rows, primary_code
from outlast.extract.sqlite_rows import Convert, streamed
from outlast.extract.sqlite_text import line
from outlast.extract.sqlite_walk import Compile, Walk, keeps_its_plan, plain_columns, reading, rows_of, walk, walkable
from outlast.formats import Column, RowText

_APART = re.compile(r"random|\bselect\b", re.IGNORECASE)
"""What must not be computed wherever its column is used: it gives another value each time, or costs much."""

_ERROR = 1
"""SQLITE_ERROR of https://sqlite.org/rescode.html, which SQL that is wrong gives."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be written: a statement of `width` columns, of which the caller wants those at `chosen`.

    `columns` describes the wanted ones, and `compile` gives a statement's SQL and parameters as the driver takes them.
    """

    statement: object
    compile: Compile
    text: RowText
    columns: Sequence[Column]
    chosen: Sequence[int]
    width: int


def text_pieces(raw: Raw, asked: Asked, convert: Convert, twin: Raw | None = None) -> Pieces | None:
    """Give the rows as text that SQLite makes, inside of the connection's transaction; None if it can't.

    `twin` is another connection in the same snapshot, which may read at the same time.

    Raises the driver's own errors, then or later; but a statement that doesn't stand inside of another one, or that is
    wrong in itself, is left to whoever runs it as it is.
    """
    try:
        return _planned(raw, asked, convert, twin)
    except Exception as error:
        if primary_code(error) == _ERROR:
            return None
        raise


def _planned(raw: Raw, asked: Asked, convert: Convert, twin: Raw | None) -> Pieces | None:
    if all_rows(raw, "PRAGMA encoding") != [("UTF-8",)]:  # a blob made of text has the file's encoding
        return None
    sql, parameters = asked.compile(asked.statement)
    found = origins(raw, sql, parameters)
    proven = [Stored() if found is None else found[at] for at in asked.chosen]
    if found is not None:
        walking = _walk(raw, asked, proven)
        if walking is not None:
            return walked(raw, walking, convert, twin)
    names = [f"c{at}" for at in asked.chosen]
    # An outer join gives NULL where its table has none.
    written = line(asked.text, asked.columns, names, [replace(stored, not_null=False) for stored in proven])
    if written is None:
        return None
    apart = found is None and _APART.search(sql, sql.lower().find("select") + 1) is not None
    rows = _separate(sql, asked.width) if apart else _merged(sql, asked.width)
    planned = reading(written, names, rows, parameters)
    all_rows(raw, f"EXPLAIN {planned.rows}", parameters)
    return streamed(raw, planned, convert)


def _walk(raw: Raw, asked: Asked, proven: Sequence[Stored]) -> Walk | None:
    """Give the plan of a walk, if the statement reads one table in a way that may be a walk."""
    columns = plain_columns(asked.statement)
    if columns is None or not isinstance(asked.statement, Select) or columns[0].table.schema not in {None, "main"}:
        return None
    table = facts(raw, columns[0].table.name)
    if table is None or not walkable(asked.statement, columns, table, asked.compile):
        return None
    picked = [columns[at] for at in asked.chosen]
    names = [f"c{at}" for at in range(len(picked))]
    written = line(asked.text, asked.columns, names, proven)
    if written is None:
        return None
    plan = walk(written, names, *asked.compile(rows_of(asked.statement, picked, table.rowid)))
    return plan if keeps_its_plan(raw, plan, *asked.compile(asked.statement)) else None


def _merged(sql: str, width: int) -> str:
    """Let SQLite merge the statement into ours: its columns are read where they are used."""
    return f"FROM (WITH s({','.join(f'c{at}' for at in range(width))}) AS ({sql}\n) SELECT * FROM s)"  # noqa: S608 - names are ours, the statement is the export's


def _separate(sql: str, width: int) -> str:
    """Keep the statement apart: its expressions would be computed wherever a column is used, random() too.

    It costs a copy of each value wherever it is used, so that this is for those alone which need it.

    SQLite doesn't merge what has a LIMIT into what has a condition (https://sqlite.org/optoverview.html#flattening).
    """
    return f"{_merged(sql, width)[:-1]} LIMIT -1) WHERE random() IS NOT NULL"
