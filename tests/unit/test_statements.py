"""A statement as the driver gets it, and what SQLAlchemy's types say about its columns."""

import enum
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from outlast.extract import sqlite_driver
from outlast.extract.apsw_driver import APSW, Connection
from outlast.extract.driver_sql import driver_sql
from outlast.extract.kinds import typed, typed_columns
from outlast.extract.source import open_source
from outlast.formats import Column, Kind

ID = UUID("0123456789abcdef0123456789abcdef")


class Colour(enum.Enum):
    RED = 1


class Shouted(sa.types.TypeDecorator[str]):
    impl = sa.String
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: sa.Dialect) -> str:  # noqa: ANN401 - as SQLAlchemy has it
        del dialect
        return f"{value}!"


class OwnText(sa.String):
    """A type of the application's, whatever it does."""


T = sa.Table(
    "t", sa.MetaData(), sa.Column("id", sa.Integer), sa.Column("colour", sa.Enum(Colour)), sa.Column("word", Shouted)
)


@pytest.fixture(params=[sqlite_driver.STANDARD, APSW], ids=["sqlite3", "apsw"])
def connection(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[sa.Connection]:
    with closing(sqlite3.connect(tmp_path / "a.db")) as made, made:
        made.execute("CREATE TABLE t (id, colour, word)")
        made.execute("INSERT INTO t VALUES (1, 'RED', 'hey!')")
    sqlite_driver.use(request.param)
    try:
        with open_source(f"sqlite:///{tmp_path / 'a.db'}").connect() as connection:
            yield connection
    finally:
        sqlite_driver.use(sqlite_driver.STANDARD)


@pytest.mark.parametrize(
    ("statement", "parameters"),
    [
        (sa.select(T.c.id).where(T.c.id.in_([1, 2])), (1, 2)),
        (sa.select(T.c.id).where(T.c.colour == Colour.RED), ("RED",)),
        (sa.select(T.c.id).where(T.c.word.in_(["hey", "ho"])), ("hey!", "ho!")),
        (sa.select(T.c.id).limit(3).offset(0), (3, 0)),
        (
            sa.text("SELECT 1 FROM t WHERE :day > '' AND id IN :ids OR :key = ''").bindparams(
                sa.bindparam("day", date(2026, 3, 1), sa.Date()),
                sa.bindparam("ids", [1, 2], expanding=True),
                sa.bindparam("key", ID, sa.Uuid()),
            ),
            ("2026-03-01", 1, 2, ID.hex),
        ),
    ],
)
def test_the_driver_gets_what_sqlalchemy_would_send(
    connection: sa.Connection, statement: sa.Select[Any], parameters: tuple[Any, ...]
) -> None:
    sql, found = driver_sql(connection, statement)

    assert found == parameters
    assert sql.count("?") == len(parameters)
    assert connection.connection.cursor().execute(sql, found).fetchall() == [
        tuple(row) for row in connection.exec_driver_sql(sql, found)
    ]
    assert connection.scalar(sa.select(T.c.id)) == 1, "the connection goes on as before"


@pytest.mark.parametrize(
    ("type_", "column"),
    [
        (sa.BigInteger(), Column("c", Kind.INTEGER)),
        (sa.Double(), Column("c", Kind.FLOAT)),
        (sa.Numeric(12, 2), Column("c", Kind.DECIMAL, 12, 2)),
        (sa.Numeric(12, 2, asdecimal=False), Column("c", Kind.FLOAT)),
        (sa.Float(asdecimal=True), Column("c", Kind.DECIMAL)),
        (sa.Boolean(), Column("c", Kind.BOOLEAN)),
        (sa.UnicodeText(), Column("c", Kind.TEXT)),
        (sa.LargeBinary(), Column("c", Kind.BYTES)),
        (sa.Date(), Column("c", Kind.DATE)),
        (sa.Time(), Column("c", Kind.TIME)),
        (sa.DateTime(), Column("c", Kind.DATETIME)),
        (sa.DateTime(timezone=True), Column("c", Kind.INSTANT)),
        (sqlite.DATETIME(), Column("c", Kind.DATETIME)),  # type: ignore[no-untyped-call]
        (sa.Uuid(as_uuid=False), Column("c", Kind.UUID)),
        (sa.JSON(), Column("c", Kind.JSON)),
        (sa.types.NullType(), Column("c", Kind.UNKNOWN)),
    ],
)
def test_a_kind_alone_says_what_a_type_means(type_: Any, column: Column) -> None:  # noqa: ANN401 - any type
    found = typed("c", type_, sqlite.dialect())

    assert (found.column, found.process) == (column, None)


@pytest.mark.parametrize(
    ("type_", "kind"),
    [
        (sa.Enum(Colour), Kind.UNKNOWN),
        (sa.PickleType(), Kind.UNKNOWN),
        (sa.Interval(), Kind.INTERVAL),
        (sqlite.DATETIME(storage_format="%(year)04d", regexp="([0-9]{4})"), Kind.UNKNOWN),  # type: ignore[no-untyped-call]
        (sa.String().with_variant(sa.Enum(Colour), "sqlite"), Kind.UNKNOWN),
    ],
)
def test_other_types_keep_their_own_processor(type_: Any, kind: Kind) -> None:  # noqa: ANN401 - any type
    found = typed("c", type_, sqlite.dialect())

    assert found.column.kind is kind
    assert found.process is not None


def test_an_applications_own_type_is_never_taken_for_its_base() -> None:
    assert typed("c", OwnText(), sqlite.dialect()).column.kind is Kind.UNKNOWN


def test_what_is_declared_overrides_the_type() -> None:
    columns = typed_columns(sa.select(T.c.id, T.c.colour), ("id", "colour"), sqlite.dialect(), {"colour": Kind.TEXT})

    assert [(column.column.kind, column.process) for column in columns] == [(Kind.INTEGER, None), (Kind.TEXT, None)]


@pytest.mark.parametrize("fetched", [1, 2, 500])
def test_apsw_carries_text_that_is_not_utf_8(tmp_path: Path, fetched: int) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as made, made:
        made.execute("CREATE TABLE t (n INTEGER, x)")
        made.execute("INSERT INTO t VALUES (1, 'a'), (2, CAST(x'ff' AS TEXT)), (3, 1e300), (4, CAST(x'fe' AS TEXT))")
        made.execute("INSERT INTO t VALUES (5, x'00ff'), (6, NULL)")
    rows: list[Any] = []
    with closing(Connection(f"{(tmp_path / 'a.db').as_uri()}?mode=ro")) as connection:
        cursor = connection.cursor().execute("SELECT n, x FROM t WHERE n > ? ORDER BY n", (0,))
        while found := cursor.fetchmany(fetched):
            rows += found

    assert rows == [(1, "a"), (2, "\udcff"), (3, 1e300), (4, "\udcfe"), (5, b"\x00\xff"), (6, None)]


def test_apsw_carries_it_in_the_first_row(tmp_path: Path) -> None:
    made = sqlite3.connect(tmp_path / "a.db")
    made.execute("PRAGMA user_version = 1")
    made.close()
    with closing(Connection(f"{(tmp_path / 'a.db').as_uri()}?mode=ro")) as connection:
        cursor = connection.execute("SELECT CAST(x'ff41' AS TEXT) AS a, 2 AS b")
        assert [name for name, *_ in cursor.description or ()] == ["a", "b"]
        assert cursor.fetchone() == ("\udcffA", 2)
        assert cursor.fetchone() is None


def test_apsws_errors_are_the_standard_librarys(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError) as failed:
        Connection(f"{(tmp_path / 'nowhere.db').as_uri()}?mode=ro")

    assert failed.value.sqlite_errorcode == sqlite3.SQLITE_CANTOPEN
    assert failed.value.sqlite_errorname == "SQLITE_CANTOPEN"
