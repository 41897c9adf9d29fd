"""The tasks of the person who asks: created, listed, read, changed and deleted over HTTP.

Somebody else's task and one that doesn't exist get the same 404.
"""

from datetime import date, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request, Response, status
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from outlast.demo.database import TasksDatabase
from outlast.demo.schema import Status, Task, User, utc_now
from outlast.demo.users import current_user, tasks_database

TITLE_LIMIT_CHARACTERS = 500
DESCRIPTION_LIMIT_CHARACTERS = 20_000
ESTIMATE_LIMIT_HOURS = 100_000
PAGE_LIMIT_TASKS = 200
# The largest that SQLite counts to.
NUMBER_LIMIT = 2**63 - 1


def _storable(value: str) -> str:
    # JSON can spell half of a surrogate pair, which is no character and which UTF-8 can't carry.
    if any(character == "\0" or "\ud800" <= character <= "\udfff" for character in value):
        raise ValueError("must contain neither NUL nor lone surrogates")
    return value


# The length first, so that no more than that is ever looked through.
Title = Annotated[str, Field(min_length=1, max_length=TITLE_LIMIT_CHARACTERS), AfterValidator(_storable)]
Description = Annotated[str, Field(max_length=DESCRIPTION_LIMIT_CHARACTERS), AfterValidator(_storable)]
Priority = Annotated[int, Field(ge=1, le=5, description="From 1 (first) to 5.")]
Estimate = Annotated[float, Field(ge=0, le=ESTIMATE_LIMIT_HOURS, allow_inf_nan=False, description="Hours.")]


class NewTask(BaseModel):
    """A task to create."""

    model_config = ConfigDict(extra="forbid")

    title: Title
    description: Description | None = None
    status: Status = "todo"
    priority: Priority = 3
    due_date: date | None = None
    estimate: Estimate | None = None


class TaskChange(BaseModel):
    """The columns of a task to change; those left out stay. The defaults here are never used."""

    model_config = ConfigDict(extra="forbid")

    title: Title = ""
    description: Description | None = None
    status: Status = "todo"
    priority: Priority = 3
    due_date: date | None = None
    estimate: Estimate | None = None


class TaskView(BaseModel):
    """A task as it stands; times are in UTC."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    title: str
    description: str | None
    status: Status
    priority: int
    due_date: date | None
    created_at: datetime
    updated_at: datetime
    completed: bool
    estimate: float | None


class TaskPage(BaseModel):
    """Tasks in the order of their numbers; `next_after` is the `after` that gives the next page, if there is one."""

    tasks: list[TaskView]
    next_after: int | None


Database = Annotated[TasksDatabase, Depends(tasks_database)]
CurrentUser = Annotated[User, Depends(current_user)]
Number = Annotated[int, Path(ge=1, le=NUMBER_LIMIT)]

router = APIRouter(
    prefix="/tasks",
    tags=["tasks"],
    responses={
        401: {"description": "No valid bearer token."},
        503: {"description": "The database is busy or full; try again after `Retry-After` seconds."},
    },
)
_NO_SUCH_TASK: dict[int | str, dict[str, Any]] = {404: {"description": "The caller has no such task."}}


@router.post("", status_code=status.HTTP_201_CREATED)
def create_task(new: NewTask, user: CurrentUser, database: Database, request: Request, response: Response) -> TaskView:
    """Create a task of the caller's; `Location` says where it is."""
    now = utc_now()
    task = Task(**new.model_dump(), owner_id=user.id, created_at=now, updated_at=now, completed=new.status == "done")
    with database.writing() as session:
        session.add(task)
    response.headers["Location"] = request.url_for("get_task", number=task.id).path
    return TaskView.model_validate(task)


@router.get("")
def list_tasks(
    user: CurrentUser,
    database: Database,
    status: Status | None = None,
    after: Annotated[int, Query(ge=0, le=NUMBER_LIMIT)] = 0,
    limit: Annotated[int, Query(ge=1, le=PAGE_LIMIT_TASKS)] = 50,
) -> TaskPage:
    """List the caller's tasks, those numbered higher than `after`."""
    query = select(Task).where(Task.owner_id == user.id, Task.id > after).order_by(Task.id)
    if status:
        query = query.where(Task.status == status)
    with database.reading() as session:
        tasks = session.scalars(query.limit(limit + 1)).all()
    page = [TaskView.model_validate(task) for task in tasks[:limit]]
    return TaskPage(tasks=page, next_after=page[-1].id if len(tasks) > limit else None)


@router.get("/{number}", responses=_NO_SUCH_TASK)
def get_task(number: Number, user: CurrentUser, database: Database) -> TaskView:
    """Show one of the caller's tasks."""
    with database.reading() as session:
        return TaskView.model_validate(_task(session, number, user))


@router.patch("/{number}", responses=_NO_SUCH_TASK)
def change_task(number: Number, change: TaskChange, user: CurrentUser, database: Database) -> TaskView:
    """Change the columns that the body names."""
    with database.writing() as session:
        task = _task(session, number, user)
        for column, value in change.model_dump(exclude_unset=True).items():
            setattr(task, column, value)
        task.completed = task.status == "done"
        task.updated_at = utc_now()
    return TaskView.model_validate(task)


@router.delete("/{number}", status_code=status.HTTP_204_NO_CONTENT, responses=_NO_SUCH_TASK)
def delete_task(number: Number, user: CurrentUser, database: Database) -> None:
    """Delete one of the caller's tasks."""
    with database.writing() as session:
        session.delete(_task(session, number, user))


def _task(session: Session, number: int, user: User) -> Task:
    task = session.scalar(select(Task).where(Task.id == number, Task.owner_id == user.id))
    if task is None:
        raise HTTPException(status.HTTP_404_NOT_FOUND, "You have no such task.")
    return task
