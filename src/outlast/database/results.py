"""Results whose bytes are gone: the row stays until its job is purged, but counts for nothing."""

from __future__ import annotations

from sqlalchemy import String, update
from sqlalchemy.engine import Connection

from outlast.database.dialect import now
from outlast.database.schema import export_results
from outlast.database.statement import Statement, param
from outlast.database.writer import Batch, Write

_mark_deleted = Statement(
    "results.mark_deleted",
    update(export_results)
    .where(export_results.c.job_id == param("job_id", String), export_results.c.deleted_at.is_(None))
    .values(deleted_at=now()),
)


def mark_deleted(job_id: str) -> Write[bool]:
    """Note that the result's bytes were deleted; false when that stood there already. Only after the deletion."""

    def perform(connection: Connection, _shared: Batch) -> bool:
        return _mark_deleted.count(connection, job_id=job_id) > 0

    return Write("deleted", job_id, perform, lambda connection: perform(connection, Batch()))
