"""SQL expressions that write a cell's text in SQLite, to the byte as the encoders write the same value.

An expression gives SQL NULL for what only Python can judge: another storage class than the column's kind wants, an
infinity, a date that isn't in the stored form or not in the calendar. A kind without an expression is left to Python.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from outlast.formats import Column, CsvText, JsonText, Kind, RowText
from outlast.formats.formulas import FORMULA_STARTS

Affinity: TypeAlias = Literal["integer", "numeric", "real", "text", "blob", "unknown"]

_LARGEST = "1.7976931348623157e308"
_EXACT_IN_JSON = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Stored:
    """What the table proves about a column: its affinity (https://sqlite.org/datatype3.html), section 3.1.

    `strict` means that a value that is not NULL has the storage class of that name.
    """

    affinity: Affinity = "unknown"
    strict: bool = False
    not_null: bool = False

    def only(self, storage_class: str) -> bool:
        """Whether nothing but that storage class, or NULL, can be stored."""
        return self.strict and self.affinity == storage_class


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's text is `body` between `opening` and `closing`, wherever `condition` holds; no condition: always.

    Where the value is NULL, the body is NULL or empty, and the condition says nothing.
    """

    body: str
    opening: str = ""
    closing: str = ""
    condition: str = ""


def cell(text: RowText, column: Column, name: str, stored: Stored) -> Cell | None:
    """Write the column that SQL knows as `name`; None where only Python can."""
    write = _CELLS.get(column.kind)
    return write(text, name, stored) if write else None


def quoted_sql(text: str) -> str:
    """Write a piece of text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def _is(name: str, storage_class: str, stored: Stored) -> str:
    """Test the storage class as cheaply as the affinity allows: comparing costs less than typeof()."""
    if stored.only(storage_class):
        return ""
    if storage_class == "text" and stored.affinity == "text":
        return f"{name}<x''"  # all but blobs sort before the empty blob, and numbers became text
    if storage_class == "integer" and stored.affinity in {"integer", "numeric"}:
        return f"{name}=CAST({name} AS INTEGER)"  # text that looks like an integer became one
    return f"typeof({name})='{storage_class}'"


def _integer(text: RowText, name: str, stored: Stored) -> Cell:
    condition = _is(name, "integer", stored)
    if isinstance(text, JsonText) and text.options.json_numbers == "text":
        exact = f"{name} BETWEEN -{_EXACT_IN_JSON} AND {_EXACT_IN_JSON}"
        condition = f"{condition} AND {exact}" if condition else exact
    return Cell(name, condition=condition)


def _float(text: RowText, name: str, stored: Stored) -> Cell:
    finite = f"{name} BETWEEN -{_LARGEST} AND {_LARGEST}"  # text and blobs sort after all numbers
    known = stored.affinity == "real"
    return Cell(_marked(text, name), condition=finite if known else f"typeof({name})='real' AND {finite}")


def _decimal(text: RowText, name: str, stored: Stored) -> Cell | None:
    """Write numbers only, and real ones where SQLite's digits are the fewest that tell the number, as Python's are."""
    if stored.affinity == "text" or (isinstance(text, JsonText) and text.options.json_numbers == "text"):
        return None
    few = f"abs({name}) BETWEEN 0.001 AND 1e15 AND octet_length({name}||'')<=15"
    return Cell(_marked(text, name), condition=f"CASE typeof({name}) WHEN 'integer' THEN 1 WHEN 'real' THEN {few} END")


def _marked(text: RowText, name: str) -> str:
    if isinstance(text, CsvText) and text.decimal_mark != ".":
        return f"replace({name},'.',{quoted_sql(text.decimal_mark)})"
    return name


def _boolean(_: RowText, name: str, stored: Stored) -> Cell:
    number = "" if stored.affinity in {"integer", "numeric"} else _is(name, "integer", stored) + " AND "
    return Cell(f"CASE {name} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END", condition=f"{number}{name} IN (0,1)")


def _text(text: RowText, name: str, stored: Stored) -> Cell:
    condition = " AND ".join(filter(None, (_is(name, "text", stored), _harmless(text, name))))
    quote = '"' if isinstance(text, CsvText) else ""
    return Cell(_text_body(text, name), quote, quote, condition)


def _text_body(text: RowText, name: str) -> str:
    """Write text that may hold anything; printf's %w would be faster, but ends at NUL."""
    if isinstance(text, JsonText):
        return f"json_quote({name})"
    return f"""iif(instr({name},'"'),replace({name},'"','""'),{name})"""


def _harmless(text: RowText, name: str) -> str:
    """Tell text that is no formula, where these are guarded: Python does it, and counts them.

    Blanks may stand before one. Of text that begins with NUL the first character is '' to SQLite.
    """
    if not isinstance(text, CsvText) or not text.guard_formulas:
        return ""
    starts = ",".join(str(ord(character)) for character in FORMULA_STARTS if character != "\0")
    return f"(instr(char(32,{starts}),substr({name},1,1))=0 OR octet_length({name})=0)"


def _bytes(text: RowText, name: str, stored: Stored) -> Cell | None:
    if text.options.binary != "hex":
        return None
    condition = "" if stored.only("blob") else f"{name}>=x''"
    return Cell(f"lower(hex({name}))", '"', '"', condition)


def _unknown(text: RowText, name: str, _: Stored) -> Cell | None:
    if text.options.binary != "hex":
        return None
    real, written = _float(text, name, Stored("real")), _text_body(text, name)
    if isinstance(text, CsvText):
        written = f"""concat('"',{written},'"')"""
    integer = _integer(text, name, Stored("integer", strict=True))
    return Cell(
        f"CASE typeof({name}) WHEN 'text' THEN {written} WHEN 'blob' THEN concat('\"',lower(hex({name})),'\"')"
        f" ELSE {real.body} END",
        condition=f"CASE typeof({name}) WHEN 'text' THEN {_harmless(text, name) or '1'}"
        f" WHEN 'integer' THEN {integer.condition or '1'} WHEN 'real' THEN {real.condition} ELSE 1 END",
    )


def _date(_: RowText, name: str, __: Stored) -> Cell:
    # date() answers the day that is meant: another text for 30 February. '0001-' and not '0001', which is a number.
    return Cell(name, '"', '"', f"date({name}) COLLATE BINARY={name} AND {name}>'0001-'")


def _time(_: RowText, name: str, __: Stored) -> Cell:
    return Cell(_trimmed(name, 8), '"', '"', _standard(name, 8, "time"))


def _datetime(text: RowText, name: str, _: Stored) -> Cell:
    return Cell(_joined(text, _trimmed(name, 19)), '"', '"', _standard(name, 19, "datetime"))


def _instant(text: RowText, name: str, stored: Stored) -> Cell | None:
    if text.options.time_zone is not None:
        return None
    offset = "+00:00" if isinstance(text, JsonText) else "+00"
    return replace(_datetime(text, name, stored), closing=f'{offset}"')


def _joined(text: RowText, written: str) -> str:
    return f"replace({written},' ','T')" if isinstance(text, JsonText) else written


def _standard(name: str, whole: int, function: str) -> str:
    """Accept text of `whole` characters that `function` gives back, and the same with a fraction of six digits.

    What else SQLite would read behind the point, spaces and an offset, doesn't fit into those six characters and end
    in a digit. The length is counted in bytes: length() ends at NUL.
    """
    year = f" AND {name}>'0001-'" if function == "datetime" else ""
    return (
        f"CASE octet_length({name}) WHEN {whole + 7} THEN instr({name},{function}({name})||'.')=1"
        f" AND substr({name},{whole + 7}) BETWEEN '0' AND '9'{year}"
        f" WHEN {whole} THEN {function}({name}) COLLATE BINARY={name}{year} END"
    )


def _trimmed(name: str, whole: int) -> str:
    """Drop the zeros at the end of a fraction of six digits; mostly all of them are zeros."""
    return (
        f"CASE WHEN substr({name},{whole + 1})='.000000' THEN substr({name},1,{whole})"
        f" WHEN substr({name},{whole + 7})='0' THEN rtrim({name},'0') ELSE {name} END"
    )


_CELLS: dict[Kind, Callable[[RowText, str, Stored], Cell | None]] = {
    Kind.UNKNOWN: _unknown,
    Kind.INTEGER: _integer,
    Kind.FLOAT: _float,
    Kind.DECIMAL: _decimal,
    Kind.BOOLEAN: _boolean,
    Kind.TEXT: _text,
    Kind.BYTES: _bytes,
    Kind.DATE: _date,
    Kind.TIME: _time,
    Kind.DATETIME: _datetime,
    Kind.INSTANT: _instant,
}
