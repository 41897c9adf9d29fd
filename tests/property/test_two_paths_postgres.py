"""Both paths from PostgreSQL give the same file, whatever its types and values, and fail alike where they fail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from outlast.extract import Path
from outlast.formats import FileOptions
from tests.conftest import Postgres
from tests.support.postgres import fresh_database
from tests.support.postgres_exports import Export, made

LITERALS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
HOSTILE = st.text("\"\\\n\r,;.\x01\x02\x1f\x7f'éa= \t|", max_size=8)
TEXTS = (
    LITERALS
    | HOSTILE
    | st.sampled_from(
        [
            "\\.",
            "",
            " ",
            "=1+1",
            " -1",
            "NULL",
            ":NaN",
            "\x01=",
            "+1",
            "\uff1d1",
            "  @x",
            "\t",
            "\uffeex",
            '"ratio":NaN',
            "\N{BOM}x",
        ]
    )
)
FLOATS = st.floats().map(repr) | st.sampled_from(["1e15", "1e16", "1e22", "-0", "5e-324", "0.1", "1e-5", "NaN", "inf"])
DATES = (
    st.dates().map(str)
    | st.dates().map(lambda day: f"{day} BC" if day.month != 2 else "0044-03-15 BC")
    | st.sampled_from(["infinity", "-infinity", "10000-01-01", "294276-12-31", "0001-01-01", "9999-12-31"])
)
MOMENTS = (
    st.datetimes().map(str)
    | DATES
    | st.sampled_from(["0044-03-15 10:00:00.5 BC", "10000-01-01 00:00:00.123456", "9999-12-31 23:59:59.999999",
                       "0001-01-01 00:00:00", "2026-03-01 24:00:00", "1883-11-18 12:00:00"])
)  # fmt: skip
OFFSETS = st.sampled_from(["", "+00", "+05:30", "-12", "+14", "-00:53:28"])
INTERVALS = st.sampled_from(
    [
        "0",
        "1 day",
        "-1 day",
        "1 year -2 months 3 days",
        "-00:00:00.000001",
        "100 hours",
        "1.5 seconds",
        "-1 month +1 day",
    ]
)
JSONS = st.sampled_from(
    ['{"a":\n1}', "[1,\r\n 2.50,\tnull]", '"\\u0000"', "-5", "null", "1e400", '{"v0":NaN}', '"x\\n:NaN"', "{}",
     "12345678901234567890.10", '" =1"']
)  # fmt: skip

TYPES: dict[str, st.SearchStrategy[str]] = {
    "int2": st.integers(-(2**15), 2**15 - 1).map(str),
    "int8": st.integers(-(2**63), 2**63 - 1).map(str) | st.sampled_from([str(2**53), str(2**53 + 1)]),
    "float4": st.floats(width=32).map(repr) | st.sampled_from(["1e6", "0.1", "NaN", "-inf", "16777216"]),
    "float8": FLOATS,
    "numeric": st.decimals(allow_nan=False, allow_infinity=False).map("{:f}".format)
    | st.sampled_from(["NaN", "inf", "-inf", "1.10", "0.00", "-0.000", "1e-30", "12345678901234567890123456789012345"]),
    "numeric(8,3)": st.integers(-99999, 99999).map(str) | st.just("NaN"),
    "bool": st.sampled_from(["true", "false"]),
    "text": TEXTS,
    "varchar(20)": TEXTS,
    "char(14)": TEXTS,
    "name": TEXTS,
    "bytea": st.binary(max_size=80).map(lambda data: f"\\x{data.hex()}"),
    "date": DATES,
    "time": st.times().map(str) | st.sampled_from(["24:00:00", "00:00:00"]),
    "timetz": st.tuples(st.times().map(str), st.sampled_from(["+00", "+05:30", "-12"])).map("".join),
    "timestamp": MOMENTS,
    "timestamptz": MOMENTS | st.tuples(st.datetimes().map(str), OFFSETS).map("".join),
    "interval": INTERVALS,
    "uuid": st.uuids().map(str),
    "json": JSONS,
    "jsonb": JSONS,
    "int4[]": st.sampled_from(["{}", "{1,NULL,-3}", "{{1,2},{3,4}}", "[2:3]={5,6}"]),
    "text[]": st.lists(st.none() | TEXTS, max_size=3).map(
        lambda items: "{" + ",".join("NULL" if item is None else _element(item) for item in items) + "}"
    ),
    "float8[]": st.sampled_from(["{NaN,1,1e300}", "{Infinity}"]),
    "bytea[]": st.just('{"\\\\x00ff",NULL}'),
    "json[]": st.just('{"{\\"a\\":\n1}"}'),
    "inet": st.sampled_from(["1.2.3.4", "10.0.0.0/8", "::1"]),
    "int4range": st.sampled_from(["[1,5)", "empty", "(,3)"]),
    "tstzrange": st.just('["2026-03-01 00:00:00+00",)'),
    "money": st.sampled_from(["-12.50", "1234567.89"]),
    "bit(3)": st.just("101"),
    "varbit": st.sampled_from(["", "1011"]),
    "tsvector": st.just("'a':1 'b''c':2"),
    "point": st.just("(1.5,-2)"),
    "mood": st.sampled_from(["happy", "so, so", '"']),
    "mood[]": st.just('{happy,"so, so"}'),
    "pair": st.sampled_from(["(,)", '(1,"x y")']),
    "digits": st.just("12"),
    '"char"': st.sampled_from(["a", ""]),
    "oid": st.just("4294967295"),
}  # fmt: skip


def _element(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str | None]]]:
    """Give columns' types, and rows of their values as the types' input functions take them."""
    types = draw(st.lists(st.sampled_from(list(TYPES)), min_size=1, max_size=6))
    rows = draw(st.lists(st.tuples(*(st.none() | TYPES[name] for name in types)).map(list), max_size=6))
    return types, rows


OPTIONS = st.builds(
    FileOptions,
    unencodable=st.sampled_from(["fail", "replace", "hex"]),
    non_finite=st.sampled_from(["fail", "text", "null"]),
    formulas=st.sampled_from([None, "guard"]),
    time_zone=st.sampled_from([None, "Europe/Berlin"]),
    binary=st.sampled_from(["hex", "base64"]),
    json_numbers=st.sampled_from(["exact", "text"]),
    csv_dialect=st.sampled_from(["rfc4180", "excel"]),
    csv_quoting=st.sampled_from(["all", "minimal"]),
    csv_delimiter=st.sampled_from([";", "\t", "|"]),
    csv_decimal_mark=st.sampled_from([".", ","]),
)


@pytest.fixture(scope="module")
def database(postgres: Postgres) -> Iterator[tuple[psycopg.Connection[Any], str]]:
    """Give a connection, and the URL, of a database that has some types of its own."""
    with (
        fresh_database(postgres.url) as url,
        psycopg.connect(sa.make_url(url).set(drivername="postgresql").render_as_string(), autocommit=True) as driver,
    ):
        driver.execute("CREATE TYPE mood AS ENUM ('happy', 'so, so', '\"')")
        driver.execute("CREATE TYPE pair AS (a int, b text)")
        driver.execute("CREATE DOMAIN digits AS text CHECK (VALUE ~ '^[0-9]+$')")
        yield driver, url


def filled(driver: psycopg.Connection[Any], types: Sequence[str], rows: Sequence[Sequence[str | None]]) -> None:
    """Make the table; rows that it refuses are left out."""
    columns = ",".join(f"v{at} {name}" for at, name in enumerate(types))
    driver.execute(f"DROP TABLE IF EXISTS t; CREATE TABLE t (id serial PRIMARY KEY,{columns})".encode())
    values = ",".join(f"%s::{name}" for name in types)
    for row in rows:
        try:
            driver.execute(f"INSERT INTO t VALUES (DEFAULT,{values})".encode(), row)  # noqa: S608 - names
        except (psycopg.DataError, psycopg.IntegrityError):
            continue


@pytest.mark.parametrize("name", ["csv", "jsonl", "json", "tsv"])
@given(tables(), st.just(FileOptions()) | st.just(FileOptions(formulas="guard")) | OPTIONS)
def test_both_paths_give_the_same_file(
    database: tuple[psycopg.Connection[Any], str],
    name: str,
    table: tuple[list[str], list[list[str | None]]],
    options: FileOptions,
) -> None:
    driver, url = database
    filled(driver, *table)
    columns = tuple(f"v{at}" for at in range(len(table[0])))
    statement = sa.text(f"SELECT {','.join(columns)} FROM t ORDER BY id")  # noqa: S608 - names
    export = Export(columns, url, statement, options)
    written = made(export, name)
    expected = made(export, name, by_database=False)
    assert (written.data, written.warnings) == (expected.data, expected.warnings)
    if options in {FileOptions(), FileOptions(formulas="guard")}:
        assert written.path is Path.DATABASE
