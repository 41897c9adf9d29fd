"""The tasks service's own tables. They may share a SQLite file with Outlast's, whose names are all different.

users        who may use the service
user_tokens  bearer tokens, kept as SHA-256 of the token only
tasks        what each user has to do; a task belongs to one user for good
"""

from datetime import UTC, date, datetime, time
from typing import Literal, get_args

from sqlalchemy import CheckConstraint, ForeignKey, Index, Text, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

Status = Literal["todo", "doing", "done"]
STATUSES: tuple[Status, ...] = get_args(Status)


def utc_now() -> datetime:
    """Give the time to the millisecond, which is what `Instant` keeps."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


class Instant(TypeDecorator[datetime]):
    """A time in UTC as text of fixed width, `2026-03-01T09:30:00.000Z` (RFC 3339), so that text order is time order.

    Takes aware datetimes, and a date as that day's beginning in UTC; gives aware datetimes in UTC.
    Finer than a millisecond is cut off. A naive datetime raises ValueError.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | date | None, dialect: object) -> str | None:
        """Give the text that is stored."""
        del dialect
        if value is None:
            return None
        if not isinstance(value, datetime):
            value = datetime.combine(value, time.min, UTC)
        if value.tzinfo is None:
            message = "a stored time needs its time zone"
            raise ValueError(message)
        return value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"

    def process_result_value(self, value: str | None, dialect: object) -> datetime | None:
        """Give the time that the text says."""
        del dialect
        return None if value is None else datetime.fromisoformat(value)


class Base(DeclarativeBase):
    """The tables of the tasks service."""


class User(Base):
    """Somebody who has tasks."""

    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(Text)


class UserToken(Base):
    """A bearer token of a user; the token itself is stored nowhere."""

    __tablename__ = "user_tokens"

    token_sha256: Mapped[str] = mapped_column(Text, primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    created_at: Mapped[datetime] = mapped_column(Instant)


class Task(Base):
    """One thing to do. `priority` runs from 1 (first) to 5; `estimate` is in hours; `completed` says status `done`."""

    __tablename__ = "tasks"
    __table_args__ = (
        CheckConstraint(f"status IN {STATUSES!r}", name="tasks_status_known"),
        CheckConstraint("priority BETWEEN 1 AND 5", name="tasks_priority_known"),
        CheckConstraint("completed = (status = 'done')", name="tasks_completed_means_done"),
        CheckConstraint("estimate >= 0", name="tasks_estimate_not_negative"),
        Index("tasks_by_owner", "owner_id", "id"),
        # The number of a deleted task must not come to mean another one.
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    title: Mapped[str] = mapped_column(Text)
    description: Mapped[str | None] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text)
    priority: Mapped[int]
    due_date: Mapped[date | None]
    created_at: Mapped[datetime] = mapped_column(Instant)
    updated_at: Mapped[datetime] = mapped_column(Instant)
    completed: Mapped[bool]
    estimate: Mapped[float | None]
