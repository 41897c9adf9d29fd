"""SQLite writes rows' text: each cell as it is promised, and what it can't judge is given as values in its place."""

# ruff: noqa: S608 - the SQL is ours

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import apsw
import pytest
import sqlalchemy as sa
from sqlalchemy.dialects.sqlite.base import SQLiteDialect

from outlast.extract.sqlite_fast import Asked, text_pieces
from outlast.formats import Column, CsvText, FileOptions, JsonText, Kind, Page, RowText

DIALECT = SQLiteDialect(paramstyle="qmark")
CSV = CsvText(FileOptions())
JSON = JsonText(FileOptions())
TABLE = "CREATE TABLE t (id INTEGER PRIMARY KEY, v {})"
METADATA = sa.MetaData()
T = sa.Table("t", METADATA, sa.Column("id", sa.Integer, primary_key=True), sa.Column("v", sa.Text))

Pieces = list[bytes | list[Sequence[Any]]]


@pytest.fixture
def raw() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    yield connection
    connection.close()


def compiled(statement: object) -> tuple[str, tuple[Any, ...]]:
    if isinstance(statement, str):
        return statement, ()
    assert isinstance(statement, sa.ClauseElement)
    made = statement.compile(dialect=DIALECT, compile_kwargs={"render_postcompile": True})
    return str(made), tuple(made.params[name] for name in getattr(made, "positiontup", None) or ())


def read(raw: apsw.Connection, statement: object, text: RowText, *kinds: Kind) -> Pieces | None:
    """Give the pages' bytes and the rows of values, these with their numbers behind them."""
    columns = tuple(Column(f"c{at}", kind) for at, kind in enumerate(kinds))
    asked = Asked(statement, compiled, text, columns, tuple(range(len(kinds))), len(kinds))
    found = text_pieces(raw, asked, lambda values, number: [*values, number])
    if found is None:
        return None
    return [piece.data if isinstance(piece, Page) else list(piece) for piece in found]


def cell(raw: apsw.Connection, value: str, text: RowText, kind: Kind, declared: str = "") -> bytes | None:
    """Give the text of one value, a literal of SQL, without its line's frame; None if it came as a value."""
    raw.execute(f"DROP TABLE IF EXISTS t; {TABLE.format(declared)}; INSERT INTO t VALUES (1, {value})")
    (piece,) = read(raw, sa.select(T.c.v), text, kind) or [[]]
    (same,) = read(raw, "SELECT v FROM t", text, kind) or [[]]
    assert piece == same, "the walk and any other statement differ"
    if not isinstance(piece, bytes):
        return None
    return piece[6:-2] if isinstance(text, JsonText) else piece[:-1]


