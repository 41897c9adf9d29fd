"""SQL that writes a whole row's text in SQLite, and the form in which rows come that it can't write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from outlast.extract.sqlite_cells import Cell, Stored, cell, quoted_sql
from outlast.formats import Column, CsvText, RowText
from outlast.formats.jsonl import quote_json

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
    null = "" if isinstance(text, CsvText) else "null"
    parts: list[str] = []
    for column, before, name, known in zip(columns, _before(text, columns), names, stored, strict=True):
        written = cell(text, column, name, known)
        if written is None:
            return None
        parts += [quoted_sql(before), *_parts(written, name, null, known)]
    end = text.line_end if isinstance(text, CsvText) else "}" + text.line_end
    return _joined(list(_merged([*parts, quoted_sql(end)])))


def _before(text: RowText, columns: Sequence[Column]) -> Iterable[str]:
    """What stands before each cell."""
    for number, column in enumerate(columns):
        if isinstance(text, CsvText):
            yield text.delimiter if number else ""
        else:
            yield ("," if number else "{") + quote_json(column.name) + ":"


def _parts(written: Cell, name: str, null: str, known: Stored) -> list[str]:
    quotes = [quoted_sql('"')] if written.quoted else []
    body = f"CASE WHEN {written.condition} THEN {written.body} END" if written.condition else written.body
    if known.not_null:
        return [*quotes, f"({body})", *quotes]
    whole = "||".join([*quotes, f"({written.body})", *quotes])
    if written.condition:
        return [f"CASE WHEN {written.condition} THEN {whole} WHEN {name} IS NULL THEN {quoted_sql(null)} END"]
    if written.partial:
        return [f"CASE WHEN {name} IS NULL THEN {quoted_sql(null)} ELSE {whole} END"]
    return [f"ifnull({whole},{quoted_sql(null)})"]


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


def _joined(parts: Sequence[str]) -> str:
    """Concatenate as a balanced tree: the same bytes are copied less often, and hundreds of columns nest little."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return f"({_joined(parts[:half])}||{_joined(parts[half:])})"


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
