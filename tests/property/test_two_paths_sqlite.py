"""Both paths from SQLite give the same file, whatever lies in the table, and fail alike where they fail.

And what SQLite writes is, to the byte, what is promised for the values that lie in the file. The oracle of that is
written from the promise alone, kind by kind, and shares nothing with the SQL nor with the encoders.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects.sqlite.base import SQLiteDialect

from outlast.errors import ExportFailedError
from outlast.extract import Path, extract, sqlite_driver
from outlast.extract.apsw_driver import APSW
from outlast.extract.sqlite_fast import Asked, text_pieces
from outlast.formats import FORMATS, Column, CsvText, FileOptions, JsonText, Kind, Page, RowText
from outlast.formats.floats import spell_float
from outlast.model import Owner

DIALECT = SQLiteDialect(paramstyle="qmark")
DECLARED = {
    Kind.UNKNOWN: ("", "TEXT", "NUMERIC", "BLOB"),
    Kind.INTEGER: ("INTEGER", "NUMERIC", "", "TEXT", "REAL"),
    Kind.FLOAT: ("REAL", "FLOAT", "", "NUMERIC"),
    Kind.DECIMAL: ("NUMERIC", "DECIMAL(10,2)", "REAL", ""),
    Kind.BOOLEAN: ("BOOLEAN", "INTEGER", "", "REAL"),
    Kind.TEXT: ("TEXT", "VARCHAR(5)", "", "NUMERIC", "TEXT COLLATE NOCASE"),
    Kind.BYTES: ("BLOB", "", "TEXT"),
    Kind.DATE: ("DATE", "TEXT", "", "TEXT COLLATE RTRIM"),
    Kind.TIME: ("TIME", "TEXT", ""),
    Kind.DATETIME: ("DATETIME", "TEXT", "", "TEXT COLLATE RTRIM"),
    Kind.INSTANT: ("DATETIME", "TIMESTAMP", "TEXT"),
}
STRICT = {Kind.INTEGER: "INTEGER", Kind.DECIMAL: "REAL", Kind.FLOAT: "REAL", Kind.BYTES: "BLOB", Kind.UNKNOWN: "ANY"}

TEXTS = st.text(max_size=12) | st.text("\"\\\n\r,;\0\x1f\x7f'éa=", max_size=8) | st.text(" =-\t\0\uff1d", max_size=3)
MOMENTS = st.datetimes().map(str) | st.datetimes().map(lambda moment: moment.isoformat(timespec="microseconds"))
STANDARD = st.datetimes().map(lambda moment: moment.isoformat(" ", "microseconds"))
WHOLE = st.datetimes().map(lambda moment: moment.isoformat(" ", "seconds"))
DIRTY = st.sampled_from(
    ["2026-02-30", "0000-01-01", "0000-01-01 00:00:00", "2026-02-30 10:00:00", "24:00:00", "now", "2026-1-1", "12:00",
     "2026-03-01 10:00:00Z", "2026-03-01 10:00:00.12345Z", "2026-03-01 10:00:00.123456Z", "2026-03-01 23:59:60",
     "2026-03-01 10:00:00.12345 ", "2026-03-01 10:00:00 +00:00", "2026-03-01 ", "2026-03-01\0", " 2026-03-01",
     "2026-03-01 10:00:00.1+00:00", "10:00:00.123456", "10:00:00.12345Z", "-026-01-01", "2026-12-31 23:59:59.999999"]
)  # fmt: skip
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3) | st.floats(allow_nan=False) | st.floats(-1e6, 1e6)
VALUES = (
    st.none() | NUMBERS | NUMBERS.map(str) | st.binary(max_size=6) | TEXTS | DIRTY | MOMENTS | STANDARD | WHOLE
    | st.dates().map(str) | st.times().map(str) | st.times().map(lambda moment: moment.isoformat("microseconds"))
    | st.sampled_from([-0.0, math.inf, -math.inf, 2**53, 2**53 + 1, 1e15, 1e16, 1e17, 1e-5, 0, 1])
)  # fmt: skip
BROKEN = st.tuples(st.just("broken"), st.binary(max_size=6))


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, list[Kind], list[list[Any]]]:
    """Give a table's columns, their kinds, and rows."""
    strict = draw(st.booleans())
    kinds = draw(st.lists(st.sampled_from(list(DECLARED)), min_size=1, max_size=4))
    declared = [STRICT.get(kind, "TEXT") if strict else draw(st.sampled_from(DECLARED[kind])) for kind in kinds]
    filled = [draw(st.sampled_from(["", " NOT NULL"])) for _ in kinds]
    columns = ",".join(f"v{at} {name}{rule}" for at, (name, rule) in enumerate(zip(declared, filled, strict=True)))
    rows = draw(st.lists(st.lists(VALUES | BROKEN, min_size=len(kinds), max_size=len(kinds)), max_size=8))
    return f"CREATE TABLE t (id INTEGER PRIMARY KEY,{columns}){' STRICT' if strict else ''}", kinds, rows


