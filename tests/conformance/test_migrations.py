"""The schema's versions: equal to the tables in the code, healed by an upgrade, and safe to rebuild tables in."""

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine

from outlast.database import migrate
from outlast.database.connection import Database
from outlast.database.schema import metadata
from outlast.database.triggers import triggers
from outlast.errors import DefinitionError, OutlastError
from outlast.model import Status
from tests.conformance.test_triggers import insert_job, insert_result, reach

PARTIAL = [
    index
    for table in metadata.tables.values()
    for index in table.indexes
    if index.dialect_options["sqlite"]["where"] is not None
]
REBUILD = """
from alembic import op
import sqlalchemy as sa
from outlast.database.schema import export_jobs

revision, down_revision, branch_labels, depends_on = "0003", "0002", None, None


def upgrade():
    with op.batch_alter_table("export_jobs", recreate="always"{copy}) as batch:
        batch.{change}
"""

ADD = 'add_column(sa.Column("priority", sa.Integer(), nullable=False, server_default="0"))'
LOSE = 'drop_constraint("ck_export_jobs_running_has_lease")'


@pytest.fixture
def connection(database_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(database_path, isolation_level=None)) as connection:
        yield connection


@pytest.fixture
def later_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of versions, copied, for one more."""
    folder = tmp_path / "migrations"
    shutil.copytree(Path(migrate.__file__).parent / "migrations", folder)
    configuration = Config()
    configuration.set_main_option("script_location", str(folder))
    configuration.set_main_option("path_separator", "os")
    monkeypatch.setattr(migrate, "_configuration", lambda: configuration)
    return folder / "versions" / "0003_rebuild.py"


def definitions(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """What every table, index and trigger is made of: its definition's parts, in no particular order."""
    rows = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT IN ('outlast_version')"
    )
    # A column that was added later stands on its neighbour's line, and so may its constraint.
    parts = re.compile(r",?\s*\n\s*|, (?=[a-z_]+ [A-Z]+\b)| (?=CONSTRAINT )")
    return {name: sorted(parts.split(sql.strip())) for name, sql in rows}


def contents(connection: sqlite3.Connection, tables: list[str]) -> dict[str, list[tuple[object, ...]]]:
    return {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables}  # noqa: S608


def test_the_migrations_make_what_the_code_says(upgraded_file: Path, tmp_path: Path) -> None:
    created = create_engine(f"sqlite:///{tmp_path / 'created.db'}")
    metadata.create_all(created)
    with closing(sqlite3.connect(tmp_path / "created.db")) as one, closing(sqlite3.connect(upgraded_file)) as other:
        made_by_triggers = {trigger.name for trigger in triggers()}
        migrated = {name: parts for name, parts in definitions(other).items() if name not in made_by_triggers}
        assert migrated == definitions(one)
    created.dispose()


def test_alembic_finds_no_difference(database: Database) -> None:
    with database.read() as connection:
        context = MigrationContext.configure(
            connection,
            opts={"include_object": lambda _o, name, kind, _r, _c: kind != "table" or name in metadata.tables},
        )
        assert compare_metadata(context, metadata) == []


def test_an_upgrade_of_the_newest_version_changes_nothing(database: Database, connection: sqlite3.Connection) -> None:
    before = connection.execute("PRAGMA schema_version").fetchone()
    migrate.upgrade(database)
    assert migrate.problems(database) == []
    assert connection.execute("PRAGMA schema_version").fetchone() == before


def test_an_empty_database_is_said_to_be_one(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'empty.db'}")
    with pytest.raises(DefinitionError, match=r"at version none.*outlast db upgrade"):
        migrate.require_current(database)
    migrate.upgrade(database)
    migrate.require_current(database)
    database.close()


@pytest.mark.parametrize("name", [trigger.name for trigger in triggers()])
def test_a_lost_trigger_is_named_and_made_again(database: Database, connection: sqlite3.Connection, name: str) -> None:
    before = definitions(connection)
    connection.execute(f"DROP TRIGGER {name}")
    assert migrate.problems(database) == [f"trigger {name}"]
    migrate.upgrade(database)
    assert definitions(connection) == before


@pytest.mark.parametrize("index", PARTIAL, ids=lambda index: index.name)
@pytest.mark.parametrize("replaced", [False, True], ids=["dropped", "no longer partial"])
def test_a_lost_partial_index_is_named_and_made_again(
    database: Database, connection: sqlite3.Connection, index: object, replaced: bool
) -> None:
    before = definitions(connection)
    name, table = index.name, index.table.name  # type: ignore[attr-defined]
    connection.execute(f"DROP INDEX {name}")
    if replaced:
        columns = ", ".join(column.name for column in index.columns)  # type: ignore[attr-defined]
        connection.execute(f"CREATE INDEX {name} ON {table} ({columns})")
    assert migrate.problems(database) == [f"index {name}"]
    migrate.upgrade(database)
    assert definitions(connection) == before


