"""What the gauges of state show: counts and sizes that are read from the database, so that all processes agree."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ExportGauges:
    """One export's live work. `available` is due now, `scheduled` is due later."""

    available: int = 0
    scheduled: int = 0
    running: int = 0
    oldest_available_seconds: float = 0.0

    def __add__(self, other: ExportGauges) -> ExportGauges:
        """Both together."""
        return ExportGauges(
            self.available + other.available,
            self.scheduled + other.scheduled,
            self.running + other.running,
            max(self.oldest_available_seconds, other.oldest_available_seconds),
        )


@dataclass(frozen=True, slots=True)
class Gauges:
    """The queue at one moment; bytes are what committed results hold, running attempts reserved, and files take."""

    exports: dict[str, ExportGauges] = field(default_factory=dict)
    expired_leases: int = 0
    live_workers: int = 0
    live_result_bytes: int = 0
    reserved_bytes: int = 0
    database_bytes: int = 0
    wal_bytes: int = 0