def filled(raw: apsw.Connection, create: str, width: int, rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Make the table, and give what lies in it then; rows that it refuses are left out."""
    raw.execute(create)
    for row in rows:
        places = ",".join("CAST(? AS TEXT)" if isinstance(value, tuple) else "?" for value in row)
        values = [value[1] if isinstance(value, tuple) else value for value in row]
        try:
            raw.execute(f"INSERT INTO t VALUES (NULL,{places})", values)  # noqa: S608 - placeholders
        except apsw.ConstraintError:
            continue
    stored = [f"iif(typeof(v{at})='text',CAST(v{at} AS BLOB),v{at}),typeof(v{at})='text'" for at in range(width)]
    read = raw.execute(f"SELECT {','.join(stored)} FROM t ORDER BY id")  # noqa: S608 - names
    return [
        [bytes(value).decode(errors="surrogateescape") if is_text else value for value, is_text in pairs(row)]
        for row in read
    ]


def pairs(row: Sequence[Any]) -> Iterator[tuple[Any, bool]]:
    return zip(row[::2], row[1::2], strict=True)


def promised(  # noqa: PLR0911 - one for each kind
    kind: Kind,
    value: Any,  # noqa: ANN401 - any storage class
    text: RowText,
) -> str | None:
    """Give a cell's text; None if it is for Python to judge."""
    as_json = isinstance(text, JsonText)
    match kind, value:
        case _, None:
            return "null" if as_json else ""
        case ((Kind.INTEGER | Kind.DECIMAL | Kind.UNKNOWN), int()):
            return str(value)
        case (Kind.DECIMAL, float()) if 0.001 <= abs(value) <= 1e15 and len(spell_float(value, "sqlite")) <= 15:
            return repr(value)
        case ((Kind.FLOAT | Kind.UNKNOWN), float()):
            return spell_float(value, "sqlite") if math.isfinite(value) else None
        case Kind.BOOLEAN, int() if value in {0, 1}:
            return "true" if value else "false"
        case ((Kind.BYTES | Kind.UNKNOWN), bytes()):
            return f'"{value.hex()}"'
        case ((Kind.TEXT | Kind.UNKNOWN), str()) if valid(value):
            return json.dumps(value, ensure_ascii=False) if as_json else '"' + value.replace('"', '""') + '"'
        case ((Kind.DATE | Kind.TIME | Kind.DATETIME | Kind.INSTANT), str()):
            moment = parsed(kind, value)
            return None if moment is None else f'"{spelled(kind, moment, as_json=as_json)}"'
        case _:
            return None


def parsed(kind: Kind, value: str) -> date | time | datetime | None:
    """Read the forms in which SQLAlchemy and SQLite's own functions store it, and no others."""
    types: dict[Kind, type[date | time]] = {Kind.DATE: date, Kind.TIME: time}
    try:
        found = types.get(kind, datetime).fromisoformat(value)
    except ValueError:
        return None
    forms = {str(found)} if kind is Kind.DATE else set()
    if isinstance(found, datetime):
        forms = {found.isoformat(" ", "microseconds"), found.isoformat(" ", "seconds")}
    elif isinstance(found, time):
        forms = {found.isoformat("microseconds"), found.isoformat("seconds")}
    return found if value in forms and getattr(found, "tzinfo", None) is None else None


def spelled(kind: Kind, moment: date | time | datetime, *, as_json: bool) -> str:
    text = moment.isoformat() if as_json else str(moment)
    text = text.rstrip("0") if "." in text else text
    offset = ("+00:00" if as_json else "+00") if kind is Kind.INSTANT else ""
    return text + offset


def valid(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def line(kinds: Sequence[Kind], row: Sequence[Any], text: RowText) -> str | None:
    cells = [promised(kind, value, text) for kind, value in zip(kinds, row, strict=True)]
    if isinstance(text, JsonText):
        cells = [cell and f'"v{at}":{cell}' for at, cell in enumerate(cells)]
    known = [cell for cell in cells if cell is not None]
    if len(known) < len(cells):
        return None
    return "{" + ",".join(known) + "}\n" if isinstance(text, JsonText) else ",".join(known) + "\n"


def compiled(statement: Any) -> tuple[str, tuple[Any, ...]]:  # noqa: ANN401 - a statement or its SQL
    return (statement if isinstance(statement, str) else str(statement.compile(dialect=DIALECT))), ()


def statements(width: int) -> Iterator[sa.Select[Any] | str]:
    """A walk, plain columns read row by row, and expressions, of which nothing is known."""
    columns = [f"v{at}" for at in range(width)]
    table = sa.Table("t", sa.MetaData(), sa.Column("id", sa.Integer), *(sa.Column(name, sa.Text) for name in columns))
    yield sa.select(*(table.c[name] for name in columns))
    yield f"SELECT {','.join(columns)} FROM t ORDER BY id"  # noqa: S608 - names
    yield f"SELECT {','.join(f'iif(1,{name},0) AS {name}' for name in columns)} FROM t ORDER BY id"  # noqa: S608 - names


@pytest.mark.parametrize("text", [CsvText(FileOptions()), JsonText(FileOptions())], ids=["csv", "json"])
@given(tables())
def test_the_text_of_the_database_is_the_promised_one(
    text: RowText, table: tuple[str, list[Kind], list[list[Any]]]
) -> None:
    create, kinds, rows = table
    columns = [Column(f"v{at}", kind) for at, kind in enumerate(kinds)]
    with closing(apsw.Connection(":memory:")) as raw:
        stored = filled(raw, create, len(kinds), rows)
        for statement in statements(len(kinds)):
            asked = Asked(statement, compiled, text, columns, range(len(kinds)), len(kinds))
            number = 0
            for piece in text_pieces(raw, asked, lambda values, at: (at, values)) or ():
                if isinstance(piece, Page):
                    expected = [line(kinds, row, text) for row in stored[number : number + piece.rows]]
                    assert piece.data.decode() == "".join(map(str, expected))
                    number += piece.rows
                    continue
                for at, values in piece:
                    number += 1
                    assert (at, values) == (number, stored[number - 1])
                    assert line(kinds, values, text) is None, "a row that the database could have written"
            assert number == len(stored)


@contextmanager
def reading_by_apsw() -> Iterator[None]:
    """Let this process read SQLite as a worker's child does."""
    before = sqlite_driver.current()
    sqlite_driver.use(APSW)
    try:
        yield
    finally:
        sqlite_driver.use(before)


@dataclass(frozen=True)
class Export:
    """What `extract` needs of a definition."""

    columns: tuple[str, ...]
    source: str
    statement: Any
    types: Mapping[str, Kind]
    file_options: FileOptions
    connection_argument: str | None = None

    def rows_of(self, owner: Owner, parameters_json: str, connection: object = None) -> object:  # noqa: ARG002
        return self.statement


def made(export: Export, name: str, *, by_database: bool) -> tuple[Path | None, bytes, object]:
    """Give the path taken, the file's bytes and the warnings; the bytes are the failure's words if it fails."""
    made_by = FORMATS[name]
    text = made_by.text(export.file_options) if by_database else None
    path = None
    try:
        with extract(export, Owner("o", "t"), "{}", export.columns, text=text) as extraction:
            path = extraction.path
            encoder = made_by.encoder(extraction.shape, export.file_options)
            data = b"".join(encoder.stream(extraction.pieces))
            return path, data, (list(encoder.warnings), list(extraction.warnings))
    except ExportFailedError as error:
        return path, f"{error.code} {error.detail}".encode(), None


OPTIONS = st.builds(
    FileOptions,
    unencodable=st.sampled_from(["fail", "replace", "hex"]),
    mismatch=st.sampled_from(["fail", "text", "cast"]),
    non_finite=st.sampled_from(["fail", "text", "null"]),
    formulas=st.sampled_from([None, "guard"]),
    json_numbers=st.sampled_from(["exact", "text"]),
    csv_dialect=st.sampled_from(["rfc4180", "excel"]),
    csv_quoting=st.sampled_from(["all", "minimal"]),
    csv_delimiter=st.sampled_from([";", "\t"]),
    csv_decimal_mark=st.sampled_from([".", ","]),
)


@given(st.sampled_from(["csv", "jsonl", "json", "tsv"]), tables(), st.just(FileOptions()) | OPTIONS)
def test_both_paths_give_the_same_file(
    name: str, table: tuple[str, list[Kind], list[list[Any]]], options: FileOptions
) -> None:
    create, kinds, rows = table
    with TemporaryDirectory() as folder:
        file = f"{folder}/rows.db"
        with closing(apsw.Connection(file)) as raw:
            filled(raw, create, len(kinds), rows)
        columns = tuple(f"v{at}" for at in range(len(kinds)))
        for statement in statements(len(kinds)):
            rows_of = sa.text(statement) if isinstance(statement, str) else statement
            export = Export(columns, f"sqlite:///{file}", rows_of, dict(zip(columns, kinds, strict=True)), options)
            with reading_by_apsw():
                path, data, warnings = made(export, name, by_database=True)
                _, expected, expected_warnings = made(export, name, by_database=False)
            assert (data, warnings) == (expected, expected_warnings)
            if options == FileOptions():
                assert path is Path.DATABASE, data
