"""Rows from PostgreSQL: kinds, parameters, values that Python can't hold, and what happens when something fails."""

from __future__ import annotations

import enum
import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from outlast.errors import FailureCode
from outlast.extract import Path, classify, extract
from outlast.extract.postgres_session import prepare_session
from outlast.formats import FORMATS, Column, FileOptions, Kind, Page, Unencodable
from tests.conftest import Postgres
from tests.support.postgres import fresh_database
from tests.support.postgres_exports import OWNER, Export, made
from tests.support.wait import wait_until

CSV = FORMATS["csv"].text(FileOptions())
ENDLESS = sa.text("SELECT generate_series(1, 1000000000) AS id, repeat('x', 100) AS body")
"""Its rows are made as they are read: in FROM, the function would write all of them to the server's disk first."""


class Mood(enum.Enum):
    HAPPY = "h"


class Doubled(sa.TypeDecorator[Any]):
    """An application's own type."""

    impl = postgresql.JSONB
    cache_ok = True

    def process_result_value(self, value: Any, dialect: object) -> Any:  # noqa: ANN401, ARG002 - as SQLAlchemy has it
        return None if value is None else {"doubled": value["n"] * 2}


class Hours(sa.TypeDecorator[float]):
    """Another, over a type whose text only we read."""

    impl = postgresql.INTERVAL
    cache_ok = True

    def process_result_value(self, value: timedelta | None, dialect: object) -> float | None:  # noqa: ARG002
        return None if value is None else value / timedelta(hours=1)


@pytest.fixture(scope="module")
def url(postgres: Postgres) -> Iterator[str]:
    with fresh_database(postgres.url) as fresh:
        yield fresh


@pytest.fixture
def driver(url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(dsn(url), autocommit=True) as connection:
        yield connection


def dsn(url: str) -> str:
    return sa.make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def lines(url: str, statement: Any, *columns: str, **options: Any) -> list[str]:  # noqa: ANN401 - a statement
    """Give the file's lines without the header, which both paths agree about."""
    export = Export(columns, url, statement, FileOptions(**options))
    written = made(export)
    assert written.data == made(export, by_database=False).data
    return written.data.decode().splitlines()[1:]


TYPES = {
    "1::int2": Kind.INTEGER,
    "1::int8": Kind.INTEGER,
    "1.5::float4": Kind.FLOAT,
    "1.5::float8": Kind.FLOAT,
    "true": Kind.BOOLEAN,
    "''::varchar(3)": Kind.TEXT,
    r"'\x00'::bytea": Kind.BYTES,
    "date '2026-03-01'": Kind.DATE,
    "time '10:00'": Kind.TIME,
    "timetz '10:00+00'": Kind.TEXT,
    "timestamp '2026-03-01'": Kind.DATETIME,
    "timestamptz '2026-03-01'": Kind.INSTANT,
    "interval '1 day'": Kind.INTERVAL,
    "gen_random_uuid()": Kind.UUID,
    "'{}'::json": Kind.JSON,
    "'{}'::jsonb": Kind.JSON,
    "array[1]": Kind.ARRAY,
    "inet '::1'": Kind.TEXT,
    "row(1,2)": Kind.TEXT,
    "int4range(1,2)": Kind.TEXT,
    "NULL": Kind.TEXT,
}


@pytest.mark.parametrize("empty", [False, True])
def test_kinds_come_from_the_database_even_without_rows(url: str, empty: bool) -> None:
    names = tuple(f"v{at}" for at in range(len(TYPES)))
    listed = ", ".join(f"{sql} AS {name}" for sql, name in zip(TYPES, names, strict=True))
    statement = sa.text(f"SELECT {listed} {'WHERE false' if empty else ''}")

    with extract(Export(names, url, statement), OWNER, "{}", names, text=CSV) as rows:
        assert dict(zip(TYPES, (column.kind for column in rows.shape.columns), strict=True)) == TYPES
        assert (rows.path, rows.shape.floats) == (Path.DATABASE, "postgresql")


def test_a_numeric_has_the_digits_that_it_was_declared_with(url: str) -> None:
    statement: Any = sa.select(
        sa.cast(sa.literal(1), sa.Numeric(12, 3)).label("a"), sa.literal_column("1.5").label("b")
    )

    with extract(Export(("a", "b"), url, statement), OWNER, "{}", ("b", "a")) as rows:
        assert rows.shape.columns == (Column("b", Kind.DECIMAL), Column("a", Kind.DECIMAL, 12, 3))
        assert list(rows.pieces) == [[(Decimal("1.5"), Decimal("1.000"))]]


def test_a_declared_kind_overrides_the_databases(url: str) -> None:
    export = Export(("a",), url, sa.text("SELECT '1.50' AS a"), types={"a": Kind.DECIMAL})

    assert made(export).data == made(export, by_database=False).data == b'"a"\n1.50\n'


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('it\'s \\ 100% "x" {%s} :a $1', None),
        (-5, "-5"),
        (2**62, str(2**62)),
        (1.5, "1.5"),
        (float("nan"), "NaN"),
        (Decimal("-1.10"), "-1.10"),
        (True, "true"),
        (None, ""),
        (b"\0\xff'\\", '"00ff275c"'),
        (date(2026, 3, 1), '"2026-03-01"'),
        (datetime(2026, 3, 1, 9, 30, tzinfo=UTC), '"2026-03-01 09:30:00+00"'),
        (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        (timedelta(days=-1, seconds=1), '"P-1DT1S"'),
    ],
)
def test_bound_values_arrive_as_they_are(url: str, value: Any, expected: str | None) -> None:  # noqa: ANN401 - any type
    statement = sa.select(sa.literal(value).label("a")) if value is not None else sa.select(sa.null().label("a"))

    text = '"' + str(value).replace('"', '""') + '"'
    assert lines(url, statement, "a") == [text if expected is None else expected]


