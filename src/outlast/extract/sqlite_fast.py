"""The fast path on SQLite: whether there is one for a statement and a format, and its pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

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


def text_pieces(raw: Raw, asked: Asked, convert: Convert) -> Pieces | None:
    """Give the rows as text that SQLite makes, inside of the connection's transaction; None if it can't."""
    if all_rows(raw, "PRAGMA encoding") != [("UTF-8",)]:  # a blob made of text has the file's encoding
        return None
    tables = _tables(raw, asked)
    walking = _walk(raw, asked, tables)
    if walking is not None:
        return walked(raw, walking, convert)
    names = [f"c{at}" for at in asked.chosen]
    # An outer join gives NULL where its table has none.
    proven = [replace(stored, not_null=False) for stored in _proven(asked, tables)]
    written = line(asked.text, asked.columns, names, proven)
    if written is None:
        return None
    sql, parameters = asked.compile(asked.statement)
    rows = _merged(sql, asked.width) if tables else _separate(sql, asked.width)
    return streamed(raw, reading(written, names, rows, parameters), convert)


def _tables(raw: Raw, asked: Asked) -> dict[str, Facts]:
    """Give the facts of the tables whose plain columns are selected; empty if anything else is selected."""
    known: dict[str, Facts] = {}
    for column in plain_columns(asked.statement) or ():
        name = column.table.name
        found = known.get(name) or (facts(raw, name) if column.table.schema in {None, "main"} else None)
        if found is None:
            return {}
        known[name] = found
    return known


def _proven(asked: Asked, tables: Mapping[str, Facts]) -> list[Stored]:
    columns = plain_columns(asked.statement)
    if columns is None or not tables:
        return [Stored()] * len(asked.chosen)
    picked = [columns[at] for at in asked.chosen]
    return [tables[column.table.name].columns.get(column.name, Stored()) for column in picked]


def _walk(raw: Raw, asked: Asked, tables: Mapping[str, Facts]) -> Walk | None:
    """Give the plan of a walk, if the statement reads one table in a way that may be a walk."""
    columns = plain_columns(asked.statement)
    if columns is None or len(tables) != 1 or not isinstance(asked.statement, Select):
        return None
    (table,) = tables.values()
    if not walkable(asked.statement, columns, table, asked.compile):
        return None
    picked = [columns[at] for at in asked.chosen]
    names = [f"c{at}" for at in range(len(picked))]
    written = line(asked.text, asked.columns, names, _proven(asked, tables))
    if written is None:
        return None
    plan = walk(written, names, *asked.compile(rows_of(asked.statement, picked, table.rowid)))
    return plan if keeps_its_plan(raw, plan, *asked.compile(asked.statement)) else None


def _merged(sql: str, width: int) -> str:
    """Let SQLite merge the statement into ours: its columns are read where they are used."""
    return f"FROM (WITH s({','.join(f'c{at}' for at in range(width))}) AS ({sql}\n) SELECT * FROM s)"  # noqa: S608 - names are ours, the statement is the export's


def _separate(sql: str, width: int) -> str:
    """Keep the statement apart: its expressions would be computed wherever a column is used, random() too.

    SQLite doesn't merge what has a LIMIT into what has a condition (https://sqlite.org/optoverview.html#flattening).
    """
    return f"{_merged(sql, width)[:-1]} LIMIT -1) WHERE random() IS NOT NULL"
