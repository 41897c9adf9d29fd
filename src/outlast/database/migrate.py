"""The schema's versions: upgrade to the newest, and say what is missing.

SQLite's batch mode rebuilds a table without its triggers and partial indexes. So every upgrade drops all triggers and
makes them again, in the same transaction, and then checks that everything which the schema promises is there.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import CheckConstraint, Index
from sqlalchemy.engine import Connection
from sqlalchemy.schema import CreateIndex

from outlast.database import dialect
from outlast.database.connection import Database
from outlast.database.schema import counters, metadata
from outlast.database.triggers import LIVE_RESULT_BYTES, create_triggers, drop_triggers, triggers
from outlast.errors import DefinitionError, OutlastError

VERSION_TABLE = "outlast_version"
LOCK_WAIT_SECONDS = 30.0


def upgrade(database: Database) -> None:
    """Bring the database to the newest version, in one transaction.

    Raises OutlastError when another writer holds the database for too long, or when the outcome isn't complete.
    """
    if not problems(database):
        return
    give_up_at = time.monotonic() + LOCK_WAIT_SECONDS
    while True:
        try:
            with database.schema_change() as connection:
                _upgrade(connection)
                connection.commit()
                return
        except dialect.driver_errors() as error:
            if not dialect.is_busy(error) or time.monotonic() > give_up_at:
                message = "the database can't be upgraded: it is locked or can't be written"
                raise OutlastError(message) from error


def _upgrade(connection: Connection) -> None:
    configuration = _configuration()
    configuration.attributes["connection"] = connection
    # A trigger that names a table which is being rebuilt makes SQLite refuse the rebuild.
    drop_triggers(connection)
    command.upgrade(configuration, "head")
    for index in _missing_indexes(connection):
        index.drop(connection, checkfirst=True)
        index.create(connection)
    create_triggers(connection)
    connection.execute(dialect.insert_or_ignore(counters, "name").values(name=LIVE_RESULT_BYTES, value=0))
    wrong = [
        *_missing(connection),
        *(f"references of {table}" for table in dialect.broken_references(connection, metadata.tables)),
    ]
    if wrong:
        message = f"the upgrade left the schema incomplete, so it was undone: {', '.join(wrong)}"
        raise OutlastError(message)


def problems(database: Database) -> list[str]:
    """What stands between this database and the newest schema; empty when nothing does."""
    with database.read() as connection:
        current = MigrationContext.configure(connection, opts=version_table(connection)).get_current_revision()
        head = ScriptDirectory.from_config(_configuration()).get_current_head()
        if current != head:
            return [f"the schema is at version {current or 'none'}, not at {head}: run `outlast db upgrade`"]
        return _missing(connection)


def require_current(database: Database) -> None:
    """Raises DefinitionError when the database isn't at the newest schema."""
    found = problems(database)
    if found:
        message = "; ".join(found)
        raise DefinitionError(message)


def _missing(connection: Connection) -> list[str]:
    present = _sql(connection, "trigger")
    return [
        *(
            f"trigger {trigger.name}"
            for trigger in triggers()
            if present.get(trigger.name) != dialect.trigger_ddl(trigger, connection.dialect)
        ),
        *(f"index {index.name}" for index in _missing_indexes(connection)),
        *(f"constraint {name}" for name in _missing_checks(connection)),
    ]


def _missing_checks(connection: Connection) -> list[str]:
    wanted = [
        (table.name, str(constraint.name), str(constraint.sqltext))
        for table in metadata.tables.values()
        for constraint in table.constraints
        if isinstance(constraint, CheckConstraint)
    ]
    return dialect.missing_checks(connection, wanted)


def _missing_indexes(connection: Connection) -> list[Index]:
    """The indexes that aren't there, or are there otherwise: without their condition, say."""
    present = _sql(connection, "index")
    indexes = [index for table in metadata.tables.values() for index in table.indexes]
    return [
        index
        for index in indexes
        if present.get(str(index.name)) != str(CreateIndex(index).compile(dialect=connection.dialect))
    ]


def version_table(connection: Connection) -> dict[str, Any]:
    """Where Alembic keeps the version, as options of its context."""
    return {"version_table": VERSION_TABLE, "version_table_schema": dialect.schema_of(connection.dialect)}


def _sql(connection: Connection, kind: dialect.Kind) -> dict[str, str]:
    return {name: found.sql for name, found in dialect.definitions(connection, kind).items()}


def _configuration() -> Config:
    configuration = Config()
    configuration.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    configuration.set_main_option("path_separator", "os")
    return configuration