def test_lists_and_documents_are_bound_too(url: str) -> None:
    numbers = sa.func.generate_series(1, 5).table_valued("n", name="s").render_derived()
    listed = sa.select(numbers.c.n).where(numbers.c.n.in_([2, 4])).order_by(numbers.c.n)
    expanding = sa.text("SELECT n FROM generate_series(1, 5) AS n WHERE n IN :wanted ORDER BY n").bindparams(
        sa.bindparam("wanted", [2, 4], expanding=True)
    )
    array = sa.text("SELECT n FROM generate_series(1, 5) AS n WHERE n = ANY(:wanted) ORDER BY n").bindparams(
        wanted=[2, 4]
    )
    document = sa.select(sa.cast({"a": ["'"]}, postgresql.JSONB).label("n"))

    assert lines(url, listed, "n") == lines(url, expanding, "n") == lines(url, array, "n") == ["2", "4"]
    assert lines(url, document, "n") == ['"{""a"": [""\'""]}"']


def test_a_statement_may_end_in_a_semicolon_and_comment(url: str) -> None:
    assert lines(url, sa.text("SELECT 1 AS a -- one"), "a") == ["1"]
    assert lines(url, sa.text("SELECT 1 AS a;\n"), "a") == ["1"]


def test_columns_of_one_name_are_told_apart_by_their_keys(url: str) -> None:
    one, two = (sa.values(sa.column("id", sa.Integer), name=name).data([(7,)]) for name in "ab")
    statement = sa.select(one.c.id, (two.c.id + 1).label("other")).join_from(one, two, one.c.id == two.c.id)

    assert lines(url, statement, "id", "other") == ["7,8"]
    assert lines(url, sa.select(one.c.id, two.c.id).join_from(one, two, sa.true()), "id", "id_1") == ["7,7"]


def test_the_applications_own_types_have_their_say(url: str) -> None:
    raw = sa.text("SELECT '{\"n\": 2}'::jsonb AS a, '{\"n\": 2}'::jsonb AS b, 'HAPPY' AS c, interval '90 minutes' AS d")
    statement = raw.columns(a=Doubled(), b=postgresql.JSONB(), c=sa.Enum(Mood), d=Hours())
    export = Export(("a", "b", "c", "d"), url, statement)

    written = made(export, "jsonl")

    assert written.path is Path.VALUES
    assert json.loads(written.data) == {"a": {"doubled": 4}, "b": {"n": 2}, "c": "h", "d": 1.5}


def test_a_time_beyond_pythons_is_the_databases_text(url: str) -> None:
    statement = sa.text(
        "SELECT * FROM (VALUES (timestamptz '2026-03-01 10:00+00'), ('infinity'), ('0044-03-15 BC')) AS v (a)"
    )

    assert lines(url, statement, "a") == ['"2026-03-01 10:00:00+00"', '"infinity"', '"0044-03-15 00:00:00+00 BC"']


def test_a_number_without_a_place_in_json_is_named_with_its_row(url: str) -> None:
    statement = sa.text(
        "SELECT g AS a, CASE g WHEN 3 THEN 'NaN'::float8 ELSE g END AS b FROM generate_series(1, 5) AS g"
    )

    written = made(Export(("a", "b"), url, statement), "jsonl")

    assert (written.path, written.data) == (
        Path.DATABASE, b"unencodable_value row 3, column 'b': a number that is not finite",
    )  # fmt: skip


def test_the_planner_estimates(url: str) -> None:
    statement = sa.text("SELECT g FROM generate_series(1, 1000) AS g")

    with extract(Export(("g",), url, statement), OWNER, "{}", ("g",)) as rows:
        assert (rows.estimated_rows, rows.estimate_source) == (1000, "planner")


def test_the_sessions_settings_end_with_the_transaction(driver: psycopg.Connection[Any]) -> None:
    shown = (
        "SELECT string_agg(name || setting, ',' ORDER BY name) FROM pg_settings WHERE name <> 'transaction_isolation'"
    )
    driver.execute("SET TimeZone = 'Asia/Tokyo'")
    before = driver.execute(shown).fetchone()
    with driver.transaction():
        prepare_session(driver)
        assert driver.execute("SHOW TimeZone").fetchone() == ("UTC",)

    assert driver.execute(shown).fetchone() == before


