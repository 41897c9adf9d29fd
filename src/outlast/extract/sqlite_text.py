"""SQL that writes a whole row's text in SQLite, and the form in which rows come that it can't write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from outlast.extract.sqlite_cells import Cell, Stored, cell, quoted_sql
from outlast.formats import Column, CsvText, RowText
from outlast.formats.jsonl import quote_json

_ARGUMENTS = 100
"""SQLITE_MAX_FUNCTION_ARG is 127 in older builds (https://sqlite.org/limits.html)."""

Value: TypeAlias = int | float | str | bytes | None
"""A value as SQLite stores it."""


def line(text: RowText, columns: Sequence[Column], names: Sequence[str], stored: Sequence[Stored]) -> str | None:
    """Write a row whose columns SQL knows as `names`: an expression that is NULL for rows that only Python can write.

    None: only Python can write such columns at all, or so.
    """
    if isinstance(text, CsvText) and (text.quoting != "all" or text.options.csv_dialect == "excel"):
        return None
    if isinstance(text, CsvText) and text.kinds and not text.kinds.issuperset(column.kind for column in columns):
        return None
    parts: list[str] = []
    conditions: list[str] = []
    for column, before, name, known in zip(columns, _before(text, columns), names, stored, strict=True):
        written = cell(text, column, name, known)
        if written is None:
            return None
        parts += [quoted_sql(before), *_parts(text, written, name, known)]
        if written.condition:
            conditions.append(
                f"({written.condition})" if known.not_null else f"({written.condition} OR {name} IS NULL)"
            )
    end = text.line_end if isinstance(text, CsvText) else "}" + text.line_end
    row = _concatenated(list(_merged([*parts, quoted_sql(end)])))
    return f"CASE WHEN {_all(conditions)} THEN {row} END" if conditions else row


def _before(text: RowText, columns: Sequence[Column]) -> Iterable[str]:
    """What stands before each cell."""
    for number, column in enumerate(columns):
        if isinstance(text, CsvText):
            yield text.delimiter if number else ""
        else:
            yield ("," if number else "{") + quote_json(column.name) + ":"


def _parts(text: RowText, written: Cell, name: str, known: Stored) -> list[str]:
    """Write a cell in pieces, of which SQL NULL is nothing."""
    if known.not_null:
        return [quoted_sql(written.opening), f"({written.body})", quoted_sql(written.closing)]
    null = "NULL" if isinstance(text, CsvText) else "'null'"
    if not written.opening:
        return [f"({written.body})" if isinstance(text, CsvText) else f"ifnull({written.body},{null})"]
    opening, closing = quoted_sql(written.opening), quoted_sql(written.closing)
    return [f"iif({name} IS NULL,{null},{opening})", f"({written.body})", f"iif({name} IS NULL,NULL,{closing})"]


def _merged(parts: Iterable[str]) -> Iterable[str]:
    """Join neighbouring literals."""
    before = ""
    for part in parts:
        if not part.startswith("'"):
            if before:
                yield before
            before = ""
            yield part
        elif part != "''":
            before = before[:-1] + part[1:] if before else part
    if before:
        yield before


def _concatenated(parts: Sequence[str]) -> str:
    """Concatenate in one call, which copies every byte once; a function takes a limited number of arguments."""
    if len(parts) > _ARGUMENTS:
        parts = [_concatenated(parts[at : at + _ARGUMENTS]) for at in range(0, len(parts), _ARGUMENTS)]
    return f"concat({','.join(parts)})"


def _all(conditions: Sequence[str]) -> str:
    """Demand all of them, as a balanced tree: hundreds of columns nest little."""
    if len(conditions) == 1:
        return conditions[0]
    half = len(conditions) // 2
    return f"({_all(conditions[:half])} AND {_all(conditions[half:])})"


def packed(names: Sequence[str]) -> str:
    """Write a row's stored values so that they pass as text, whatever they are; `unpacked` reads it."""
    return "||','||".join(
        f"CASE typeof({name}) WHEN 'null' THEN 'n' WHEN 'integer' THEN 'i'||{name} WHEN 'text' THEN 't'||hex({name})"
        # A negative zero is written without its sign.
        f" WHEN 'blob' THEN 'b'||hex({name}) ELSE iif({name}=0 AND atan2({name},-1)<0,'r-0.0','r'||{name}) END"
        for name in names
    )


def unpacked(row: str) -> list[Value]:
    """Read what `packed` wrote; bytes that are not UTF-8 become lone surrogates, as Python's surrogateescape has it."""
    return [_unpacked(field[0], field[1:]) for field in row.split(",")]


def _unpacked(storage_class: str, text: str) -> Value:
    match storage_class:
        case "i":
            return int(text)
        case "r":
            return float(text)
        case "t":
            return bytes.fromhex(text).decode("utf-8", "surrogateescape")
        case "b":
            return bytes.fromhex(text)
        case _:
            return None
