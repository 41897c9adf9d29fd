"""Every transition of a job, as data.

From this table come the guarded UPDATE (`database/transition.py`), the trigger that refuses any other change
(`database/triggers.py`), the diagram in `docs/semantics.md`, and the model-based tests. Nothing else moves a job.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from outlast.model import Outcome, Status


class Guard(StrEnum):
    """A condition on the row, tested inside the statement that moves it, by database time."""

    DUE = "due"
    ATTEMPTS_LEFT = "attempts left"
    DEADLINE_AHEAD = "deadline ahead"
    TOKEN_MATCHES = "token matches"  # noqa: S105 - a condition's name
    LEASE_LIVE = "lease unexpired"
    LEASE_EXPIRED = "lease expired"
    RETRY_AHEAD = "the backoff ends before the deadline"
    RELEASES_LEFT = "releases left"
    PAST_SAVING = "past the deadline or no attempts left"
    NO_LIVE_LEASE = "no lease lives"
    COUNT_EXPECTED = "attempt count as expected"
    NOT_ERASED = "not erased"


class Token(StrEnum):
    """What a transition does to the lease token."""

    FRESH = "fresh"
    KEPT = "kept"
    CLEARED = "cleared"


class Limit(StrEnum):
    """What a transition does to the attempt limit. The attempt count itself only rises, when an attempt is opened."""

    KEPT = "kept"
    RAISED = "raised by one, counted as a release"
    RENEWED = "set anew with the deadline, above the attempt count"


@dataclass(frozen=True, slots=True)
class Transition:
    """One row of the table: from where, to where, under which guards, and what it does to attempt and lease."""

    name: str
    sources: tuple[Status, ...]
    target: Status
    guards: tuple[Guard, ...]
    token: Token
    specification: str
    closes: Outcome | None = None
    opens: bool = False
    limit: Limit = Limit.KEPT


CLAIM = Transition(
    "claim", (Status.QUEUED,), Status.RUNNING, (Guard.DUE, Guard.ATTEMPTS_LEFT, Guard.DEADLINE_AHEAD), Token.FRESH,
    "A worker takes a due job under a fresh lease that ends no later than the deadline; the attempt number rises.",
    opens=True,
)  # fmt: skip
RECLAIM = Transition(
    "reclaim", (Status.RUNNING,), Status.RUNNING, (Guard.LEASE_EXPIRED, Guard.ATTEMPTS_LEFT, Guard.DEADLINE_AHEAD),
    Token.FRESH,
    "A worker takes over a job whose lease expired: the old attempt is closed as lost and the next one opened.",
    closes=Outcome.LOST, opens=True,
)  # fmt: skip
RENEW = Transition(
    "renew", (Status.RUNNING,), Status.RUNNING, (Guard.TOKEN_MATCHES,), Token.KEPT,
    "The lease's holder extends it and reports progress; an expired lease that nobody reclaimed may be renewed.",
)  # fmt: skip
COMPLETE = Transition(
    "complete", (Status.RUNNING,), Status.SUCCEEDED, (Guard.TOKEN_MATCHES, Guard.LEASE_LIVE), Token.CLEARED,
    "The lease's holder commits the staged result and the success together.",
    closes=Outcome.SUCCEEDED,
)  # fmt: skip
RETRY = Transition(
    "retry", (Status.RUNNING,), Status.QUEUED,
    (Guard.TOKEN_MATCHES, Guard.LEASE_LIVE, Guard.ATTEMPTS_LEFT, Guard.RETRY_AHEAD), Token.CLEARED,
    "A retryable failure with budget left puts the job back, due after a backoff.",
    closes=Outcome.RETRIED,
)  # fmt: skip
RELEASE = Transition(
    "release", (Status.RUNNING,), Status.QUEUED, (Guard.TOKEN_MATCHES, Guard.RELEASES_LEFT), Token.CLEARED,
    "A stopping worker gives the job back at once; the attempt limit rises by one, a bounded number of times.",
    closes=Outcome.RELEASED, limit=Limit.RAISED,
)  # fmt: skip
FAIL = Transition(
    "fail", (Status.RUNNING,), Status.FAILED, (Guard.TOKEN_MATCHES, Guard.LEASE_LIVE), Token.CLEARED,
    "A permanent failure, or a retryable one with the budget used, ends the job.",
    closes=Outcome.FAILED,
)  # fmt: skip
EXHAUST = Transition(
    "exhaust", (Status.QUEUED, Status.RUNNING), Status.FAILED, (Guard.PAST_SAVING, Guard.NO_LIVE_LEASE), Token.CLEARED,
    "The sweep ends a job that is past its deadline or out of attempts, never while a lease lives.",
    closes=Outcome.LOST,
)  # fmt: skip
CANCEL = Transition(
    "cancel", (Status.QUEUED, Status.RUNNING), Status.CANCELLED, (), Token.CLEARED,
    "The owner or an operator ends a job at once; the worker learns of it at its next renewal.",
    closes=Outcome.CANCELLED,
)  # fmt: skip
REQUEUE = Transition(
    "requeue", (Status.FAILED,), Status.QUEUED, (Guard.COUNT_EXPECTED, Guard.NOT_ERASED), Token.CLEARED,
    "An operator, with a reason, reopens a failed job under a new attempt limit and deadline.",
    limit=Limit.RENEWED,
)  # fmt: skip

TRANSITIONS = (CLAIM, RECLAIM, RENEW, COMPLETE, RETRY, RELEASE, FAIL, EXHAUST, CANCEL, REQUEUE)
