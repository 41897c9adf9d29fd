"""Runs the versions on the connection that `migrate.upgrade` hands over, inside its transaction."""

from __future__ import annotations

from alembic import context

from outlast.database.migrate import version_table
from outlast.database.schema import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    **version_table(connection),
    render_as_batch=True,
    transaction_per_migration=False,
    include_object=lambda _object, name, kind, _reflected, _compared: kind != "table" or name in metadata.tables,
)
context.run_migrations()
