"""Runs the versions on the connection that `migrate.upgrade` hands over, inside its transaction."""

from __future__ import annotations

from alembic import context

from outlast.database.migrate import VERSION_TABLE
from outlast.database.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,
    transaction_per_migration=False,
    include_object=lambda _object, name, kind, _reflected, _compared: kind != "table" or name in metadata.tables,
)
context.run_migrations()