@pytest.mark.parametrize(
    ("kind", "declared", "value", "csv", "as_json"),
    [
        (Kind.INTEGER, "INTEGER", "9223372036854775807", b"9223372036854775807", b"9223372036854775807"),
        (Kind.INTEGER, "INTEGER", "NULL", b"", b"null"),
        (Kind.INTEGER, "INTEGER", "2.5", None, None),
        (Kind.INTEGER, "INTEGER", "'2x'", None, None),
        (Kind.INTEGER, "", "x'32'", None, None),
        (Kind.INTEGER, "", "2.0", None, None),
        (Kind.FLOAT, "REAL", "0.1", b"0.1", b"0.1"),
        (Kind.FLOAT, "REAL", "1e17", b"1.0e+17", b"1.0e+17"),
        (Kind.FLOAT, "REAL", "1.0/3", b"0.33333333333333332", b"0.33333333333333332"),
        (Kind.FLOAT, "REAL", "-0.0", b"0.0", b"0.0"),
        (Kind.FLOAT, "", "-0.0", b"0.0", b"0.0"),
        (Kind.FLOAT, "REAL", "1.7976931348623157e308", b"1.7976931348623157e+308", b"1.7976931348623157e+308"),
        (Kind.FLOAT, "REAL", "-9e999", None, None),
        (Kind.FLOAT, "REAL", "'1,5'", None, None),
        (Kind.FLOAT, "", "15", None, None),
        (Kind.BOOLEAN, "BOOLEAN", "1", b"true", b"true"),
        (Kind.BOOLEAN, "BOOLEAN", "0", b"false", b"false"),
        (Kind.BOOLEAN, "BOOLEAN", "2", None, None),
        (Kind.BOOLEAN, "", "'1'", None, None),
        (Kind.BOOLEAN, "", "1.0", None, None),
        (Kind.TEXT, "TEXT", "''", b'""', b'""'),
        (Kind.TEXT, "TEXT", "NULL", b"", b"null"),
        (Kind.TEXT, "TEXT", "'a\"b'", b'"a""b"', b'"a\\"b"'),
        (Kind.TEXT, "TEXT", "'é'||char(0,10)||'\"'", b'"\xc3\xa9\x00\n"""', b'"\xc3\xa9\\u0000\\n\\""'),
        (Kind.TEXT, "TEXT", "x'61'", None, None),
        (Kind.TEXT, "", "5", None, None),
        (Kind.TEXT, "TEXT", "CAST(x'ff' AS TEXT)", None, None),
        (Kind.BYTES, "BLOB", "x'00AB'", b'"00ab"', b'"00ab"'),
        (Kind.BYTES, "BLOB", "x''", b'""', b'""'),
        (Kind.BYTES, "BLOB", "'00ab'", None, None),
        (Kind.DATE, "DATE", "'2026-02-28'", b'"2026-02-28"', b'"2026-02-28"'),
        (Kind.DATE, "DATE", "'2026-02-30'", None, None),
        (Kind.DATE, "DATE", "'0000-01-01'", None, None),
        (Kind.DATE, "TEXT COLLATE RTRIM", "'2026-02-28 '", None, None),
        (Kind.DATE, "DATE", "'now'", None, None),
        (Kind.DATE, "DATE", "2460000", None, None),
        (Kind.TIME, "TIME", "'09:30:00.500000'", b'"09:30:00.5"', b'"09:30:00.5"'),
        (Kind.TIME, "TIME", "'24:00:00'", None, None),
        (Kind.DATETIME, "DATETIME", "'2026-03-01 09:30:00'", b'"2026-03-01 09:30:00"', b'"2026-03-01T09:30:00"'),
        (
            Kind.DATETIME,
            "DATETIME",
            "'2026-12-31 23:59:59.999990'",
            b'"2026-12-31 23:59:59.99999"',
            b'"2026-12-31T23:59:59.99999"',
        ),
        (
            Kind.DATETIME,
            "DATETIME",
            "'2026-03-01 10:00:00.000000'",
            b'"2026-03-01 10:00:00"',
            b'"2026-03-01T10:00:00"',
        ),
        (Kind.DATETIME, "DATETIME", "'2026-02-30 09:30:00'", None, None),
        (Kind.DATETIME, "DATETIME", "'2026-03-01 09:30:00.12345Z'", None, None),
        (Kind.DATETIME, "DATETIME", "'2026-03-01 09:30:00.12345 '", None, None),
        (Kind.DATETIME, "DATETIME", "'2026-03-01 09:30:00 +01:00'", None, None),
        (Kind.DATETIME, "DATETIME", "'2026-03-01 09:30:00.123456'||char(0)||'x'", None, None),
        (Kind.DATETIME, "DATETIME", "CAST('2026-03-01 09:30:00' AS BLOB)", None, None),
        (
            Kind.INSTANT,
            "DATETIME",
            "'2026-03-01 09:30:00'",
            b'"2026-03-01 09:30:00+00"',
            b'"2026-03-01T09:30:00+00:00"',
        ),
        (Kind.UNKNOWN, "", "5", b"5", b"5"),
        (Kind.UNKNOWN, "", "5.0", b"5.0", b"5.0"),
        (Kind.UNKNOWN, "", "'5'", b'"5"', b'"5"'),
        (Kind.UNKNOWN, "", "x'05'", b'"05"', b'"05"'),
        (Kind.UNKNOWN, "", "NULL", b"", b"null"),
        (Kind.UNKNOWN, "", "9e999", None, None),
    ],
)
def test_a_cell_is_written_as_promised_or_left_to_python(
    raw: apsw.Connection, kind: Kind, declared: str, value: str, csv: bytes | None, as_json: bytes | None
) -> None:
    assert cell(raw, value, CSV, kind, declared) == csv
    assert cell(raw, value, JSON, kind, declared) == as_json