def test_a_hosts_own_trigger_stays(database: Database, connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE notes (text)")
    connection.execute("CREATE TRIGGER notes_kept BEFORE DELETE ON notes BEGIN SELECT RAISE(ABORT, 'kept'); END")
    connection.execute("CREATE TRIGGER hosts_own AFTER INSERT ON export_jobs BEGIN INSERT INTO notes VALUES ('n'); END")
    connection.execute("DROP TRIGGER export_jobs_begin")
    migrate.upgrade(database)
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")}
    assert {"notes_kept", "hosts_own", "export_jobs_begin"} <= names


@pytest.mark.parametrize("copy", ["", ", copy_from=export_jobs"], ids=["as it is found", "as it is declared"])
def test_a_rebuilt_table_loses_nothing(
    database: Database, connection: sqlite3.Connection, later_version: Path, copy: str
) -> None:
    reach(connection, Status.SUCCEEDED)
    tables = ["export_jobs", "export_attempts", "export_results", "counters"]
    before, rows = definitions(connection), contents(connection, tables)
    later_version.write_text(REBUILD.format(copy=copy, change=ADD))
    assert migrate.problems(database) == ["the schema is at version 0002, not at 0003: run `outlast db upgrade`"]
    migrate.upgrade(database)
    after, kept = definitions(connection), contents(connection, tables)
    jobs = after.pop("export_jobs")
    added = {"priority INTEGER DEFAULT '0' NOT NULL", 'CREATE TABLE "export_jobs" ('}
    assert set(jobs) ^ set(before.pop("export_jobs")) == added | {"CREATE TABLE export_jobs ("}
    assert after == before
    assert [row[:-1] for row in kept.pop("export_jobs")] == rows.pop("export_jobs")
    assert kept == rows
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_rebuild_that_loses_a_rule_is_undone(
    database: Database, connection: sqlite3.Connection, later_version: Path
) -> None:
    reach(connection, Status.RUNNING)
    before, rows = definitions(connection), contents(connection, ["export_jobs", "export_attempts"])
    later_version.write_text(REBUILD.format(copy="", change=LOSE))
    with pytest.raises(OutlastError, match=r"undone: .*constraint ck_export_jobs_running_has_lease"):
        migrate.upgrade(database)
    assert definitions(connection) == before
    assert contents(connection, ["export_jobs", "export_attempts"]) == rows


def test_an_upgrade_from_the_first_version_keeps_jobs_and_results(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    database = Database(f"sqlite:///{path}")
    with database.schema_change() as schema:
        configuration = migrate._configuration()  # noqa: SLF001 - to stop at a version in between
        configuration.attributes["connection"] = schema
        command.upgrade(configuration, "0001")
        schema.commit()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO counters VALUES ('live_result_bytes', 70)")
        for number, (rows, estimate) in enumerate([(7, 7), (7, 8), (0, None)]):
            changes = {"id": f"j{number}", "request_key": f"k{number}", "progress_rows": rows}
            insert_job(connection, **changes, estimated_rows=estimate)
        insert_job(
            connection, id="j", progress_rows=1, estimated_rows=9, status="succeeded", finished_at=5, attempt_count=1
        )
        insert_result(connection)
        connection.commit()
        assert migrate.problems(database) == ["the schema is at version 0001, not at 0002: run `outlast db upgrade`"]
        migrate.upgrade(database)
        assert migrate.problems(database) == []
        estimates = dict(connection.execute("SELECT id, estimated_rows FROM export_jobs WHERE estimate_source IS NULL"))
        assert estimates == {"j0": None, "j1": 8, "j2": None, "j": None}
        assert connection.execute("SELECT bytes, details_json FROM export_results").fetchall() == [(70, "{}")]
        assert connection.execute("SELECT value FROM counters").fetchall() == [(70,)]
    database.close()


def test_a_locked_database_is_not_upgraded_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "LOCK_WAIT_SECONDS", 0.0)
    with closing(sqlite3.connect(tmp_path / "locked.db", isolation_level=None)) as holder:
        holder.execute("PRAGMA journal_mode=WAL")
        holder.execute("BEGIN IMMEDIATE")
        database = Database(f"sqlite:///{tmp_path / 'locked.db'}")
        with pytest.raises(OutlastError, match="locked"):
            migrate.upgrade(database)
        holder.execute("ROLLBACK")
        migrate.upgrade(database)
        assert migrate.problems(database) == []
        database.close()
