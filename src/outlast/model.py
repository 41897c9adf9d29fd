"""The nouns of Outlast: frozen records that every layer speaks in."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from outlast.errors import FailureCode


class Status(StrEnum):
    """What a job is. The last three are ended: they never change by themselves."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Whether a job in this status is finished."""
        return self in ENDED


ENDED = frozenset({Status.SUCCEEDED, Status.FAILED, Status.CANCELLED})


class Outcome(StrEnum):
    """How an attempt ended."""

    SUCCEEDED = "succeeded"
    RETRIED = "retried"
    FAILED = "failed"
    RELEASED = "released"
    LOST = "lost"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks: the authentication's answer. Jobs belong to (tenant, owner); `roles` are the host's own words."""

    owner: str
    tenant: str = "default"
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose data an export may read; handed to the export's function."""

    id: str
    tenant: str = "default"


EstimateSource: TypeAlias = Literal["counted", "planner"]
"""Where an estimate of rows comes from: they were counted before they were read, or the query planner guesses."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the current attempt is: rows and bytes written, and an estimate of all rows, where there is one."""

    rows: int = 0
    bytes: int = 0
    estimated_rows: int | None = None
    estimate_source: EstimateSource | None = None

    @property
    def ahead(self) -> Progress:
        """The same without an estimate that was reached: nobody may read 100 % out of it before the commit."""
        is_ahead = self.estimated_rows is not None and self.estimated_rows > self.rows
        return self if is_ahead else Progress(self.rows, self.bytes)


@dataclass(frozen=True, slots=True)
class Result:
    """A committed file: `bytes` long, `rows` records, and the sha256 of its content in hex.

    `details` are what its manifest says beyond that: columns, extraction, options; empty in results of old versions.
    """

    storage: str
    storage_key: str
    content_type: str
    filename: str
    bytes: int
    rows: int
    sha256: str
    as_of: datetime | None
    warnings: tuple[dict[str, Any], ...]
    created_at: datetime
    expires_at: datetime
    deleted_at: datetime | None = None
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Job:
    """What a caller asked for, as it stands in its row. Holds no lease token."""

    id: str
    tenant: str
    owner: str
    request_key: str
    export: str
    parameters_json: str = field(repr=False)
    format: str
    columns: tuple[str, ...]
    status: Status
    created_at: datetime
    available_at: datetime
    deadline_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    attempt_count: int
    attempt_limit: int
    release_count: int
    lease_until: datetime | None
    worker_id: str | None
    progress: Progress
    error_code: FailureCode | None
    error_detail: str | None
    request_id: str | None
    trace_context: str | None
    regenerated_from: str | None
    erased_at: datetime | None
    result: Result | None = None


@dataclass(frozen=True, slots=True)
class Lease:
    """The time-limited right to settle an attempt. The token fences, and is never shown."""

    token: str = field(repr=False)
    until: datetime
    seconds: float


@dataclass(frozen=True, slots=True)
class Attempt:
    """One claimed execution of a job: what `claim` returns, and what every settlement requires.

    `reclaimed` when it took the job over from an attempt whose lease had expired.
    """

    job: Job
    number: int
    worker_id: str
    lease: Lease
    storage_key: str
    reclaimed: bool = False


@dataclass(frozen=True, slots=True)
class StagedResult:
    """Bytes that are durable under the attempt's key, and what was counted while they passed."""

    storage: str
    storage_key: str
    content_type: str
    filename: str
    bytes: int
    rows: int
    sha256: str
    as_of: datetime | None
    warnings: tuple[dict[str, Any], ...] = ()
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt failed: a code, a sanitised detail for operators, and the least wait before the next attempt."""

    code: FailureCode
    detail: str = ""
    retry_after_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ExportSpec:
    """One attempt's work, as it is handed to the child process: names and validated values only."""

    export: str
    owner: str
    tenant: str
    parameters_json: str = field(repr=False)
    format: str
    columns: tuple[str, ...]
    row_limit: int
    byte_limit: int
