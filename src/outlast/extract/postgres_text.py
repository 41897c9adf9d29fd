"""SQL that makes PostgreSQL write rows' text by COPY."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from outlast.extract.postgres_rows import GUARD_MARK, NOT_FINITE, TakeApart, csv_row, json_row
from outlast.extract.postgres_types import BPCHAR, FLOAT4, JSON, TEXTS, Stored
from outlast.formats import CsvText, JsonText, Kind, RowText
from outlast.formats.formulas import FORMULA_STARTS
from outlast.formats.jsonl import quote_json

_BARE = frozenset({Kind.INTEGER, Kind.FLOAT, Kind.DECIMAL, Kind.BOOLEAN})
"""What CSV doesn't quote."""

_LONGEST_PAIR = 2
_STARTS = ",".join(str(ord(start)) for start in FORMULA_STARTS + GUARD_MARK if start != "\0")
_MARK = f"E'\\x{ord(GUARD_MARK):02X}'"


@dataclass(frozen=True, slots=True)
class Copied:
    """What COPY selects, each by an expression over the statement's columns, its options, and which ones are quoted.

    Rows that hold one of `marks` are taken apart.
    """

    expressions: tuple[str, ...]
    options: str
    quoted: tuple[int, ...] = ()
    marks: tuple[bytes, ...] = ()
    take_apart: TakeApart | None = None


def copying(text: RowText, columns: Sequence[Stored], *, unicode: bool) -> Copied | None:
    """Say how rows become `text`; None if only Python can write it. `unicode`: whether the database is in UTF-8."""
    if any(column.process for column in columns):
        return None
    if text.options.time_zone is not None and any(column.column.kind is Kind.INSTANT for column in columns):
        return None  # the server's rules of time zones may be of another year than Python's
    if isinstance(text, JsonText):
        return _json(text, columns)
    return None if text.guard_formulas and not unicode else _csv(text, columns)


def command(sql: bytes, names: Sequence[str], copied: Copied) -> bytes:
    """Give the COPY command for a statement whose result's columns have those names."""
    if len(set(names)) == len(names) and _is_all(copied.expressions, len(names)):
        selected, columns = sql, ['"' + name.replace('"', '""') + '"' for name in names]
    else:
        columns = [f"f{at}" for at in range(len(copied.expressions))]
        named = [f"{expression} AS {column}" for expression, column in zip(copied.expressions, columns, strict=True)]
        selected = nested(sql, len(names), named)
    quoted = ",".join(columns[at] for at in copied.quoted)
    options = f"{copied.options}, FORCE_QUOTE ({quoted})" if quoted else copied.options
    return b"COPY (" + selected + f"\n) TO STDOUT ({options})".encode()


def nested(sql: bytes, width: int, expressions: Sequence[str]) -> bytes:
    """Select expressions over the columns of a statement, called c0, c1 and so on: itself, if they are just these."""
    if _is_all(expressions, width):
        return sql
    names = ",".join(f"c{at}" for at in range(width))
    return f"SELECT {','.join(expressions)} FROM (".encode() + sql + f"\n) AS q({names})".encode()  # noqa: S608 - ours


def _is_all(expressions: Sequence[str], width: int) -> bool:
    return list(expressions) == [f"c{at}" for at in range(width)]


def _csv(text: CsvText, columns: Sequence[Stored]) -> Copied | None:
    if text.quoting != "all" or text.line_end != "\n" or text.options.csv_dialect == "excel":
        return None
    if text.kinds is not None and not text.kinds.issuperset(column.column.kind for column in columns):
        return None
    fields = tuple(_field(text, column) for column in columns)
    quoted = tuple(at for at, column in enumerate(columns) if column.column.kind not in _BARE)
    options = "FORMAT csv, DELIMITER " + ("E'\\t'" if text.delimiter == "\t" else f"'{text.delimiter}'")
    if not text.guard_formulas:
        return Copied(fields, options, quoted)
    described = [column.column for column in columns]
    marks = [f'"{GUARD_MARK}'.encode(), b'"-infinity"']  # of times beyond Python's, it alone begins as formulas do
    if text.options.binary == "base64" and any(column.kind is Kind.BYTES for column in described):
        marks.append(b'"+')
    return Copied(fields, options, quoted, tuple(marks), csv_row(text, described))


