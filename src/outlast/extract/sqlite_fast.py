"""The fast path on SQLite: whether there is one for a statement and a format, and its pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Select

from outlast.extract.pieces import Pieces
from outlast.extract.sqlite_cells import Stored
from outlast.extract.sqlite_columns import Facts, facts
from outlast.extract.sqlite_pages import walked
from outlast.extract.sqlite_raw import Raw, all_rows
from outlast.extract.sqlite_rows import Convert, streamed
from outlast.extract.sqlite_text import line
from outlast.extract.sqlite_walk import Compile, Walk, keeps_its_plan, plain_columns, reading, rows_of, walk, walkable
from outlast.formats import Column, RowText

_UNPROVEN = Stored()


def text_pieces(  # noqa: PLR0913 - what a statement's rows, a format and a caller's choice are
    raw: Raw,
    statement: object,
    compile_: Compile,
    text: RowText,
    columns: Sequence[Column],
    chosen: Sequence[int],
    width: int,
    convert: Convert,
) -> Pieces | None:
    """Give the rows as text that SQLite makes, inside of the connection's transaction; None if it can't.

    `columns` are the caller's, and `chosen` their places among the `width` columns of the statement.
    """
    if all_rows(raw, "PRAGMA encoding") != [("UTF-8",)]:  # a blob made of text has the file's encoding
        return None
    found = plain_columns(statement)
    known = {column.table.name: facts(raw, column.table.name) for column in found or ()}
    if found is None or not all(known.values()):
        rows = _separate(compile_(statement)[0], width)
        return _streamed(raw, text, columns, chosen, [_UNPROVEN] * len(columns), rows, compile_(statement)[1], convert)
    proven = [_proven(found[at], known) for at in chosen]
    if len(known) == 1 and isinstance(statement, Select):
        plan = _walk(raw, statement, [found[at] for at in chosen], known, compile_, text, columns, proven)
        if plan is not None:
            return walked(raw, plan, convert)
    sql, parameters = compile_(statement)
    # An outer join gives NULL where its table has none.
    proven = [replace(stored, not_null=False) for stored in proven]
    return _streamed(raw, text, columns, chosen, proven, _merged(sql, width), parameters, convert)


def _walk(raw, statement, picked, known, compile_, text, columns, proven) -> Walk | None:
    (table,) = known.values()
    if not walkable(statement, picked, table, compile_):
        return None
    names = [f"c{at}" for at in range(len(picked))]
    written = line(text, columns, names, proven)
    if written is None:
        return None
    plan = walk(written, names, *compile_(rows_of(statement, picked, table.rowid)))
    return plan if keeps_its_plan(raw, plan, *compile_(statement)) else None


def _streamed(raw, text, columns, chosen, proven, rows, parameters, convert) -> Pieces | None:
    names = [f"c{at}" for at in chosen]
    written = line(text, columns, names, proven)
    return None if written is None else streamed(raw, reading(written, names, rows, parameters), convert)


def _merged(sql: str, width: int) -> str:
    """Let SQLite merge the statement into ours: its columns are read where they are used."""
    return f"FROM (WITH s({','.join(f'c{at}' for at in range(width))}) AS ({sql}\n) SELECT * FROM s)"


def _separate(sql: str, width: int) -> str:
    """Keep the statement apart: its expressions would be computed wherever a column is used, random() too.

    SQLite doesn't merge what has a LIMIT into what has a condition (https://sqlite.org/optoverview.html#flattening).
    """
    return f"{_merged(sql, width)[:-1]} LIMIT -1) WHERE random() IS NOT NULL"


def _proven(column, known) -> Stored:
    table = known[column.table.name]
    return table.columns.get(column.name, _UNPROVEN) if table else _UNPROVEN
