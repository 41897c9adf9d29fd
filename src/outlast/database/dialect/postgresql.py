"""PostgreSQL: its engines, its errors, and what exists in its schema `outlast`.

Connections run in the driver's autocommit mode and begin their transactions by themselves, so that the beginning and
its settings are one round trip, and nothing is set on a session that a pooling proxy may give to somebody else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.engine import URL, Connection
from sqlalchemy.pool import QueuePool

from outlast.database.dialect.functions import SCHEMA
from outlast.database.dialect.objects import Definition, Kind, Trigger
from outlast.errors import DefinitionError, OutcomeUnknownError

LOCK_TIMEOUT_MILLISECONDS = 250
"""How long one statement waits for a row that somebody else has changed; the writer repeats the write alone."""
UPGRADE_LOCK_TIMEOUT_MILLISECONDS = 2_000
POOL_WAIT_SECONDS = 5.0
"""How long a reader waits for a free connection."""
_UPGRADE_LOCK = 0x6F75746C617374
"""The advisory lock of those who change the schema: "outlast" in ASCII."""

_BEGIN_WRITING = f"BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = {LOCK_TIMEOUT_MILLISECONDS}"
_BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

_READ_ONLY = "25006"
_FULL = {"53100"}
# Lock not available, deadlock, serialization failure, statement cancelled (statement_timeout).
_BUSY = {"55P03", "40P01", "40001", "57014"}
# Whole classes: connection, resources, operator's intervention, system. Undefined tables and schemas: not upgraded.
_OPERATIONAL_CLASSES = {"08", "53", "57", "58"}
_OPERATIONAL = {_READ_ONLY, "42P01", "3F000", "25P02"} | _BUSY


def check_url(url: URL) -> None:
    """Raises DefinitionError: another driver than psycopg, or psycopg isn't installed."""
    if url.drivername != "postgresql+psycopg":
        message = f"database_url names the driver {url.drivername!r}; Outlast uses postgresql+psycopg://…"
        raise DefinitionError(message)
    try:
        url.get_dialect().import_dbapi()
    except ImportError:
        message = "PostgreSQL needs psycopg: install outlast[postgresql]"
        raise DefinitionError(message) from None


def create_write_engine(url: URL, clock: str | None) -> Engine:
    """An engine whose transactions lock the rows that they change, and wait for others' only briefly."""
    return _engine(url, clock, begin=_BEGIN_WRITING, pool_size=1)


def create_read_engine(url: URL, clock: str | None) -> Engine:
    """An engine whose transactions read one snapshot and can't write."""
    return _engine(url, clock, begin=_BEGIN_READING, pool_size=16, pool_pre_ping=True)


def _engine(url: URL, clock: str | None, *, begin: str, **options: Any) -> Engine:
    engine = create_engine(
        url, poolclass=QueuePool, max_overflow=16, pool_timeout=POOL_WAIT_SECONDS, paramstyle="format",
        execution_options={"schema_translate_map": {None: SCHEMA}}, **options,
    )  # fmt: skip
    engine.dialect.outlast_clock = clock  # type: ignore[attr-defined]

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.autocommit = True

    @event.listens_for(engine, "begin")
    def begin_transaction(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    @event.listens_for(engine, "commit")
    def commits_something(connection: Connection) -> None:
        # The COMMIT of a failed transaction undoes it, and reports success.
        if _status(connection) != "INTRANS":
            raise OutcomeUnknownError("the transaction failed before its COMMIT")

    return engine


def _status(connection: Connection) -> str:
    driver: Any = connection.connection.driver_connection
    name: str = driver.info.transaction_status.name
    return name


def transaction_exists(connection: Connection) -> bool:
    """Whether the server still has our transaction, in which a savepoint may have failed."""
    return _status(connection) in {"INTRANS", "INERROR"}


def locks_rows() -> bool:
    """A row is locked by whoever changes it."""
    return True


def is_busy(error: BaseException) -> bool:
    """Whether the statement was refused because of what somebody else does at the time; repeating it may help."""
    return _sqlstate(error) in _BUSY


def is_full(error: BaseException) -> bool:
    """Whether the database has no room left to write."""
    return _sqlstate(error) in _FULL


def is_read_only(error: BaseException) -> bool:
    """Whether nobody may write there: another server has taken over, perhaps."""
    return _sqlstate(error) == _READ_ONLY


def is_operational(error: BaseException) -> bool:
    """Whether the database itself can't do it now: locked, full, gone, not upgraded; no fault of the statement."""
    original = getattr(error, "orig", error)
    if not hasattr(original, "sqlstate"):  # no error of the driver's
        return False
    state = original.sqlstate
    if state is None:  # nothing came from the server: the connection is gone
        return True
    return state in _OPERATIONAL or state[:2] in _OPERATIONAL_CLASSES


def _sqlstate(error: BaseException) -> str | None:
    return getattr(getattr(error, "orig", error), "sqlstate", None)


@contextmanager
def changing_schema(connection: Connection) -> Iterator[None]:
    """In the body a transaction has begun in which the schema may be changed, by nobody else at the time."""
    connection.begin()
    # Waits for its turn as for any other lock: briefly, and the caller repeats it.
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {UPGRADE_LOCK_TIMEOUT_MILLISECONDS}")
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_UPGRADE_LOCK})")
    connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
    connection.exec_driver_sql(f"SET LOCAL search_path = {SCHEMA}")
    yield