def backends(driver: psycopg.Connection[Any]) -> list[int]:
    """Give the other sessions on the database."""
    found = driver.execute(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        " AND backend_type = 'client backend'"
    )
    return [pid for (pid,) in found]


@pytest.mark.parametrize("by_database", [True, False])
def test_leaving_early_leaves_nothing_running(url: str, driver: psycopg.Connection[Any], by_database: bool) -> None:
    export = Export(("id", "body"), url, ENDLESS)
    with extract(export, OWNER, "{}", export.columns, text=CSV if by_database else None) as rows:
        assert isinstance(next(rows.pieces), Page) is by_database

    wait_until(lambda: not backends(driver), 10, "the reading session to be gone")


@pytest.mark.parametrize("by_database", [True, False])
def test_a_session_that_is_ended_fails_for_now(url: str, driver: psycopg.Connection[Any], by_database: bool) -> None:
    export = Export(("id", "body"), url, ENDLESS)

    def reading() -> None:
        with extract(export, OWNER, "{}", export.columns, text=CSV if by_database else None) as rows:
            next(rows.pieces)
            (pid,) = backends(driver)
            assert driver.execute("SELECT pg_terminate_backend(%s)", [pid]).fetchone() == (True,)
            deque(rows.pieces, maxlen=0)

    with pytest.raises((psycopg.OperationalError, sa.exc.OperationalError)) as caught:
        reading()

    assert classify(caught.value).code is FailureCode.TEMPORARILY_UNAVAILABLE


@pytest.mark.parametrize("by_database", [True, False])
def test_the_servers_own_limit_of_time_fails_for_now(url: str, by_database: bool) -> None:
    limited = sa.make_url(url).update_query_dict({"options": "-c statement_timeout=200"})
    slow = sa.text("SELECT g AS id FROM generate_series(1, 1000) AS g WHERE pg_sleep(0.01) IS NOT NULL ORDER BY 1")
    export = Export(("id",), limited.render_as_string(hide_password=False), slow)
    with (
        pytest.raises(psycopg.errors.QueryCanceled) as caught,
        extract(export, OWNER, "{}", export.columns, text=CSV if by_database else None) as rows,
    ):
        list(rows.pieces)

    assert classify(caught.value).code is FailureCode.TEMPORARILY_UNAVAILABLE


@pytest.mark.parametrize("by_database", [True, False])
def test_an_error_in_the_middle_is_the_servers(url: str, by_database: bool) -> None:
    statement = sa.text("SELECT 1 / (100000 - g) AS id FROM generate_series(1, 200000) AS g")  # fails in the middle
    export = Export(("id",), url, statement)
    with (
        pytest.raises(psycopg.errors.DivisionByZero),
        extract(export, OWNER, "{}", export.columns, text=CSV if by_database else None) as rows,
    ):
        list(rows.pieces)


@pytest.mark.parametrize(
    ("encoding", "stored", "unencodable", "expected"),
    [
        ("LATIN1", b"caf\xe9", "fail", b'"a"\n"caf\xc3\xa9"\n'),
        ("SQL_ASCII", "é".encode(), "fail", b'"a"\n"\xc3\xa9"\n'),
        ("SQL_ASCII", b"caf\xe9", "hex", b'"a"\n"636166e9"\n'),
        ("SQL_ASCII", b"caf\xe9", "fail", b"unencodable_value row 1, column 'a': text that is not Unicode"),
    ],
)
def test_text_of_other_encodings(
    driver: psycopg.Connection[Any],
    url: str,
    encoding: str,
    stored: bytes,
    unencodable: Unencodable,
    expected: bytes,
) -> None:
    driver.execute(f"CREATE DATABASE other ENCODING {encoding} TEMPLATE template0".encode())
    try:
        other = (
            sa.make_url(url)
            .set(database="other", query={"client_encoding": "utf8"})
            .render_as_string(hide_password=False)
        )
        with psycopg.connect(dsn(other).partition("?")[0], client_encoding=encoding) as writer:
            writer.execute(b"CREATE TABLE t AS SELECT '" + stored + b"'::text AS a")
        export = Export(("a",), other, sa.text("SELECT a FROM t WHERE a <> 'ß'"), FileOptions(unencodable=unencodable))
        if encoding == "LATIN1":
            assert made(export).path is Path.DATABASE
        assert made(export).data == made(export, by_database=False).data == expected
    finally:
        driver.execute("DROP DATABASE other WITH (FORCE)")


def test_a_missing_driver_is_named_at_the_start() -> None:
    program = """if True:
        import sys
        sys.modules["psycopg"] = None
        from outlast.errors import DefinitionError
        from outlast.extract import validate_source
        try:
            validate_source("postgresql://u:secret@h/d", "the source")
        except DefinitionError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=dict(os.environ)
    )

    assert "outlast[postgresql]" in done.stdout
    assert "secret" not in done.stdout
