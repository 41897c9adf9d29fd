"""The schema on PostgreSQL: made by the migrations, kept apart from the host's, and healed by an upgrade."""

import json
from collections.abc import Iterator
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Engine, NullPool, create_engine, inspect, text
from sqlalchemy.exc import IntegrityError

from outlast.database import migrate
from outlast.database.connection import Database
from outlast.database.dialect import driver_errors, is_busy
from outlast.database.dialect.functions import SCHEMA
from outlast.database.schema import counters, metadata
from outlast.database.triggers import triggers
from outlast.errors import DefinitionError, OutlastError

LOSSES = {
    **{
        f"DROP TRIGGER {trigger.name} ON {SCHEMA}.{trigger.table}": f"trigger {trigger.name}"
        for trigger in triggers()
        if trigger.table != "audit_log"
    },
    f"ALTER TABLE {SCHEMA}.audit_log DISABLE TRIGGER audit_log_no_update": "trigger audit_log_no_update",
    f"CREATE OR REPLACE FUNCTION {SCHEMA}.audit_log_no_delete() RETURNS trigger LANGUAGE plpgsql"
    " AS $$ BEGIN RETURN OLD; END $$": "trigger audit_log_no_delete",
    f"DROP INDEX {SCHEMA}.ix_export_jobs_lease": "index ix_export_jobs_lease",
    f"DROP INDEX {SCHEMA}.ix_export_jobs_due;"
    f" CREATE INDEX ix_export_jobs_due ON {SCHEMA}.export_jobs (export, available_at, id)": "index ix_export_jobs_due",
}
"""What somebody may have done to the schema, and what is then said to be missing."""


@pytest.fixture
def database(postgresql_url: str) -> Iterator[Database]:
    with closing(Database(postgresql_url)) as database:
        migrate.upgrade(database)
        yield database


@pytest.fixture
def engine(postgresql_url: str) -> Engine:
    """The host's own connections, which know nothing of our schema."""
    return create_engine(postgresql_url, poolclass=NullPool)


def change(engine: Engine, sql: str) -> None:
    with engine.begin() as connection:
        connection.execute(text(sql))


def test_an_empty_database_is_said_to_be_one(postgresql_url: str) -> None:
    with closing(Database(postgresql_url)) as database:
        assert database.file_sizes() == {"database": 0, "wal": 0}
        with pytest.raises(DefinitionError, match=r"at version none.*outlast db upgrade"):
            migrate.require_current(database)
        migrate.upgrade(database)
        migrate.require_current(database)
        assert database.file_sizes()["database"] > 0


def test_everything_lives_in_a_schema_of_its_own(database: Database, engine: Engine) -> None:
    assert migrate.problems(database) == []
    with engine.connect() as connection:
        assert inspect(connection).get_table_names() == []
        assert set(inspect(connection).get_table_names(SCHEMA)) == {*metadata.tables, migrate.VERSION_TABLE}


def test_alembic_finds_no_difference(database: Database) -> None:
    def without_schema(connection: Connection) -> list[object]:
        connection.exec_driver_sql(f"SET LOCAL search_path = {SCHEMA}")
        options = {"include_object": lambda _o, name, kind, _r, _c: kind != "table" or name in metadata.tables}
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))

    with create_engine(database.url, poolclass=NullPool).begin() as connection:
        assert without_schema(connection) == []


def test_whatever_is_lost_is_named_and_made_again(database: Database, engine: Engine) -> None:
    for sql in LOSSES:
        change(engine, sql)
    assert set(migrate.problems(database)) == set(LOSSES.values())
    migrate.upgrade(database)
    assert migrate.problems(database) == []


def test_a_lost_constraint_is_named_and_no_upgrade_pretends_to_heal_it(database: Database, engine: Engine) -> None:
    change(engine, f"ALTER TABLE {SCHEMA}.export_jobs DROP CONSTRAINT ck_export_jobs_running_has_lease")
    assert migrate.problems(database) == ["constraint ck_export_jobs_running_has_lease"]
    with pytest.raises(OutlastError, match="undone: constraint ck_export_jobs_running_has_lease"):
        migrate.upgrade(database)


def test_two_upgrades_at_once_make_one_schema(postgresql_url: str) -> None:
    with closing(Database(postgresql_url)) as one, closing(Database(postgresql_url)) as other:
        with one.schema_change() as first:
            with pytest.raises(driver_errors()) as refused, other.schema_change():
                pytest.fail("two change the schema at once")
            assert is_busy(refused.value)
            first.rollback()
        migrate.upgrade(other)
        assert migrate.problems(one) == []


def test_a_refusal_of_a_trigger_is_a_violated_constraint(database: Database) -> None:
    with database.write() as connection, pytest.raises(IntegrityError, match="a job begins queued"):
        connection.exec_driver_sql(
            f"INSERT INTO {SCHEMA}.export_jobs SELECT (jsonb_populate_record(NULL::{SCHEMA}.export_jobs, %s)).*",
            (json.dumps({"id": "j", "status": "running"}),),
        )


def test_a_failed_transaction_is_never_committed(database: Database) -> None:
    with database.write() as connection:
        connection.execute(counters.insert().values(name="made", value=1))
        with pytest.raises(IntegrityError):
            connection.execute(counters.insert().values(name="made", value=1))
        with pytest.raises(OutlastError, match="failed before its COMMIT"):
            connection.commit()


def test_a_reader_can_not_write(database: Database) -> None:
    with pytest.raises(OutlastError), database.read() as connection:
        connection.execute(counters.insert().values(name="made", value=1))
