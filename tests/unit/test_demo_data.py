"""The demo's tasks: the same for a seed, awkward enough to be worth exporting, and filled in beside other writers."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select

from outlast.demo.data import BATCH_ROWS, generate, populate
from outlast.demo.database import TasksDatabase
from outlast.demo.schema import Task, User

Row = tuple[Any, ...]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "demo.db"


@pytest.fixture
def database(path: Path) -> Iterator[TasksDatabase]:
    database = TasksDatabase(f"sqlite:///{path}")
    database.create_tables()
    yield database
    database.close()


def query(path: Path, sql: str, *values: object) -> list[Row]:
    connection = sqlite3.connect(path, timeout=0)
    try:
        rows: list[Row] = connection.execute(sql, values).fetchall()
        connection.commit()
        return rows
    finally:
        connection.close()


def test_a_seed_gives_the_same_tasks_again_and_another_seed_others() -> None:
    tasks = list(generate(0, 500, 500, seed=1))
    assert list(generate(0, 500, 500, seed=1)) == tasks
    assert list(generate(0, 500, 500, seed=2)) != tasks


def test_three_users_share_the_tasks_numbered_from_one(database: TasksDatabase, path: Path) -> None:
    populate(database, 2_500)
    assert query(path, "SELECT count(*), min(id), max(id) FROM tasks") == [(2_500, 1, 2_500)]
    assert query(path, "SELECT owner_id, count(*) FROM tasks GROUP BY 1") == [(1, 1_500), (2, 750), (3, 250)]
    assert len(query(path, "SELECT id FROM users")) == 3


def test_the_texts_try_a_file_format() -> None:
    tasks = list(generate(0, 5_000, 5_000))
    descriptions = [task["description"] for task in tasks]
    assert None in descriptions
    assert "" in descriptions
    texts = [text for text in descriptions if text] + [task["title"] for task in tasks]
    for awkward in (",", '"', "\n", "\r\n", "\t", "\\", "\u2028", "\ufeff", "🚀", "\u200d", "ة", "ת", "李"):
        assert any(awkward in text for text in texts), f"no text has {awkward!r}"
    for formula in "=+-@":
        assert any(text.startswith(formula) for text in texts), f"no text starts with {formula}"
    assert any(text != text.strip() for text in texts)


def test_every_column_varies_and_only_the_optional_ones_are_ever_missing() -> None:
    tasks = list(generate(0, 5_000, 5_000))
    for column in tasks[0].keys() - {"id"}:
        values = {task[column] for task in tasks}
        assert len(values) > 1, column
        assert (None in values) == (column in {"description", "due_date", "estimate"}), column


def test_tasks_were_updated_after_they_were_created_and_created_in_the_order_of_their_numbers() -> None:
    tasks = list(generate(0, 1_000, 1_000))
    assert all(task["updated_at"] >= task["created_at"] for task in tasks)
    assert all(one["created_at"] < next_one["created_at"] for one, next_one in pairwise(tasks))


def test_an_interrupted_filling_goes_on_where_it_stopped(database: TasksDatabase, path: Path, tmp_path: Path) -> None:
    def interrupt(last_number: int) -> None:
        if last_number == BATCH_ROWS:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        populate(database, 2_500, on_progress=interrupt)
    assert query(path, "SELECT count(*) FROM tasks") == [(BATCH_ROWS,)]
    populate(database, 2_500)

    uninterrupted = TasksDatabase(f"sqlite:///{tmp_path / 'uninterrupted.db'}")
    uninterrupted.create_tables()
    populate(uninterrupted, 2_500)
    uninterrupted.close()
    everything = "SELECT * FROM tasks ORDER BY id"
    assert query(path, everything) == query(tmp_path / "uninterrupted.db", everything)


def test_filling_again_brings_no_deleted_task_back(database: TasksDatabase, path: Path) -> None:
    populate(database, 1_500)
    query(path, "DELETE FROM tasks WHERE id IN (700, 1500)")
    populate(database, 1_500)
    assert query(path, "SELECT count(*) FROM tasks") == [(1_498,)]


def test_others_write_while_the_tasks_are_filled_in(database: TasksDatabase, path: Path) -> None:
    names: list[Row] = []

    def rename(last_number: int) -> None:
        query(path, "UPDATE users SET name = ? WHERE id = 1", str(last_number))  # fails at once if it had to wait
        names.extend(query(path, "SELECT name FROM users WHERE id = 1"))

    populate(database, 2_500, on_progress=rename)
    assert names == [("1000",), ("2000",), ("2500",)]


def test_tables_are_created_in_a_file_that_has_others_and_only_once(path: Path) -> None:
    query(path, "CREATE TABLE export_jobs (id)")
    query(path, "INSERT INTO export_jobs VALUES (7)")
    for _ in range(2):
        database = TasksDatabase(f"sqlite:///{path}")
        database.create_tables()
        database.close()
    names = {name for (name,) in query(path, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert names == {"export_jobs", "users", "user_tokens", "tasks", "sqlite_sequence"}
    assert query(path, "SELECT id FROM export_jobs") == [(7,)]


def add_task(database: TasksDatabase, created_at: datetime) -> int:
    with database.writing() as session:
        session.merge(User(id=1, name="Amina"))
        session.flush()
        row = {
            "owner_id": 1,
            "title": "Call",
            "status": "todo",
            "priority": 3,
            "created_at": created_at,
            "updated_at": created_at,
            "completed": False,
        }
        return session.scalars(insert(Task).returning(Task.id), row).one()


def test_times_come_back_as_the_same_instants_in_utc(database: TasksDatabase) -> None:
    in_nepal = datetime(2026, 3, 1, 0, 15, 0, 250_000, timezone(timedelta(hours=5, minutes=45)))
    number = add_task(database, in_nepal)
    with database.reading() as session:
        stored = session.scalars(select(Task.created_at).where(Task.id == number)).one()
    assert stored == in_nepal
    assert stored.tzinfo is UTC


def test_a_date_means_the_beginning_of_its_day_in_utc(database: TasksDatabase) -> None:
    midnight = datetime(2026, 3, 1, tzinfo=UTC)
    add_task(database, midnight - timedelta(milliseconds=1))
    number = add_task(database, midnight)
    with database.reading() as session:
        assert session.scalars(select(Task.id).where(Task.created_at >= date(2026, 3, 1))).all() == [number]


def test_a_time_without_zone_is_refused(database: TasksDatabase) -> None:
    with pytest.raises(Exception, match="time zone"):
        add_task(database, datetime(2026, 3, 1))  # noqa: DTZ001 - the mistake that is tested
