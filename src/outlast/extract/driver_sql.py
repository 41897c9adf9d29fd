"""A statement as its driver would get it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Executable, event


class _Captured(Exception):
    def __init__(self, sql: str, parameters: Any) -> None:  # noqa: ANN401 - what the driver takes
        super().__init__()
        self.sql = sql
        self.parameters = parameters


def driver_sql(connection: Connection, statement: Executable) -> tuple[str, Any]:
    """Give the SQL and the bound values, in the driver's own style, that executing `statement` would send.

    Nothing is sent: SQLAlchemy prepares everything, lists of IN and types' conversions included, up to the call of the
    driver's cursor, which is then closed unused.
    """

    def capture(*arguments: Any) -> None:  # connection, cursor, SQL, parameters, context, whether many
        if arguments[4].invoked_statement is statement:  # else it is a BEGIN that comes before it
            raise _Captured(arguments[2], arguments[3])

    event.listen(connection, "before_cursor_execute", capture)
    try:
        connection.execute(statement)
    except _Captured as captured:
        return captured.sql, captured.parameters
    finally:
        event.remove(connection, "before_cursor_execute", capture)
    raise AssertionError("a statement was executed without its event")
