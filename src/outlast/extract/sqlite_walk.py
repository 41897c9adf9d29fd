"""A Select that may be read by walking its table's rowids, a page at a time: which one, and the SQL of its pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import Column, ColumnClause, Label, Select, Table, TextClause, literal_column, select
from sqlalchemy.sql.visitors import iterate

from outlast.extract.sqlite_columns import Facts
from outlast.extract.sqlite_raw import Raw, all_rows
from outlast.extract.sqlite_rows import Parameters, Reading
from outlast.extract.sqlite_text import packed

Compile: TypeAlias = Callable[[Any], tuple[str, Parameters]]
"""Gives a statement's SQL and parameters as the driver takes them."""

_INDEX = re.compile(r"USING (?:COVERING )?INDEX (\S+)")


@dataclass(frozen=True, slots=True)
class Walk:
    """How a table is walked.

    page     SQL that gives the text and the number of a stretch's rows; a row without a line is a NUL in the text
    next     SQL that takes `reading.parameters` and a rowid: the first row's from there on, or NULL
    reading  takes, as `page` does, the first and the last rowid behind its parameters
    """

    page: str
    next: str
    reading: Reading


def plain_columns(statement: object) -> list[Column[Any]] | None:
    """Give a Select's columns, if all of them are columns of one table; else None."""
    if not isinstance(statement, Select):
        return None
    columns: list[Column[Any]] = []
    for found in statement.selected_columns:
        column = found.element if isinstance(found, Label) else found
        if not isinstance(column, Column) or not isinstance(column.table, Table):
            return None
        columns.append(column)
    return columns if len({column.table for column in columns}) == 1 else None


def walkable(statement: object, columns: Sequence[Column[Any]], known: Facts, compile_: Compile) -> bool:
    """Whether a Select is columns, one table and a condition without subqueries, unsorted or sorted by the rowid.

    It is if the same, made of these alone, has the same SQL: no DISTINCT, join, LIMIT or whatever there is.
    """
    if not isinstance(statement, Select) or not known.rowid:
        return False
    condition = statement.whereclause
    if condition is not None and any(_hinders(part, known.alias) for part in iterate(condition)):
        return False
    table = columns[0].table
    rebuilt = select(*statement.selected_columns).select_from(table)
    if condition is not None:
        rebuilt = rebuilt.where(condition)
    candidates = [rebuilt]
    if known.alias in table.columns:
        key = table.columns[known.alias]
        candidates += [rebuilt.order_by(key), rebuilt.order_by(key.asc())]
    wanted = compile_(statement)
    return any(compile_(candidate) == wanted for candidate in candidates)


def _hinders(part: object, alias: str) -> bool:
    """Whether a condition with this in it is no condition for a walk.

    Of two bounds of the rowid SQLite seeks one, and would look at all rows up to the statement's own for each stretch.
    """
    if isinstance(part, Column):
        return part.name == alias
    return isinstance(part, Select | TextClause | ColumnClause)  # of SQL in text nobody knows


def rows_of(statement: Select[Any], columns: Sequence[Column[Any]], rowid: str) -> Select[Any]:
    """Select r, the rowid, and c0, c1 and so on, under the statement's condition."""
    chosen = [column.label(f"c{at}") for at, column in enumerate(columns)]
    inner = select(literal_column(rowid).label("r"), *chosen).select_from(columns[0].table)
    return inner if statement.whereclause is None else inner.where(statement.whereclause)


def walk(line: str, names: Sequence[str], sql: str, parameters: Parameters) -> Walk:
    """Walk the rows of `rows_of`, whose columns are known by `names`."""
    stretch = f"FROM ({sql}\n) WHERE r>=? AND r<=?"
    return Walk(
        f"SELECT CAST(group_concat(ifnull({line},char(0)),'') AS BLOB),count(*) {stretch}",
        f"SELECT min(r) FROM ({sql}\n) WHERE r>=?",  # noqa: S608 - names and SQL are ours
        reading(line, names, f"{stretch} ORDER BY r", parameters),
    )


def reading(line: str, names: Sequence[str], rows: str, parameters: Parameters) -> Reading:
    """Read the lines of `rows`, which begins with FROM."""
    cell, values = f"CAST({line} AS BLOB)", packed(names)
    return Reading(f"SELECT coalesce({cell},{values}) {rows}", f"SELECT {cell},{values} {rows}", parameters)


def keeps_its_plan(raw: Raw, planned: Walk, sql: str, parameters: Parameters) -> bool:
    """Whether a stretch is read in the order of rowids without sorting, and by the index that the statement uses."""
    bound = (*planned.reading.parameters, 0, 0)
    before, page = _plan(raw, sql, parameters), _plan(raw, planned.page, bound)
    if "MULTI-INDEX" in before or page != _plan(raw, planned.reading.rows, bound):
        return False
    return "TEMP B-TREE" not in page and _indexes(before) == _indexes(page)


def _plan(raw: Raw, sql: str, parameters: Parameters) -> str:
    return "\n".join(row[3] for row in all_rows(raw, f"EXPLAIN QUERY PLAN {sql}", parameters))


def _indexes(plan: str) -> list[str]:
    return _INDEX.findall(plan)
