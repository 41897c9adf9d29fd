"""Every event, frozen. None holds a lease token, a parameter's value or a row's content."""

from __future__ import annotations

from dataclasses import dataclass

from outlast.errors import FailureCode, ProblemCode
from outlast.model import Status


@dataclass(frozen=True, slots=True)
class Event:
    """The root of all events."""


@dataclass(frozen=True, slots=True)
class RequestAccepted(Event):
    """A request got its job; `replayed` when an earlier one had made it."""

    job_id: str
    export: str
    replayed: bool
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class RequestRefused(Event):
    """A request got a problem instead."""

    code: ProblemCode
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class AttemptClaimed(Event):
    """A worker took a job; `waited_seconds` since it was due; `reclaimed` when the attempt before lost its lease."""

    job_id: str
    export: str
    attempt: int
    worker_id: str
    waited_seconds: float
    reclaimed: bool
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class AttemptSettled(Event):
    """An attempt ended and the job went to `status`; `code` when it failed."""

    job_id: str
    export: str
    attempt: int
    worker_id: str
    status: Status
    code: FailureCode | None
    seconds: float
    rows: int
    bytes: int
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class WriteFenced(Event):
    """A settlement or renewal was refused, since its lease was no longer current: nothing was changed."""

    job_id: str
    attempt: int
    worker_id: str
    action: str
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class LeaseExpired(Event):
    """A job's lease was found expired, by a reclaim or by the sweep."""

    job_id: str
    export: str
    attempt: int


@dataclass(frozen=True, slots=True)
class JobEnded(Event):
    """A job ended without its worker: cancelled, erased or exhausted."""

    job_id: str
    export: str
    status: Status
    code: FailureCode | None = None


@dataclass(frozen=True, slots=True)
class OwnershipViolated(Event):
    """The authorisation hook refused what it had allowed before, or an owner no longer fits: look into it."""

    job_id: str
    export: str
    where: str


@dataclass(frozen=True, slots=True)
class BytesDeleted(Event):
    """The sweep deleted bytes: `reason` is orphan, expired or erased."""

    reason: str
    keys: int


@dataclass(frozen=True, slots=True)
class JobsPurged(Event):
    """Old ended jobs were deleted; their keys are kept as long as was published."""

    count: int


@dataclass(frozen=True, slots=True)
class LoopFailed(Event):
    """A background loop met an error, survived it and tries again. `error` is the exception's class."""

    loop: str
    error: str


@dataclass(frozen=True, slots=True)
class WorkerStarted(Event):
    """A worker's incarnation began."""

    worker_id: str
    exports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WorkerStopped(Event):
    """A worker's incarnation ended; `released` attempts were given back."""

    worker_id: str
    released: int
