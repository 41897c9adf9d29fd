"""The README's app, laid out as its reader would: what the README calls theirs is added here."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.docs.blocks import the_block

MODELS = '''
"""The app's tables."""

from datetime import UTC, datetime

from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


def now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)


class Base(DeclarativeBase):
    pass


class User(Base):
    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str]


class Task(Base):
    __tablename__ = "tasks"

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int]
    title: Mapped[str]
    status: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=now)
'''

AUTHENTICATION = '''
"""Who asks."""

from typing import Annotated

from fastapi import Header, HTTPException
from sqlalchemy import create_engine, select
from sqlalchemy.orm import Session

from myapp.models import User

engine = create_engine("sqlite:///app.db")


def current_user(authorization: Annotated[str, Header()] = "") -> User:
    with Session(engine) as session:
        user = session.scalar(select(User).where(User.token == authorization.removeprefix("Bearer ")))
    if user is None:
        raise HTTPException(401)
    return user
'''

IMPORTS = """
from datetime import date
from typing import Annotated, Literal

from fastapi import Depends, FastAPI
from sqlalchemy import select

from myapp.authentication import current_user
from myapp.models import Task, User
from outlast import Exports, Owner, Principal, Query

"""

TASKS = [
    (1, 3, 'Say "hello", then go', "todo", "2026-01-05 10:00:00.000000"),
    (2, 3, "Call\nback", "done", "2026-02-05 10:00:00.000000"),
    (3, 4, "Somebody else's", "todo", "2026-02-05 10:00:00.000000"),
    (4, 3, "", "todo", "2026-03-05 10:00:00.000000"),
]
TOKEN, OTHER_TOKEN = "token-of-3", "token-of-4"


def lay_out(directory: Path) -> None:
    """Write the package `myapp` and its database `app.db`."""
    package = directory / "myapp"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "models.py").write_text(MODELS.lstrip())
    (package / "authentication.py").write_text(AUTHENTICATION.lstrip())
    (package / "main.py").write_text(IMPORTS.lstrip() + the_block("README.md", "python", "# myapp/main.py").text)
    create_database(directory / "app.db")


def create_database(path: Path) -> None:
    """Write the app's database: two users' tasks."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE users (id INTEGER PRIMARY KEY, token TEXT NOT NULL)")
        connection.execute(
            "CREATE TABLE tasks (id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL, title TEXT NOT NULL,"
            " status TEXT NOT NULL, created_at DATETIME NOT NULL)"
        )
        connection.executemany("INSERT INTO users VALUES (?, ?)", [(3, TOKEN), (4, OTHER_TOKEN)])
        connection.executemany("INSERT INTO tasks VALUES (?, ?, ?, ?, ?)", TASKS)