def test_a_strict_table_is_written_like_any_other(raw: apsw.Connection) -> None:
    raw.execute(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT NOT NULL) STRICT; INSERT INTO t VALUES (3, 'a\"'), (9, '')"
    )
    assert read(raw, sa.select(T), CSV, Kind.INTEGER, Kind.TEXT) == [b'3,"a"""\n9,""\n']
    assert read(raw, sa.select(T), JSON, Kind.INTEGER, Kind.TEXT) == [b'{"c0":3,"c1":"a\\""}\n{"c0":9,"c1":""}\n']


@pytest.mark.parametrize("statement", [sa.select(T), "SELECT * FROM t -- all", sa.select(T).order_by(T.c.id)])
def test_rows_keep_their_places_and_numbers(raw: apsw.Connection, statement: object) -> None:
    raw.execute(TABLE.format("TEXT"))
    raw.execute("INSERT INTO t VALUES (1,'a'),(2,x'00'),(3,CAST(x'41ff' AS TEXT)),(4,'b'),(5,x'01'),(9,'c')")
    assert read(raw, statement, CSV, Kind.INTEGER, Kind.TEXT) == [
        b'1,"a"\n',
        [[2, b"\x00", 2], [3, "A\udcff", 3]],
        b'4,"b"\n',
        [[5, b"\x01", 5]],
        b'9,"c"\n',
    ]


def test_rowids_of_every_size_are_walked(raw: apsw.Connection) -> None:
    raw.execute(TABLE.format("TEXT"))
    raw.execute(f"INSERT INTO t VALUES (-{2**63},'first'),(0,'middle'),({2**63 - 1},'last')")
    assert read(raw, sa.select(T.c.v), CSV, Kind.TEXT) == [b'"first"\n', b'"middle"\n', b'"last"\n']


def test_a_condition_on_the_rowid_is_read_in_one_go(raw: apsw.Connection) -> None:
    """In stretches SQLite would seek by one of two bounds, and read up to the statement's own each time."""
    raw.execute(TABLE.format("TEXT"))
    raw.execute(
        "WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<5000)"
        " INSERT INTO t SELECT i,hex(zeroblob(250)) FROM n"
    )
    steps = 0

    def count() -> bool:
        nonlocal steps
        steps += 1
        return False

    raw.set_progress_handler(count, 1000)
    for condition in (T.c.id <= 4000, T.c.v > ""):
        steps, statement = 0, sa.select(T).where(condition)
        assert read(raw, statement, CSV, Kind.INTEGER, Kind.TEXT)
        assert steps < 200, f"{statement} takes {steps} thousand steps"


def test_rows_that_differ_in_size_come_in_pages_of_bounded_size(raw: apsw.Connection) -> None:
    raw.execute(TABLE.format("TEXT"))
    raw.execute("WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<9000) INSERT INTO t SELECT i,'a' FROM n")
    raw.execute(
        "WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<30) INSERT INTO t"
        " SELECT 9000+i,hex(zeroblob(500000)) FROM n"
    )
    raw.execute("INSERT INTO t VALUES (9999,hex(zeroblob(5000000)))")
    pages = read(raw, sa.select(T), CSV, Kind.INTEGER, Kind.TEXT)
    assert pages is not None
    data = [page for page in pages if isinstance(page, bytes)]
    assert sum(page.count(b"\n") for page in data) == 9031
    assert max(map(len, data[:-1])) < 8_000_000
    assert raw.limit(apsw.SQLITE_LIMIT_LENGTH) > 10_000_000, "the connection's own limit is not restored"


