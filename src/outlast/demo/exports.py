"""What the tasks service's users may export. Started as `outlast worker --app outlast.demo.exports:exports`."""

from datetime import date
from typing import Literal

from sqlalchemy import select

from outlast import Exports, Owner, Query
from outlast.demo.database import demo_database_url
from outlast.demo.schema import Task

# Jobs and tasks live in one file.
exports = Exports(database_url=demo_database_url(), source=demo_database_url())

COLUMNS = [
    Task.id,
    Task.title,
    Task.description,
    Task.status,
    Task.priority,
    Task.due_date,
    Task.created_at,
    Task.updated_at,
    Task.completed,
    Task.estimate,
]


@exports.export("tasks", columns=COLUMNS)
def tasks(
    owner: Owner, status: Literal["todo", "doing", "done"] | None = None, created_since: date | None = None
) -> Query:
    """The tasks of the person who asks."""
    query = select(*COLUMNS).where(Task.owner_id == int(owner.id))
    if status:
        query = query.where(Task.status == status)
    return query.where(Task.created_at >= created_since) if created_since else query
