"""The README's example, as an app would write it: it must run, and pass mypy strict."""

from datetime import date, datetime
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from outlast import Exports, Owner, Query


class Base(DeclarativeBase):
    """The app's tables."""


class Task(Base):
    """Something to do."""

    __tablename__ = "tasks"

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int]
    title: Mapped[str]
    status: Mapped[str]
    created_at: Mapped[datetime]


exports = Exports(database_url="sqlite:///exports.db", source="sqlite:///app.db")
COLUMNS = [Task.id, Task.title, Task.status.label("state"), Task.created_at]


@exports.export("tasks", columns=COLUMNS)
def tasks(
    owner: Owner,
    status: Literal["todo", "doing", "done"] | None = None,
    created_since: date | None = None,
) -> Query:
    """The tasks of the person who asks."""
    query = select(*COLUMNS).where(Task.owner_id == int(owner.id))
    if status:
        query = query.where(Task.status == status)
    return query.where(Task.created_at >= created_since) if created_since else query
