"""An export that yields rows itself may ask for a connection: read-only, in one snapshot, to its source."""
# ruff: noqa: ARG001 - exports take their owner, since without one they are refused

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import OperationalError

from outlast.declare import Definition, Definitions, Owner, check
from outlast.errors import DefinitionError
from outlast.extract import extract
from tests.support.rows import batches_of


@pytest.fixture
def url(tmp_path: Path) -> str:
    with closing(sqlite3.connect(tmp_path / "app.db")) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE tasks (id INTEGER PRIMARY KEY)")
        connection.executemany("INSERT INTO tasks VALUES (?)", [(1,), (2,), (3,)])
    return f"sqlite:///{tmp_path / 'app.db'}"


def declared(function: Callable[..., Any], url: str | None) -> Definition:
    definitions = Definitions(source=url)
    definitions.export("export", columns=["id"])(function)
    return next(iter(definitions))


def rows_of(definition: Definition) -> list[Any]:
    with extract(definition, Owner("1"), "{}", ["id"]) as extraction:
        assert extraction.as_of is None
        return [tuple(row) for batch in batches_of(extraction) for row in batch]


def ids(owner: Owner, connection: Connection) -> Iterator[Any]:
    for row in connection.execute(text("SELECT id FROM tasks ORDER BY id")).all():
        with closing(sqlite3.connect(str(connection.scalar(text("SELECT file FROM pragma_database_list"))))) as writer:
            writer.execute("DELETE FROM tasks")
            writer.commit()
        assert connection.scalar(text("SELECT count(*) FROM tasks")) == 3
        yield row


def test_it_reads_one_snapshot(url: str) -> None:
    assert rows_of(declared(ids, url)) == [(1,), (2,), (3,)]


def test_it_is_no_parameter_of_the_request(url: str) -> None:
    assert declared(ids, url).json_schema()["properties"] == {}


def test_nothing_can_be_written(url: str) -> None:
    def writing(owner: Owner, connection: Connection) -> Iterator[Any]:
        connection.execute(text("DELETE FROM tasks"))
        yield (1,)

    with pytest.raises(OperationalError, match="readonly"):
        rows_of(declared(writing, url))


def test_without_a_source_it_is_refused() -> None:
    with pytest.raises(DefinitionError, match="wants a connection, but has no source"):
        declared(ids, None)


def test_two_are_refused(url: str) -> None:
    def two(owner: Owner, first: Connection, second: Connection) -> Iterator[Any]:
        yield (1,)

    with pytest.raises(DefinitionError, match="both 'first' and 'second' are connections"):
        declared(two, url)


def test_check_gives_it_too(url: str) -> None:
    def at_once(owner: Owner, connection: Connection) -> list[Any]:
        return list(connection.execute(text("SELECT id FROM tasks")))

    (finding,) = check([declared(at_once, url)])

    assert not finding.wrong
    assert "can't be verified before it runs" in finding.message


def test_check_says_when_it_can_not(tmp_path: Path) -> None:
    (finding,) = check([declared(ids, f"sqlite:///{tmp_path / 'nowhere.db'}")])

    assert not finding.wrong
    assert "source can't be opened" in finding.message
