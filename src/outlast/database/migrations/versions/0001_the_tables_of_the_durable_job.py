"""The tables of the durable job."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from outlast.database.dialect import Instant

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("token_sha256", sa.String(length=64), nullable=False),
        sa.Column("tenant", sa.String(length=255), nullable=False),
        sa.Column("owner", sa.String(length=255), nullable=False),
        sa.Column("roles_json", sa.Text(), server_default="[]", nullable=False),
        sa.Column("label", sa.String(length=255), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=True),
        sa.Column("revoked_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("token_sha256", name=op.f("uq_api_tokens_token_sha256")),
    )
    op.create_table(
        "audit_log",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("actor", sa.String(length=255), nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("job_id", sa.String(length=36), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("before_json", sa.Text(), nullable=False),
        sa.Column("after_json", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
    )
    op.create_index("ix_audit_log_job_id", "audit_log", ["job_id"], unique=False)

    op.create_table(
        "counters",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_counters")),
    )
    op.create_table(
        "export_jobs",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("tenant", sa.String(length=255), nullable=False),
        sa.Column("owner", sa.String(length=255), nullable=False),
        sa.Column("request_key", sa.String(length=255), nullable=False),
        sa.Column("request_fingerprint", sa.String(length=80), nullable=False),
        sa.Column("parameters_fingerprint", sa.String(length=80), nullable=False),
        sa.Column("export", sa.String(length=255), nullable=False),
        sa.Column("parameters_json", sa.Text(), nullable=False),
        sa.Column("format", sa.String(length=40), nullable=False),
        sa.Column("columns_json", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("available_at", Instant(), nullable=False),
        sa.Column("deadline_at", Instant(), nullable=False),
        sa.Column("started_at", Instant(), nullable=True),
        sa.Column("finished_at", Instant(), nullable=True),
        sa.Column("attempt_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("attempt_limit", sa.Integer(), nullable=False),
        sa.Column("release_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_token", sa.String(length=64), nullable=True),
        sa.Column("lease_until", Instant(), nullable=True),
        sa.Column("worker_id", sa.String(length=64), nullable=True),
        sa.Column("progress_rows", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("progress_bytes", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("estimated_rows", sa.BigInteger(), nullable=True),
        sa.Column("error_code", sa.String(length=40), nullable=True),
        sa.Column("error_detail", sa.Text(), nullable=True),
        sa.Column("request_id", sa.String(length=128), nullable=True),
        sa.Column("trace_context", sa.String(length=512), nullable=True),
        sa.Column("regenerated_from", sa.String(length=36), nullable=True),
        sa.Column("erased_at", Instant(), nullable=True),
        sa.CheckConstraint(
            "(status = 'failed') = (error_code IS NOT NULL)", name=op.f("ck_export_jobs_failed_has_code")
        ),
        sa.CheckConstraint(
            "(status = 'running') = (lease_token IS NOT NULL) AND (status = 'running') = (lease_until IS NOT NULL)"
            " AND (status = 'running') = (worker_id IS NOT NULL)",
            name=op.f("ck_export_jobs_running_has_lease"),
        ),
        sa.CheckConstraint(
            "(status IN ('cancelled', 'failed', 'succeeded')) = (finished_at IS NOT NULL)",
            name=op.f("ck_export_jobs_ended_is_finished"),
        ),
        sa.CheckConstraint(
            "status IN ('cancelled', 'failed', 'queued', 'running', 'succeeded')",
            name=op.f("ck_export_jobs_status_known"),
        ),
        sa.CheckConstraint(
            "attempt_count >= 0 AND attempt_limit >= 1 AND release_count >= 0 AND progress_rows >= 0"
            " AND progress_bytes >= 0 AND (estimated_rows IS NULL OR estimated_rows >= 0)",
            name=op.f("ck_export_jobs_counts_not_negative"),
        ),
        sa.CheckConstraint(
            "lease_until IS NULL OR lease_until <= deadline_at", name=op.f("ck_export_jobs_lease_within_deadline")
        ),
        sa.CheckConstraint("attempt_count <= attempt_limit", name=op.f("ck_export_jobs_attempts_within_limit")),
        sa.CheckConstraint("erased_at IS NULL OR finished_at IS NOT NULL", name=op.f("ck_export_jobs_erased_is_ended")),
        sa.CheckConstraint("length(request_key) > 0", name=op.f("ck_export_jobs_key_not_empty")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_export_jobs")),
        sa.UniqueConstraint("tenant", "owner", "request_key", name=op.f("uq_export_jobs_tenant_owner_request_key")),
    )
    op.create_index(
        "ix_export_jobs_deadline",
        "export_jobs",
        ["deadline_at"],
        unique=False,
        sqlite_where=sa.text("finished_at IS NULL"),
        postgresql_where=sa.text("finished_at IS NULL"),
    )
    op.create_index(
        "ix_export_jobs_due",
        "export_jobs",
        ["export", "available_at", "id"],
        unique=False,
        sqlite_where=sa.text("status = 'queued'"),
        postgresql_where=sa.text("status = 'queued'"),
    )
    op.create_index(
        "ix_export_jobs_finished",
        "export_jobs",
        ["finished_at"],
        unique=False,
        sqlite_where=sa.text("finished_at IS NOT NULL"),
        postgresql_where=sa.text("finished_at IS NOT NULL"),
    )
    op.create_index("ix_export_jobs_history", "export_jobs", ["tenant", "owner", "created_at", "id"], unique=False)
    op.create_index(
        "ix_export_jobs_lease",
        "export_jobs",
        ["lease_until"],
        unique=False,
        sqlite_where=sa.text("status = 'running'"),
        postgresql_where=sa.text("status = 'running'"),
    )
    op.create_index(
        "ix_export_jobs_owner_due",
        "export_jobs",
        ["tenant", "owner", "export", "available_at"],
        unique=False,
        sqlite_where=sa.text("status = 'queued'"),
        postgresql_where=sa.text("status = 'queued'"),
    )
    op.create_index(
        "ix_export_jobs_owner_running",
        "export_jobs",
        ["tenant", "owner"],
        unique=False,
        sqlite_where=sa.text("status = 'running'"),
        postgresql_where=sa.text("status = 'running'"),
    )
    op.create_index(
        "ix_export_jobs_request",
        "export_jobs",
        ["request_id"],
        unique=False,
        sqlite_where=sa.text("request_id IS NOT NULL"),
        postgresql_where=sa.text("request_id IS NOT NULL"),
    )
    op.create_index(
        "ix_export_jobs_source",
        "export_jobs",
        ["regenerated_from"],
        unique=False,
        sqlite_where=sa.text("regenerated_from IS NOT NULL"),
        postgresql_where=sa.text("regenerated_from IS NOT NULL"),
    )

    op.create_table(
        "result_chunks",
        sa.Column("storage_key", sa.String(length=255), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("length(data) <= 262144", name=op.f("ck_result_chunks_chunk_bounded")),
        sa.PrimaryKeyConstraint("storage_key", "position", name=op.f("pk_result_chunks")),
    )
    op.create_table(
        "spent_keys",
        sa.Column("tenant", sa.String(length=255), nullable=False),
        sa.Column("owner", sa.String(length=255), nullable=False),
        sa.Column("request_key", sa.String(length=255), nullable=False),
        sa.Column("request_fingerprint", sa.String(length=80), nullable=False),
        sa.Column("parameters_fingerprint", sa.String(length=80), nullable=False),
        sa.Column("keep_until", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "owner", "request_key", name=op.f("pk_spent_keys")),
    )
    op.create_index("ix_spent_keys_keep_until", "spent_keys", ["keep_until"], unique=False)

    op.create_table(
        "workers",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("exports_json", sa.Text(), nullable=False),
        sa.Column("started_at", Instant(), nullable=False),
        sa.Column("seen_at", Instant(), nullable=False),
        sa.Column("stopped_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )
    op.create_index("ix_workers_seen_at", "workers", ["seen_at"], unique=False)

    op.create_table(
        "export_attempts",
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("worker_id", sa.String(length=64), nullable=False),
        sa.Column("claimed_at", Instant(), nullable=False),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.Column("lease_until", Instant(), nullable=True),
        sa.Column("outcome", sa.String(length=10), nullable=True),
        sa.Column("error_code", sa.String(length=40), nullable=True),
        sa.Column("error_detail", sa.Text(), nullable=True),
        sa.Column("storage_key", sa.String(length=255), nullable=False),
        sa.Column("rows", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("bytes", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("reserved_bytes", sa.BigInteger(), server_default="0", nullable=False),
        sa.CheckConstraint(
            "outcome IN ('cancelled', 'failed', 'lost', 'released', 'retried', 'succeeded')",
            name=op.f("ck_export_attempts_outcome_known"),
        ),
        sa.CheckConstraint("(ended_at IS NULL) = (outcome IS NULL)", name=op.f("ck_export_attempts_ended_has_outcome")),
        sa.CheckConstraint(
            "number >= 1 AND rows >= 0 AND bytes >= 0 AND reserved_bytes >= 0",
            name=op.f("ck_export_attempts_counts_not_negative"),
        ),
        sa.ForeignKeyConstraint(
            ["job_id"], ["export_jobs.id"], name=op.f("fk_export_attempts_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", "number", name=op.f("pk_export_attempts")),
        sa.UniqueConstraint("storage_key", name=op.f("uq_export_attempts_storage_key")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_export_attempts_open",
        "export_attempts",
        ["job_id"],
        unique=True,
        sqlite_where=sa.text("ended_at IS NULL"),
        postgresql_where=sa.text("ended_at IS NULL"),
    )

    op.create_table(
        "export_results",
        sa.Column("job_id", sa.String(length=36), nullable=False),
        sa.Column("storage", sa.String(length=20), nullable=False),
        sa.Column("storage_key", sa.String(length=255), nullable=False),
        sa.Column("content_type", sa.String(length=255), nullable=False),
        sa.Column("filename", sa.String(length=255), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("as_of", Instant(), nullable=True),
        sa.Column("warnings_json", sa.Text(), server_default="[]", nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.Column("deleted_at", Instant(), nullable=True),
        sa.CheckConstraint("bytes >= 0 AND rows >= 0", name=op.f("ck_export_results_counts_not_negative")),
        sa.CheckConstraint("length(sha256) = 64", name=op.f("ck_export_results_digest_whole")),
        sa.ForeignKeyConstraint(
            ["job_id"], ["export_jobs.id"], name=op.f("fk_export_results_job_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_export_results")),
        sa.UniqueConstraint("storage_key", name=op.f("uq_export_results_storage_key")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_export_results_expiry",
        "export_results",
        ["expires_at"],
        unique=False,
        sqlite_where=sa.text("deleted_at IS NULL"),
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
