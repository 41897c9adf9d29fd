"""The schema's versions: upgrade to the newest, and say what is missing.

SQLite's batch mode rebuilds a table without its triggers and partial indexes. So every upgrade makes all triggers
again, in the same transaction, and then checks that everything which the schema promises is there.
"""

from __future__ import annotations

import time
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlalchemy.engine import Connection

from outlast.database import dialect
from outlast.database.connection import Database
from outlast.database.schema import metadata
from outlast.database.triggers import LIVE_RESULT_BYTES, triggers
from outlast.errors import DefinitionError, OutlastError

VERSION_TABLE = "outlast_version"
LOCK_WAIT_SECONDS = 30.0


def upgrade(database: Database) -> None:
    """Bring the database to the newest version, in one transaction.

    Raises OutlastError when another writer holds the database for too long, or when the outcome isn't complete.
    """
    give_up_at = time.monotonic() + LOCK_WAIT_SECONDS
    with database.write_connection() as connection:
        while True:
            try:
                with database.turnstile.turn():
                    transaction = connection.begin()
                break
            except dialect.DRIVER_ERRORS as error:
                if not dialect.is_busy(error) or time.monotonic() > give_up_at:
                    message = "the database can't be upgraded: it is locked or can't be written"
                    raise OutlastError(message) from error
        with transaction:
            _upgrade(connection)


def _upgrade(connection: Connection) -> None:
    configuration = _configuration()
    configuration.attributes["connection"] = connection
    command.upgrade(configuration, "head")
    for trigger in triggers():
        connection.execute(text(f"DROP TRIGGER IF EXISTS {trigger.name}"))
        connection.exec_driver_sql(trigger.sqlite())
    connection.execute(
        text("INSERT INTO counters (name, value) VALUES (:name, 0) ON CONFLICT (name) DO NOTHING"),
        {"name": LIVE_RESULT_BYTES},
    )
    missing = _missing(connection)
    if missing:
        message = f"the upgrade left the schema incomplete, so it was undone: {', '.join(missing)}"
        raise OutlastError(message)


def problems(database: Database) -> list[str]:
    """What stands between this database and the newest schema; empty when nothing does."""
    with database.read() as connection:
        current = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_revision()
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
    rows = connection.execute(text("SELECT type, name, sql FROM sqlite_master WHERE type IN ('trigger', 'index')"))
    present = {(kind, name): sql for kind, name, sql in rows}
    missing = [
        f"trigger {trigger.name}" for trigger in triggers() if present.get(("trigger", trigger.name)) != trigger.sqlite()
    ]
    for table in metadata.tables.values():
        for index in table.indexes:
            sql = present.get(("index", str(index.name)))
            partial = index.dialect_options["sqlite"]["where"] is not None
            if sql is None or (partial and " WHERE " not in sql):
                missing.append(f"index {index.name}")
    return missing


def _configuration() -> Config:
    configuration = Config()
    configuration.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    configuration.set_main_option("path_separator", "os")
    return configuration
