"""The tables, and who moves what.

export_jobs      what was asked for and how far it is; moved only by `transition.apply`, guarded by a trigger
export_attempts  one row a claim, opened and closed by the transitions; at most one open per job
export_results   one row a success, written in the completing transaction; its bytes lie under `storage_key`
result_chunks    bytes of results that are kept in the database
spent_keys       idempotency keys of purged jobs, until their published lifetime ends
workers          who is alive and which exports he knows
api_tokens       hashes of bearer tokens
counters         totals that the triggers maintain, so that nobody has to count
audit_log        what operators did, append-only

The rules that hold whatever the code does stand here as CHECKs and in `triggers.py`.
"""

from __future__ import annotations

from typing import get_args

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from outlast.database.dialect import Instant
from outlast.model import ENDED, EstimateSource, Outcome, Status

CHUNK_LIMIT_BYTES = 256 * 1024

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _listed(values: object) -> str:
    return ", ".join(f"'{value}'" for value in sorted(values))  # type: ignore[call-overload]


QUEUED = text("status = 'queued'")
RUNNING = text("status = 'running'")
LIVE = text("finished_at IS NULL")
"""Said of a column that claims and retries leave alone, so that they leave its indexes alone too."""

export_jobs = Table(
    "export_jobs",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", String(255), nullable=False),
    Column("owner", String(255), nullable=False),
    Column("request_key", String(255), nullable=False),
    Column("request_fingerprint", String(80), nullable=False),
    Column("parameters_fingerprint", String(80), nullable=False),
    Column("export", String(255), nullable=False),
    Column("parameters_json", Text, nullable=False),
    Column("format", String(40), nullable=False),
    Column("columns_json", Text, nullable=False),
    Column("status", String(10), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("available_at", Instant, nullable=False),
    Column("deadline_at", Instant, nullable=False),
    Column("started_at", Instant),
    Column("finished_at", Instant),
    Column("attempt_count", Integer, nullable=False, server_default="0"),
    Column("attempt_limit", Integer, nullable=False),
    Column("release_count", Integer, nullable=False, server_default="0"),
    Column("lease_token", String(64)),
    Column("lease_until", Instant),
    Column("worker_id", String(64)),
    Column("progress_rows", BigInteger, nullable=False, server_default="0"),
    Column("progress_bytes", BigInteger, nullable=False, server_default="0"),
    Column("estimated_rows", BigInteger),
    Column("error_code", String(40)),
    Column("error_detail", Text),
    Column("request_id", String(128)),
    Column("trace_context", String(512)),
    Column("regenerated_from", String(36)),
    Column("erased_at", Instant),
    Column(
        "estimate_source", String(10),
        CheckConstraint(f"estimate_source IN ({_listed(get_args(EstimateSource))})", name="estimate_source_known"),
    ),
    UniqueConstraint("tenant", "owner", "request_key"),
    CheckConstraint(f"status IN ({_listed(Status)})", name="status_known"),
    CheckConstraint(
        "(status = 'running') = (lease_token IS NOT NULL) AND (status = 'running') = (lease_until IS NOT NULL)"
        " AND (status = 'running') = (worker_id IS NOT NULL)",
        name="running_has_lease",
    ),
    CheckConstraint(f"(status IN ({_listed(ENDED)})) = (finished_at IS NOT NULL)", name="ended_is_finished"),
    CheckConstraint("(status = 'failed') = (error_code IS NOT NULL)", name="failed_has_code"),
    CheckConstraint(
        "attempt_count >= 0 AND attempt_limit >= 1 AND release_count >= 0 AND progress_rows >= 0"
        " AND progress_bytes >= 0 AND (estimated_rows IS NULL OR estimated_rows >= 0)",
        name="counts_not_negative",
    ),
    CheckConstraint("attempt_count <= attempt_limit", name="attempts_within_limit"),
    CheckConstraint("lease_until IS NULL OR lease_until <= deadline_at", name="lease_within_deadline"),
    CheckConstraint("erased_at IS NULL OR finished_at IS NOT NULL", name="erased_is_ended"),
    CheckConstraint("length(request_key) > 0", name="key_not_empty"),
    # Sized by live work: a claim seeks here and never meets an ended job, nor one that waits for another export.
    Index("ix_export_jobs_due", "export", "available_at", "id", sqlite_where=QUEUED, postgresql_where=QUEUED),
    Index(
        "ix_export_jobs_owner_due", "tenant", "owner", "export", "available_at",
        sqlite_where=QUEUED, postgresql_where=QUEUED,
    ),
    Index("ix_export_jobs_lease", "lease_until", sqlite_where=RUNNING, postgresql_where=RUNNING),
    Index("ix_export_jobs_owner_running", "tenant", "owner", sqlite_where=RUNNING, postgresql_where=RUNNING),
    Index("ix_export_jobs_deadline", "deadline_at", sqlite_where=LIVE, postgresql_where=LIVE),
    Index("ix_export_jobs_history", "tenant", "owner", "created_at", "id"),
    Index(
        "ix_export_jobs_finished", "finished_at",
        sqlite_where=text("finished_at IS NOT NULL"), postgresql_where=text("finished_at IS NOT NULL"),
    ),
    Index(
        "ix_export_jobs_request", "request_id",
        sqlite_where=text("request_id IS NOT NULL"), postgresql_where=text("request_id IS NOT NULL"),
    ),
    Index("ix_export_jobs_source", "regenerated_from",
        sqlite_where=text("regenerated_from IS NOT NULL"), postgresql_where=text("regenerated_from IS NOT NULL"),
    ),
)  # fmt: skip

export_attempts = Table(
    "export_attempts",
    metadata,
    Column("job_id", String(36), ForeignKey("export_jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("worker_id", String(64), nullable=False),
    Column("claimed_at", Instant, nullable=False),
    Column("ended_at", Instant),
    Column("lease_until", Instant),
    Column("outcome", String(10)),
    Column("error_code", String(40)),
    Column("error_detail", Text),
    Column("storage_key", String(255), nullable=False, unique=True),
    Column("rows", BigInteger, nullable=False, server_default="0"),
    Column("bytes", BigInteger, nullable=False, server_default="0"),
    Column("reserved_bytes", BigInteger, nullable=False, server_default="0"),
    CheckConstraint(f"outcome IN ({_listed(Outcome)})", name="outcome_known"),
    CheckConstraint("(ended_at IS NULL) = (outcome IS NULL)", name="ended_has_outcome"),
    CheckConstraint("number >= 1 AND rows >= 0 AND bytes >= 0 AND reserved_bytes >= 0", name="counts_not_negative"),
    Index(
        "ix_export_attempts_open", "job_id", unique=True,
        sqlite_where=text("ended_at IS NULL"), postgresql_where=text("ended_at IS NULL"),
    ),
    sqlite_with_rowid=False,
)  # fmt: skip

export_results = Table(
    "export_results",
    metadata,
    Column("job_id", String(36), ForeignKey("export_jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("storage", String(20), nullable=False),
    Column("storage_key", String(255), nullable=False, unique=True),
    Column("content_type", String(255), nullable=False),
    Column("filename", String(255), nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("rows", BigInteger, nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("as_of", Instant),
    Column("warnings_json", Text, nullable=False, server_default="[]"),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False),
    Column("deleted_at", Instant),
    Column("details_json", Text, nullable=False, server_default="{}"),
    CheckConstraint("bytes >= 0 AND rows >= 0", name="counts_not_negative"),
    CheckConstraint("length(sha256) = 64", name="digest_whole"),
    Index(
        "ix_export_results_expiry", "expires_at",
        sqlite_where=text("deleted_at IS NULL"), postgresql_where=text("deleted_at IS NULL"),
    ),
    sqlite_with_rowid=False,
)  # fmt: skip

result_chunks = Table(
    "result_chunks",
    metadata,
    Column("storage_key", String(255), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("data", LargeBinary, nullable=False),
    CheckConstraint(f"length(data) <= {CHUNK_LIMIT_BYTES}", name="chunk_bounded"),
)

spent_keys = Table(
    "spent_keys",
    metadata,
    Column("tenant", String(255), primary_key=True),
    Column("owner", String(255), primary_key=True),
    Column("request_key", String(255), primary_key=True),
    Column("request_fingerprint", String(80), nullable=False),
    Column("parameters_fingerprint", String(80), nullable=False),
    Column("keep_until", Instant, nullable=False, index=True),
)

workers = Table(
    "workers",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("host", String(255), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("exports_json", Text, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("seen_at", Instant, nullable=False, index=True),
    Column("stopped_at", Instant),
)

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("token_sha256", String(64), nullable=False, unique=True),
    Column("tenant", String(255), nullable=False),
    Column("owner", String(255), nullable=False),
    Column("roles_json", Text, nullable=False, server_default="[]"),
    Column("label", String(255)),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),
    Column("revoked_at", Instant),
)

counters = Table(
    "counters",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", BigInteger, nullable=False),
)

audit_log = Table(
    "audit_log",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("at", Instant, nullable=False),
    Column("actor", String(255), nullable=False),
    Column("action", String(40), nullable=False),
    Column("job_id", String(36), index=True),
    Column("reason", Text, nullable=False),
    Column("before_json", Text, nullable=False),
    Column("after_json", Text, nullable=False),
)
