"""How a transaction on PostgreSQL is prepared for reading, and a statement as the text that every command embeds."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import ClientCursor, Connection

_SETTINGS = {
    "TimeZone": "UTC",
    "DateStyle": "ISO",
    "IntervalStyle": "iso_8601",
    "extra_float_digits": "1",
    "bytea_output": "hex",
    "client_encoding": "UTF8",
    "synchronize_seqscans": "off",  # where another's scan stands must not decide about the order of rows
    "cursor_tuple_fraction": "1",  # a cursor is read to its end: the plan that COPY has
}
"""Set for the transaction alone: a pooling proxy gives the session to others afterwards."""

_BUFFER_BYTES = 128 * 1024
"""libpq asks the system for as many bytes as it has room for: 16 KiB, unless it once received something longer."""

UNKNOWN_ENCODING = "SQL_ASCII"
"""Of a database that holds bytes, and nobody knows what they mean."""


def prepare_session(driver: Connection[Any]) -> None:
    """Let the server spell values in the one way that both paths promise."""
    calls = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in _SETTINGS.items())
    driver.execute(f"SELECT {calls}, repeat(' ', {_BUFFER_BYTES})".encode(), prepare=False)


def server_encoding(driver: Connection[Any]) -> str:
    """Give PostgreSQL's name of the database's encoding."""
    return driver.info.parameter_status("server_encoding") or UNKNOWN_ENCODING


def take_any_bytes(driver: Connection[Any]) -> None:
    """Let the server send text unjudged, as it would refuse to send what is not UTF-8."""
    driver.execute(b"SELECT set_config('client_encoding', 'SQL_ASCII', true)", prepare=False)


def literal_sql(driver: Connection[Any], sql: str, parameters: Any) -> bytes:  # noqa: ANN401 - what the driver takes
    """Give a statement with its parameters in it as literals, quoted by the driver: COPY takes no others."""
    merged = ClientCursor(driver).mogrify(sql, parameters)
    return merged.rstrip().rstrip(";").encode()


def planned_rows(driver: Connection[Any], sql: bytes) -> int | None:
    """Give the number of rows that the planner expects; None if it can't be asked."""
    try:
        with driver.transaction():  # a savepoint: the snapshot outlives a refusal
            found = driver.execute(b"EXPLAIN (FORMAT JSON) " + sql, prepare=False).fetchone()
            return None if found is None else int(found[0][0]["Plan"]["Plan Rows"])
    except (psycopg.errors.SyntaxError, psycopg.errors.InsufficientPrivilege, LookupError, TypeError, ValueError):
        return None
