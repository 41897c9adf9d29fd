"""What the database refuses whatever the code does: triggers, generated from `lifecycle.TRANSITIONS`.

They are dropped and made again by every migration, since SQLite's batch mode loses them silently.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy.engine import Connection

from outlast.database.dialect import Trigger, definitions, drop_trigger_ddl, trigger_ddl
from outlast.database.schema import metadata
from outlast.lifecycle import TRANSITIONS, Limit, Token, Transition
from outlast.model import ENDED, Status

LIVE_RESULT_BYTES = "live_result_bytes"
"""The counter of bytes that committed results hold and that are not deleted yet."""

# What was asked for never changes.
IMMUTABLE = (
    "id", "tenant", "owner", "request_key", "request_fingerprint", "parameters_fingerprint", "export",
    "parameters_json", "format", "columns_json", "created_at", "request_id", "trace_context", "regenerated_from",
)  # fmt: skip
GUARDED = (
    "status", "attempt_count", "attempt_limit", "release_count", "lease_token", "lease_until", "worker_id",
    "available_at", "deadline_at", "started_at", "finished_at", "error_code", "error_detail", "progress_rows",
    "progress_bytes", "estimated_rows", "estimate_source",
)  # fmt: skip

_TOKEN_RULES = {
    Token.FRESH: "NEW.lease_token IS NOT NULL AND (OLD.lease_token IS NULL OR NEW.lease_token <> OLD.lease_token)",
    Token.KEPT: "NEW.lease_token = OLD.lease_token AND NEW.worker_id = OLD.worker_id",
    Token.CLEARED: "NEW.lease_token IS NULL",
}

_LIMIT_RULES = {
    Limit.KEPT: "NEW.attempt_limit = OLD.attempt_limit AND NEW.release_count = OLD.release_count"
    " AND NEW.deadline_at = OLD.deadline_at",
    Limit.RAISED: "NEW.attempt_limit = OLD.attempt_limit + 1 AND NEW.release_count = OLD.release_count + 1"
    " AND NEW.deadline_at = OLD.deadline_at",
    Limit.RENEWED: "NEW.attempt_limit > NEW.attempt_count AND NEW.release_count = OLD.release_count",
}


def shape(transition: Transition) -> str:
    """The condition on OLD and NEW that an update by this transition satisfies."""
    sources = ", ".join(f"'{source}'" for source in transition.sources)
    return " AND ".join((
        f"OLD.status IN ({sources})",
        f"NEW.status = '{transition.target}'",
        f"NEW.attempt_count = OLD.attempt_count + {int(transition.opens)}",
        _TOKEN_RULES[transition.token],
        _LIMIT_RULES[transition.limit],
    ))  # fmt: skip


def drop_triggers(connection: Connection) -> None:
    """Drop every trigger that this or an earlier version made; a host's own stay."""
    for name, found in definitions(connection, "trigger").items():
        if found.table in metadata.tables and name.startswith(f"{found.table}_"):
            connection.exec_driver_sql(drop_trigger_ddl(connection, name, found.table))


def create_triggers(connection: Connection) -> None:
    """Make every trigger."""
    for trigger in triggers():
        connection.exec_driver_sql(trigger_ddl(trigger, connection.dialect))


def _ended() -> str:
    return ", ".join(f"'{status}'" for status in sorted(ENDED))