@pytest.mark.parametrize(
    "expression", ["counted(random(), v)", "counted(1, (SELECT u.v FROM t AS u WHERE u.id = t.id))"]
)
def test_what_changes_or_costs_much_is_computed_once_for_each_row(raw: apsw.Connection, expression: str) -> None:
    calls = 0

    def counted(*values: apsw.SQLiteValue) -> apsw.SQLiteValue:
        nonlocal calls
        calls += 1
        return values[1]

    raw.create_scalar_function("counted", counted, 2)
    raw.execute(TABLE.format("TEXT") + "; INSERT INTO t VALUES (1,'a\"b'),(2,'c')")
    assert read(raw, f"SELECT {expression} FROM t", CSV, Kind.TEXT) == [b'"a""b"\n"c"\n']
    assert calls == 2


@pytest.mark.parametrize(
    "statement",
    [
        sa.select(T).distinct(),
        sa.select(T).limit(1),
        sa.select(T).order_by(T.c.v.desc()),
        sa.select(T).join(T.alias("u"), sa.true()).limit(1),
        sa.select(T.c.id, sa.func.count()),
        sa.select(T).where(T.c.id.in_(sa.select(T.c.id))),
        sa.union_all(sa.select(T), sa.select(T)),
    ],
)
def test_any_other_select_gives_what_it_gives(raw: apsw.Connection, statement: object) -> None:
    raw.execute(TABLE.format("TEXT") + "; INSERT INTO t VALUES (1,'b'),(2,'b'),(3,'c')")
    sql, parameters = compiled(statement)
    rows = [list(row) for row in raw.execute(sql, parameters)]
    (page,) = read(raw, statement, JSON, Kind.UNKNOWN, Kind.UNKNOWN) or [b""]
    assert isinstance(page, bytes)
    assert [list(json.loads(line).values()) for line in page.splitlines()] == rows


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (CSV, Kind.JSON),
        (CSV, Kind.INTERVAL),
        (CsvText(FileOptions(binary="base64")), Kind.BYTES),
        (CsvText(FileOptions(time_zone="Europe/Berlin")), Kind.INSTANT),
    ],
)
def test_what_only_python_writes_is_left_to_it(raw: apsw.Connection, text: RowText, kind: Kind) -> None:
    raw.execute(TABLE.format("TEXT"))
    assert read(raw, sa.select(T.c.v), text, kind) is None
    assert read(raw, "SELECT v FROM t", text, kind) is None


def test_a_file_in_utf_16_is_left_to_python(raw: apsw.Connection) -> None:
    raw.execute("PRAGMA encoding='UTF-16'; " + TABLE.format("TEXT") + "; INSERT INTO t VALUES (1,'a')")
    assert read(raw, sa.select(T.c.v), CSV, Kind.TEXT) is None


def test_decimal_marks_and_formulas(raw: apsw.Connection) -> None:
    text = CsvText(FileOptions(), delimiter=";", decimal_mark=",", guard_formulas=True, line_end="\r\n")
    raw.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1,-1.5),(2,'a=1'),(3,'')")
    (page,) = read(raw, sa.select(T), text, Kind.INTEGER, Kind.UNKNOWN) or [b""]
    assert page == b'1;-1,5\r\n2;"a=1"\r\n3;""\r\n'


@pytest.mark.parametrize("kind", [Kind.TEXT, Kind.UNKNOWN])
@pytest.mark.parametrize("value", ["=1", "+1", "-1", "@a", "\t", "\r", "\n", "\0=1", "  =1", "\uff1d1"])
def test_formulas_are_left_to_python_which_counts_them(raw: apsw.Connection, value: str, kind: Kind) -> None:
    text = CsvText(FileOptions(), guard_formulas=True)
    codes = ",".join(str(ord(character)) for character in value)
    assert cell(raw, f"char({codes})", text, kind, "TEXT") is None


def test_integers_that_json_readers_round_are_left_to_python_where_text_is_asked_for(raw: apsw.Connection) -> None:
    text = JsonText(FileOptions(json_numbers="text"))
    assert cell(raw, str(2**53 - 1), text, Kind.INTEGER, "INTEGER") == b"9007199254740991"
    assert cell(raw, str(2**53 + 1), text, Kind.INTEGER, "INTEGER") is None
