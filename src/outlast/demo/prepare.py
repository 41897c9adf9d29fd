"""The demo's file made ready: the service's tables and tasks, Outlast's tables, and a token for each of two users."""

from collections.abc import Callable

from outlast.database.connection import Database
from outlast.database.migrate import upgrade
from outlast.demo.data import TASK_COUNT, populate
from outlast.demo.database import TasksDatabase
from outlast.demo.users import issue_token

FIRST_USER, SECOND_USER = 1, 2


def prepare(
    database_url: str, task_count: int = TASK_COUNT, on_progress: Callable[[int], None] = lambda _last_number: None
) -> tuple[str, str]:
    """Bring the SQLite file to `task_count` tasks and the newest schema; what is there already stays.

    Gives new bearer tokens of the first and of the second user. Raises OutlastError when the file can't be upgraded.
    """
    tasks, jobs = TasksDatabase(database_url), Database(database_url)
    try:
        tasks.create_tables()
        populate(tasks, task_count, on_progress=on_progress)
        upgrade(jobs)
        return issue_token(tasks, FIRST_USER), issue_token(tasks, SECOND_USER)
    finally:
        jobs.close()
        tasks.close()