def triggers() -> Iterator[Trigger]:
    """Every trigger, in the order in which they are made."""
    shapes = " OR ".join(f"({shape(transition)})" for transition in TRANSITIONS)
    changed = " OR ".join(f"NEW.{column} IS NOT OLD.{column}" for column in IMMUTABLE)
    yield Trigger(
        "export_jobs_transition", f"BEFORE UPDATE OF {', '.join(GUARDED)}", "export_jobs",
        f"NOT COALESCE({shapes}, FALSE)", "not a transition of a job",
    )  # fmt: skip
    yield Trigger(
        "export_jobs_immutable", f"BEFORE UPDATE OF {', '.join(IMMUTABLE)}", "export_jobs",
        changed, "what was asked for never changes",
    )  # fmt: skip
    yield Trigger(
        "export_jobs_begin", "BEFORE INSERT", "export_jobs",
        f"NEW.status <> '{Status.QUEUED}' OR NEW.attempt_count <> 0 OR NEW.release_count <> 0",
        "a job begins queued and without attempts",
    )  # fmt: skip
    yield Trigger(
        "export_jobs_success", "BEFORE UPDATE OF status", "export_jobs",
        f"(NEW.status = '{Status.SUCCEEDED}') <> EXISTS (SELECT 1 FROM @export_results WHERE job_id = NEW.id)",
        "success needs its result, and only success has one",
    )  # fmt: skip
    yield Trigger(
        "export_jobs_erased", "BEFORE UPDATE OF erased_at", "export_jobs",
        "OLD.erased_at IS NOT NULL AND NEW.erased_at IS NOT OLD.erased_at", "erased is for good",
    )  # fmt: skip
    yield Trigger(
        "export_jobs_delete", "BEFORE DELETE", "export_jobs",
        f"OLD.status NOT IN ({_ended()})", "only an ended job may be purged",
    )  # fmt: skip
    yield Trigger(
        "export_attempts_open", "BEFORE INSERT", "export_attempts",
        f"NOT EXISTS (SELECT 1 FROM @export_jobs WHERE id = NEW.job_id AND status = '{Status.RUNNING}'"
        " AND attempt_count = NEW.number)",
        "an attempt is opened by its claim",
    )  # fmt: skip
    yield Trigger(
        "export_attempts_closed", "BEFORE UPDATE", "export_attempts",
        "OLD.ended_at IS NOT NULL OR NEW.job_id <> OLD.job_id OR NEW.number <> OLD.number"
        " OR NEW.worker_id <> OLD.worker_id OR NEW.claimed_at <> OLD.claimed_at OR NEW.storage_key <> OLD.storage_key",
        "an ended attempt never changes, and no attempt becomes another",
    )  # fmt: skip
    yield Trigger(
        "export_results_running", "BEFORE INSERT", "export_results",
        f"NOT EXISTS (SELECT 1 FROM @export_jobs WHERE id = NEW.job_id AND status = '{Status.RUNNING}')",
        "a result needs a running job",
    )  # fmt: skip
    yield Trigger(
        "export_results_committed", "BEFORE UPDATE", "export_results",
        "NEW.job_id <> OLD.job_id OR NEW.storage <> OLD.storage OR NEW.storage_key <> OLD.storage_key"
        " OR NEW.sha256 <> OLD.sha256 OR NEW.bytes <> OLD.bytes OR NEW.rows <> OLD.rows OR OLD.deleted_at IS NOT NULL"
        " OR NEW.details_json <> OLD.details_json OR NEW.warnings_json <> OLD.warnings_json",
        "a committed result never changes",
    )  # fmt: skip
    for table in ("export_attempts", "export_results"):
        yield Trigger(
            f"{table}_kept", "BEFORE DELETE", table, "EXISTS (SELECT 1 FROM @export_jobs WHERE id = OLD.job_id)",
            "what became of a job goes only with the job",
        )  # fmt: skip
    yield from _counting()
    for moment in ("UPDATE", "DELETE"):
        yield Trigger(
            f"audit_log_no_{moment.lower()}", f"BEFORE {moment}", "audit_log", None, "the audit log is append-only",
        )  # fmt: skip


def _counting() -> Iterator[Trigger]:
    def add(amount: str) -> str:
        return f"UPDATE @counters SET value = value + {amount} WHERE name = '{LIVE_RESULT_BYTES}'"

    yield Trigger(
        "export_results_count", "AFTER INSERT", "export_results", "NEW.deleted_at IS NULL", statement=add("NEW.bytes"),
    )  # fmt: skip
    yield Trigger(
        "export_results_uncount", "AFTER UPDATE OF deleted_at", "export_results",
        "NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL", statement=add("(0 - OLD.bytes)"),
    )  # fmt: skip
    yield Trigger(
        "export_results_gone", "AFTER DELETE", "export_results", "OLD.deleted_at IS NULL",
        statement=add("(0 - OLD.bytes)"),
    )  # fmt: skip
