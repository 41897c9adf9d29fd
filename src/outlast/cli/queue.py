"""`outlast queue`: the queue's health."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outlast.cli.finding import App, opened
from outlast.cli.output import Json, ago, duration, plain, print_json, print_table, print_text
from outlast.database.wording import bytes_text, moment
from outlast.telemetry.gauges import ExportGauges

if TYPE_CHECKING:
    from outlast.database.health import Health, Window
    from outlast.settings import Settings

LIMITS = (
    "pending_limit", "oldest_age_limit_seconds", "storage_budget_bytes", "owner_pending_limit", "owner_running_limit",
)  # fmt: skip


def queue(app: App = None, as_json: Json = False) -> None:
    """Show what waits, what runs, what ended lately, who works, and how much room there is."""
    from outlast.database.health import health

    with opened(app) as exports:
        found, settings = health(exports.database, exports.settings), exports.settings
    total = sum(found.gauges.exports.values(), ExportGauges())
    if as_json:
        limits = {name: getattr(settings, name) for name in LIMITS}
        print_json({**plain(found), "total": total, "limits": limits})
        return
    print_text(f"The queue at {moment(found.at)}", bold=True)
    _print_work(found, total)
    _print_windows(found)
    _print_workers(found)
    _print_room(found, settings)


def _print_work(found: Health, total: ExportGauges) -> None:
    exports = {**found.gauges.exports, "all": total}
    print_table(
        ("export", "available", "scheduled", "running", "oldest waits"),
        (
            (name, of.available, of.scheduled, of.running, duration(of.oldest_available_seconds))
            for name, of in exports.items()
        ),
    )
    if found.unserved:
        print_text(f"No live worker knows: {', '.join(found.unserved)}")
    print_text(f"Expired leases not taken over: {found.gauges.expired_leases}. Fenced writes: {found.fenced_writes}.")


def _print_windows(found: Health) -> None:
    def failed(window: Window) -> str:
        codes = ", ".join(f"{code} {count}" for code, count in sorted(window.failed.items()))
        return f"{sum(window.failed.values())}" + (f" ({codes})" if codes else "")

    def seconds(value: float | None) -> str | None:
        return None if value is None else duration(value)

    print_text()
    print_table(
        ("last", "accepted", "completed", "failed", "cancelled", "retries", "lost attempts", "given back",
         "mean attempt", "longest"),
        (
            (name, window.accepted, window.completed, failed(window), window.cancelled, window.retries,
             window.lost_attempts, window.released_attempts, seconds(window.mean_attempt_seconds),
             seconds(window.longest_attempt_seconds))
            for name, window in found.windows.items()
        ),
    )  # fmt: skip


def _print_workers(found: Health) -> None:
    print_text()
    if not found.workers:
        print_text("No live workers.")
        return
    print_table(
        ("worker", "host", "pid", "started", "seen", "exports"),
        (
            (worker.id, worker.host, worker.pid, ago(worker.started_at, found.at), ago(worker.seen_at, found.at),
             ", ".join(worker.exports))
            for worker in found.workers
        ),
    )  # fmt: skip


def _print_room(found: Health, settings: Settings) -> None:
    gauges = found.gauges
    used = gauges.live_result_bytes + gauges.reserved_bytes
    print_text()
    print_text(
        f"Results hold {bytes_text(gauges.live_result_bytes)}, running attempts reserve "
        f"{bytes_text(gauges.reserved_bytes)}: {used / settings.storage_budget_bytes:.1%} of "
        f"{bytes_text(settings.storage_budget_bytes)}. "
        f"The database takes {bytes_text(gauges.database_bytes)}, its log {bytes_text(gauges.wal_bytes)}."
    )
    print_text(
        f"New jobs are refused from {settings.pending_limit:,} waiting, {settings.owner_pending_limit:,} of one owner, "
        f"or when the oldest has waited {duration(settings.oldest_age_limit_seconds)}. "
        f"At most {settings.owner_running_limit} of one owner run."
    )