def _field(text: CsvText, column: Stored) -> str:
    sql = column.sql
    match column.column.kind:
        case Kind.BOOLEAN:
            return f"CASE WHEN {sql} THEN 'true' WHEN NOT {sql} THEN 'false' END"
        case Kind.FLOAT | Kind.DECIMAL:
            number = _number(column)
            return number if text.decimal_mark == "." else f"replace({number}::text,'.','{text.decimal_mark}')"
        case Kind.BYTES:
            return _bytes(text, sql)
        case Kind.ARRAY:
            return f"to_json({sql})"
        case Kind.TEXT if text.guard_formulas:
            return _marked(sql if column.oid in TEXTS - {BPCHAR} else _output(sql))
        case _:
            return sql


def _marked(sql: str) -> str:
    """Mark text that begins as a formula does; most text is known not to by its first character alone."""
    return (
        f"CASE WHEN ascii({sql}) NOT IN (32,{_STARTS}) OR ascii(ltrim({sql},' ')) NOT IN ({_STARTS}) THEN {sql}"
        f" ELSE {_MARK}||{sql} END"
    )


def _json(text: JsonText, columns: Sequence[Stored]) -> Copied | None:
    if text.options.json_numbers != "exact" or not text.line_end.endswith("\n"):
        return None
    parts: list[str] = []
    for at, column in enumerate(columns):
        before = ("," if at else "{") + quote_json(column.column.name) + ":"
        parts += [_literal(before), f"coalesce({_member(text, column)},'null')"]
    parts.append(_literal("}" + text.line_end[:-1]))
    # JSON has neither of these characters but escaped, so nothing is ever quoted.
    options = "FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02'"
    names = [column.column.name for column in columns]
    return Copied((_joined(parts),), options, (), NOT_FINITE, json_row(names))


def _member(text: JsonText, column: Stored) -> str:
    sql = column.sql
    write = _MEMBERS.get(column.column.kind)
    if write is not None:
        return write(sql)
    match column.column.kind:
        case Kind.FLOAT | Kind.DECIMAL:
            return f"{_number(column)}::text"
        case Kind.BYTES:
            return _quoted(_bytes(text, sql))
        case Kind.JSON:
            return _on_one_line(f"{sql}::text") if column.oid == JSON else f"{sql}::text"
    if column.oid in TEXTS:
        return f"to_json({sql})::text"
    return f"to_json({_output(sql)})::text"


def _output(sql: str) -> str:
    """Write any type as its output function does, which a cast to text may pass by; format() gives '' for NULL."""
    return f"CASE WHEN {sql} IS DISTINCT FROM NULL THEN format('%s',{sql}) END"


def _moment(sql: str, type_: str) -> str:
    """Write a time as RFC 3339 has it, within the years that it knows, others as the database does."""
    within = f"{sql}>={type_} '0001-01-01' AND {sql}<{type_} '10000-01-01'"
    return f"CASE WHEN {within} THEN to_json({sql})::text ELSE {_quoted(f'{sql}::text')} END"


def _number(column: Stored) -> str:
    """Spell a float4 by its own few digits, in the manner of a float8."""
    return f"{column.sql}::text::float8" if column.oid == FLOAT4 else column.sql


def _bytes(text: RowText, sql: str) -> str:
    if text.options.binary == "hex":
        return f"encode({sql},'hex')"
    return f"translate(encode({sql},'base64'),E'\\n','')"


def _quoted(sql: str) -> str:
    return f"'\"'||{sql}||'\"'"


def _on_one_line(sql: str) -> str:
    return f"translate({sql},E'\\r\\n','  ')"


_MEMBERS: dict[Kind, Callable[[str], str]] = {
    Kind.INTEGER: lambda sql: f"{sql}::text",
    Kind.BOOLEAN: lambda sql: f"{sql}::text",
    Kind.DATE: lambda sql: _quoted(f"{sql}::text"),
    Kind.TIME: lambda sql: _quoted(f"{sql}::text"),
    Kind.DATETIME: lambda sql: _moment(sql, "timestamp"),
    Kind.INSTANT: lambda sql: _moment(sql, "timestamptz"),
    Kind.INTERVAL: lambda sql: _quoted(f"{sql}::text"),
    Kind.UUID: lambda sql: _quoted(f"{sql}::text"),
    Kind.ARRAY: lambda sql: _on_one_line(f"to_json({sql})::text"),
}


def _literal(text: str) -> str:
    """Quote for SQL, whatever standard_conforming_strings says."""
    doubled = text.replace("'", "''")
    return f"E'{doubled.replace(chr(92), chr(92) * 2)}'" if "\\" in doubled else f"'{doubled}'"


def _joined(parts: Sequence[str]) -> str:
    """Concatenate as a balanced tree: the same bytes are copied less often, and hundreds of columns nest little."""
    if len(parts) <= _LONGEST_PAIR:
        return "||".join(parts)
    half = len(parts) // 2
    return f"({_joined(parts[:half])})||({_joined(parts[half:])})"
