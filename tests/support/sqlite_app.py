"""Exports that tell how they read a SQLite file: by which library, on which path."""
# ruff: noqa: ARG001 - they take their owner, since without one an export is refused

import os
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Column, Connection, Engine, Integer, MetaData, Table, create_engine, select, text

from outlast import Exports, Owner
from outlast.declare import Query
from tests.support.exports_app import DIRECTORY_VARIABLE


def source() -> Engine:
    return create_engine(f"sqlite:///{Path(os.environ[DIRECTORY_VARIABLE], 'source.db')}")


NUMBERS = Table("numbers", MetaData(), Column("n", Integer))
exports = Exports(source=source)


@exports.export("numbers", columns=["n"], owner_scoped=False)
def numbers(owner: Owner) -> Query:
    """All numbers."""
    return select(NUMBERS.c.n)


@exports.export("libraries", columns=["n"])
def libraries(owner: Owner, connection: Connection) -> Iterator[tuple[str]]:
    """The library that reads, and what it reads."""
    yield (str(connection.scalar(text("SELECT sqlite_version()"))),)
    for (number,) in connection.execute(select(NUMBERS.c.n)):
        yield (str(number),)
