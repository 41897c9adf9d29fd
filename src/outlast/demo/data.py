"""Realistic tasks, the same ones for the same seed, filled in without holding the file's write lock for long."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from sqlalchemy import insert, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.orm import Session

from outlast.demo.database import TasksDatabase
from outlast.demo.phrases import (
    AREAS,
    AWKWARD_DESCRIPTIONS,
    AWKWARD_TITLES,
    OBJECTS,
    SENTENCES,
    VERBS,
)
from outlast.demo.schema import Base, Status, Task, User

TASK_COUNT = 100_000
SEED = 20_260_101
USERS = {1: "Amina Diallo", 2: "Jürgen Groß", 3: "李明"}
# Of ten tasks in a row six are the first user's, three the second's and one the third's.
OWNERS = (1, 2, 1, 1, 2, 1, 3, 1, 2, 1)

BATCH_ROWS = 1_000
FIRST_DAY = datetime(2024, 1, 1, tzinfo=UTC)
DAYS = 730
UPDATED_AFTER_DAYS = 7.0
AWKWARD_TITLE_SHARE = 0.05
UNDUE_SHARE = 0.3

# The table, not the class: an insert through the mapper takes five times as long.
_TASKS = Base.metadata.tables[Task.__tablename__]


def populate(
    database: TasksDatabase,
    task_count: int = TASK_COUNT,
    seed: int = SEED,
    on_progress: Callable[[int], None] = lambda _last_number: None,
) -> None:
    """Create the users and their tasks, numbered from 1 to `task_count`; `on_progress` gets the last number committed.

    One short transaction for each thousand tasks. Called again, after an interruption too, it adds only the numbers
    that never existed: a task that was deleted stays deleted.
    """
    with database.writing() as session:
        names = [{"id": number, "name": name} for number, name in USERS.items()]
        session.execute(sqlite.insert(User).on_conflict_do_nothing(), names)
        done = _last_number(session) // BATCH_ROWS * BATCH_ROWS
    for start in range(done, task_count, BATCH_ROWS):
        end = min(start + BATCH_ROWS, task_count)
        # Made up before the lock is taken, for that takes as long as the insert.
        tasks = list(generate(start, end, task_count, seed))
        with database.writing() as session:
            last_number = _last_number(session)
            if missing := [task for task in tasks if task["id"] > last_number]:
                session.execute(insert(_TASKS), missing)
        on_progress(end)


def generate(start: int, end: int, task_count: int, seed: int = SEED) -> Iterator[dict[str, Any]]:
    """Give the tasks number `start` + 1 to `end` of `task_count`, as columns and values.

    `start` is a multiple of BATCH_ROWS: each batch has its own randomness, so that filling can go on from any batch.
    """
    random = Random(f"{seed}:{start}")  # noqa: S311 - made-up tasks, nothing secret
    for index in range(start, end):
        yield _task(random, index, FIRST_DAY + timedelta(days=DAYS * index / task_count))


def _task(random: Random, index: int, created_at: datetime) -> dict[str, Any]:
    status = random.choice(_STATUSES)
    return {
        "id": index + 1,
        "owner_id": OWNERS[index % len(OWNERS)],
        "title": random.choice(AWKWARD_TITLES) if random.random() < AWKWARD_TITLE_SHARE else _title(random),
        "description": random.choice(_DESCRIPTIONS)(random),
        "status": status,
        "priority": random.choice(_PRIORITIES),
        "due_date": None if random.random() < UNDUE_SHARE else created_at.date() + random.choice(_DUE_IN),
        "created_at": created_at,
        "updated_at": created_at + timedelta(days=random.expovariate(1 / UPDATED_AFTER_DAYS)),
        "completed": status == "done",
        "estimate": random.choice(_ESTIMATES)(random),
    }


def _title(random: Random) -> str:
    return f"{random.choice(VERBS)} {random.choice(OBJECTS)}{random.choice(AREAS)}"


def _sentences(random: Random) -> str:
    return random.choice((" ", " ", "\n", "\r\n")).join(random.choices(SENTENCES, k=random.choice((1, 1, 2, 3, 4, 6))))


# Drawn from evenly, so that what stands twice is twice as frequent.
_STATUSES: tuple[Status, ...] = ("todo",) * 7 + ("doing",) * 3 + ("done",) * 10
_PRIORITIES = (1,) + (2,) * 3 + (3,) * 10 + (4,) * 4 + (5,) * 2
_DUE_IN = tuple(timedelta(days=days) for days in range(90))
_DESCRIPTIONS: tuple[Callable[[Random], str | None], ...] = (
    *(lambda _: None,) * 4,
    lambda _: "",
    *(lambda random: random.choice(AWKWARD_DESCRIPTIONS),) * 2,
    *(_sentences,) * 13,
)
# In hours: mostly quarters; some shares whose digits fill a float.
_ESTIMATES: tuple[Callable[[Random], float | None], ...] = (
    *(lambda _: None,) * 3,
    lambda _: 0.0,
    *(lambda random: int(random.random() * 160) / 4,) * 3,
    lambda random: random.random(),
)


def _last_number(session: Session) -> int:
    """Give the highest number that a task ever had."""
    return session.scalar(text("SELECT seq FROM sqlite_sequence WHERE name = 'tasks'")) or 0
