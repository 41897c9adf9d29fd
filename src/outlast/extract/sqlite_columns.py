"""What a table of SQLite proves about its columns, read in the snapshot from which the rows come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from outlast.extract.sqlite_cells import Affinity, Stored
from outlast.extract.sqlite_raw import Raw, all_rows, described

_LISTED = "SELECT wr, strict FROM pragma_table_list(?) WHERE schema='main' AND type='table'"
_COLUMNS = 'SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?)'
_KEYS = "SELECT 1 FROM pragma_index_list(?) WHERE origin='pk'"
_ORDINARY = 0
"""In `hidden` of table_xinfo; generated columns are computed when they are read, and nobody checks them then."""
_STRICT: dict[str, Affinity] = {"INT": "integer", "INTEGER": "integer", "REAL": "real", "TEXT": "text", "BLOB": "blob"}


@dataclass(frozen=True, slots=True)
class Facts:
    """About an ordinary table: its columns, a name for the rowid (empty: there is none), and the column that is it."""

    columns: dict[str, Stored]
    rowid: str
    alias: str


def facts(raw: Raw, table: str) -> Facts | None:
    """Read a table's facts; None if it is a view, a virtual table, in another file, or not there."""
    listed = all_rows(raw, _LISTED, (table,))
    if not listed:
        return None
    without_rowid, strict = map(bool, listed[0])
    rows = all_rows(raw, _COLUMNS, (table,))
    taken = {name.lower() for name, *_ in rows}
    free = [name for name in ("rowid", "_rowid_", "oid") if name not in taken]
    alias = "" if without_rowid else _alias(raw, table, rows)
    columns = {
        name: Stored("integer", strict=True, not_null=True)
        if name == alias
        else _stored(declared, strict, bool(filled))
        for name, declared, filled, _, hidden in rows
        if hidden == _ORDINARY
    }
    return Facts(columns, free[0] if free and not without_rowid else "", alias)


def origins(raw: Raw, sql: str, parameters: Sequence[Any]) -> list[Stored] | None:
    """Tell what is proven about the columns of a result, if all of them are columns of ordinary tables, else None.

    SQLite finds them through views and subqueries, but of a compound or recursive one it knows only the first SELECT.
    """
    plan = " ".join(row[3] for row in all_rows(raw, f"EXPLAIN QUERY PLAN {sql}", parameters))
    if any(word in plan for word in ("COMPOUND", "MERGE", "RECURSIVE", "UNION")):
        return None
    tables: dict[str, Facts | None] = {}
    found: list[Stored] = []
    for _, _, database, table, column in described(raw, sql, parameters):
        if database != "main" or table is None or column is None:
            return None
        known = tables[table] if table in tables else tables.setdefault(table, facts(raw, table))
        if known is None:
            return None
        found.append(known.columns.get(column, Stored()))
    return found


def _alias(raw: Raw, table: str, rows: list[tuple[Any, ...]]) -> str:
    """Find INTEGER PRIMARY KEY; one that is DESC is none (https://sqlite.org/lang_createtable.html#rowid)."""
    keys = [(name, declared) for name, declared, _, position, _ in rows if position]
    if len(keys) != 1 or keys[0][1].upper() != "INTEGER" or all_rows(raw, _KEYS, (table,)):
        return ""
    return str(keys[0][0])


def _stored(declared: str, strict: bool, filled: bool) -> Stored:  # noqa: FBT001 - a row of table_xinfo
    if strict:
        affinity = _STRICT.get(declared.upper())
        return Stored(affinity, strict=True, not_null=filled) if affinity else Stored(not_null=filled)
    return Stored(_affinity(declared.upper()), not_null=filled)


def _affinity(declared: str) -> Affinity:
    """Apply the rules of https://sqlite.org/datatype3.html, section 3.1, in their order."""
    if "INT" in declared:
        return "integer"
    if any(word in declared for word in ("CHAR", "CLOB", "TEXT")):
        return "text"
    if not declared or "BLOB" in declared:
        return "blob"
    return "real" if any(word in declared for word in ("REAL", "FLOA", "DOUB")) else "numeric"
