"""Savepoints: what fails in one is undone alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy.engine import Connection

from outlast.database import dialect

T = TypeVar("T")


def in_savepoint(connection: Connection, action: Callable[[], T]) -> tuple[T | None, Exception | None]:
    """Do it, and give its result, or the error that undid it.

    Raises whatever ended the whole transaction: some errors of SQLite roll back everything, and what followed would
    then commit statement by statement. Where nobody may write, the whole transaction is of no use either.
    """
    driver: Any = connection.connection.driver_connection
    driver.execute("SAVEPOINT write_one")
    result, failure = None, None
    try:
        result = action()
    except Exception as error:
        if not dialect.transaction_exists(connection) or dialect.is_read_only(error):
            raise
        driver.execute("ROLLBACK TO write_one")
        failure = error
    driver.execute("RELEASE write_one")
    return result, failure
