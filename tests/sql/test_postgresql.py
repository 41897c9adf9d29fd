"""PostgreSQL understands every statement, whatever its parameters are: it has to tell the types of NULLs itself."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlalchemy import Connection, Float
from sqlalchemy.sql.compiler import SQLCompiler

from outlast.database import migrate
from outlast.database.connection import Database
from outlast.database.statement import compile_for
from tests.conftest import Postgres
from tests.sql.compiled import all_statements
from tests.support.postgres import fresh_database

STATEMENTS = all_statements()


@pytest.fixture(scope="module")
def connection(postgres: Postgres) -> Iterator[Connection]:
    with fresh_database(postgres.url) as url, closing(Database(url)) as database:
        migrate.upgrade(database)
        with database.write() as connection:
            yield connection


def _value(compiled: SQLCompiler, parameter: str) -> object:
    """The statement's own constant, seconds, which are always given, or NULL."""
    fixed = compiled.params[parameter]
    return 1.0 if fixed is None and isinstance(compiled.binds[parameter].type, Float) else fixed


@pytest.mark.parametrize("name", STATEMENTS)
def test_it_is_understood(connection: Connection, name: str) -> None:
    compiled = compile_for(STATEMENTS[name], connection.dialect)
    values = tuple(_value(compiled, parameter) for parameter in compiled.positiontup)
    savepoint = connection.begin_nested()
    try:
        assert connection.exec_driver_sql(f"EXPLAIN {compiled}", values).all()
    finally:
        savepoint.rollback()
