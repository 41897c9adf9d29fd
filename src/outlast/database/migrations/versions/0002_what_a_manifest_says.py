"""What a result's manifest says beyond its row, and where an estimate comes from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add two columns, which needs no rebuilding; drop estimates that were reached, for none is shown any more."""
    op.add_column("export_results", sa.Column("details_json", sa.Text(), server_default="{}", nullable=False))
    op.add_column(
        "export_jobs",
        sa.Column(
            "estimate_source",
            sa.String(length=10),
            sa.CheckConstraint(
                "estimate_source IN ('counted', 'planner')", name=op.f("ck_export_jobs_estimate_source_known")
            ),
            nullable=True,
        ),
    )
    op.execute(
        "UPDATE export_jobs SET estimated_rows = NULL WHERE estimated_rows <= progress_rows OR status = 'succeeded'"
    )