_TRIGGERS = text("""
    SELECT t.tgname, c.relname, p.prosrc, pg_get_triggerdef(t.oid), t.tgenabled::text
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
    WHERE c.relnamespace = to_regnamespace(:schema) AND NOT t.tgisinternal
""")
_INDEXES = text("""
    SELECT i.relname, c.relname, pg_get_indexdef(i.oid), x.indisvalid
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
    WHERE c.relnamespace = to_regnamespace(:schema)
        AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.oid)
""")
_CHECKS = text("""
    SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = to_regnamespace(:schema) AND contype = 'c' AND convalidated
""")
_SIZE = text("""
    SELECT COALESCE(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
    WHERE relnamespace = to_regnamespace(:schema) AND relkind = 'r'
""")


def definitions(connection: Connection, kind: Kind) -> dict[str, Definition]:
    """What exists of a kind, by name, as our own DDL says it; what is disabled or invalid has another text."""
    if kind == "trigger":
        return {
            name: Definition(table, f"{_function(name, source)};\n{_qualified(made)}" if enabled == "O" else "disabled")
            for name, table, source, made, enabled in connection.execute(_TRIGGERS, {"schema": SCHEMA})
        }
    return {
        name: Definition(table, _as_declared(made) if valid else "invalid")
        for name, table, made, valid in connection.execute(_INDEXES, {"schema": SCHEMA})
    }


def _qualified(made: str) -> str:
    """A trigger's definition, which leaves the function's schema out where it is searched anyway."""
    return re.sub(rf"EXECUTE FUNCTION (?!{SCHEMA}\.)", f"EXECUTE FUNCTION {SCHEMA}.", made)


def _function(name: str, source: str) -> str:
    return f"CREATE OR REPLACE FUNCTION {SCHEMA}.{name}() RETURNS trigger LANGUAGE plpgsql AS $${source}$$"


def trigger_ddl(trigger: Trigger) -> str:
    """The function and its trigger, as `definitions` finds them. A refusal is the violation of a check."""
    name = trigger.name
    action = trigger.statement or f"RAISE EXCEPTION '{trigger.refusal}' USING ERRCODE = 'check_violation'"
    row = "OLD" if "DELETE" in trigger.moment else "NEW"
    body = f" BEGIN IF {trigger.condition or 'TRUE'} THEN {action}; END IF; RETURN {row}; END "
    body = body.replace("@", f"{SCHEMA}.").replace(" IS NOT OLD.", " IS DISTINCT FROM OLD.")
    return (
        f"{_function(name, body)};\n"
        f"CREATE TRIGGER {name} {trigger.moment} ON {SCHEMA}.{trigger.table} FOR EACH ROW"
        f" EXECUTE FUNCTION {SCHEMA}.{name}()"
    )


def drop_trigger_ddl(name: str, table: str) -> str:
    """What undoes `trigger_ddl`."""
    return f'DROP TRIGGER "{name}" ON {SCHEMA}."{table}"; DROP FUNCTION IF EXISTS {SCHEMA}."{name}"()'


def _as_declared(made: str) -> str:
    head, where, condition = made.replace(f" ON {SCHEMA}.", " ON ").replace(" USING btree", "").partition(" WHERE ")
    return head + where + re.sub(r"::text|[()]", "", condition)


def missing_checks(connection: Connection, wanted: Iterable[tuple[str, str, str]]) -> list[str]:
    """The names of those (table, name, condition) that aren't there as they are declared."""
    found = {name: made for name, made in connection.execute(_CHECKS, {"schema": SCHEMA})}  # noqa: C416 - typed so
    return [name for _table, name, condition in wanted if _core(found.get(name, "")) != _core(f"CHECK {condition}")]


def _core(condition: str) -> str:
    """A condition without what PostgreSQL adds when it shows one: types, brackets, and its own spelling of IN."""
    bare = re.sub(r"::(text|character varying)(\[\])?", "", condition)
    bare = re.sub(r" = ANY \(+ARRAY", " IN ", bare)
    return re.sub(r"[\s()\[\]]", "", bare)


def broken_references(_connection: Connection, _tables: Iterable[str]) -> list[str]:
    """None: PostgreSQL keeps references whole while a table is changed."""
    return []


def sizes(_url: URL, read: Callable[[], AbstractContextManager[Connection]]) -> dict[str, int]:
    """The bytes that our tables hold, asked in a transaction of `read`; the log is the server's."""
    with read() as connection:
        return {"database": int(connection.execute(_SIZE, {"schema": SCHEMA}).scalar_one()), "wal": 0}
