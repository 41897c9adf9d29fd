"""Every way in which a request or a job can fail: two closed sets of codes, and the exceptions that carry them.

Clients see a code and its title; operators also see a sanitised detail. No message in here, and none that is put into
these exceptions, holds a parameter's value, a row's content or a credential.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Self


class FailureCode(StrEnum):
    """Why a job or an attempt failed. `title` is for people, `retryable` says whether another attempt may help."""

    title: str  # type: ignore[assignment]  # a code is no title-cased text
    retryable: bool

    def __new__(cls, code: str, title: str = "", retryable: bool = False) -> Self:  # noqa: FBT001, FBT002 - a row
        """Build the member from its row: the code, its title, and whether a retry may help."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.title = title
        member.retryable = retryable
        return member

    TEMPORARILY_UNAVAILABLE = "temporarily_unavailable", "A system that the export needs was unavailable.", True
    WORKER_LOST = "worker_lost", "The worker stopped before the export was finished.", True
    ATTEMPT_TIMED_OUT = "attempt_timed_out", "The export took longer than one attempt may.", True
    OUT_OF_MEMORY = "out_of_memory", "The export needed more memory than one attempt may use.", True
    INVALID_PARAMETERS = "invalid_parameters", "The export's parameters are no longer valid.", False
    UNKNOWN_EXPORT = "unknown_export", "The export is no longer offered.", False
    OWNERSHIP_VIOLATION = "ownership_violation", "The owner is no longer allowed to have this export.", False
    RESULT_TOO_LARGE = "result_too_large", "The result is larger than allowed.", False
    UNENCODABLE_VALUE = "unencodable_value", "A value cannot be written in the chosen format.", False
    INTERNAL_ERROR = "internal_error", "The export failed for a reason that is being kept for its operators.", True
    DEADLINE_EXCEEDED = "deadline_exceeded", "The export was not finished before its deadline.", False


class ProblemCode(StrEnum):
    """Why a request was refused. Each is the last part of a problem's `type` (RFC 9457) and fixes its HTTP status."""

    title: str  # type: ignore[assignment]  # a code is no title-cased text
    http_status: int

    def __new__(cls, code: str, http_status: int = 0, title: str = "") -> Self:
        """Build the member from its row: the code, the HTTP status, the title."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.http_status = http_status
        member.title = title
        return member

    KEY_REQUIRED = "idempotency_key_required", 400, "An Idempotency-Key header is required."
    KEY_INVALID = "idempotency_key_invalid", 400, "The Idempotency-Key is not 1 to 255 visible ASCII characters."
    MALFORMED_REQUEST = "malformed_request", 400, "The request can't be understood."
    UNAUTHENTICATED = "unauthenticated", 401, "The request carries no valid credentials."
    FORBIDDEN = "forbidden", 403, "This is not permitted."
    NOT_FOUND = "not_found", 404, "There is no such export."
    KEY_CONFLICT = "idempotency_key_conflict", 409, "The Idempotency-Key was used for a different request."
    ALREADY_ENDED = "already_ended", 409, "The export has already ended."
    NOT_ENDED = "not_ended", 409, "The export has not ended yet."
    RESULT_NOT_READY = "result_not_ready", 409, "The result is not ready yet."
    RESULT_FAILED = "result_failed", 409, "The export failed, so there is no result."
    RESULT_CANCELLED = "result_cancelled", 409, "The export was cancelled, so there is no result."
    STATE_CHANGED = "state_changed", 409, "The job is not in the state that this change expects."
    RESULT_EXPIRED = "result_expired", 410, "The result has expired."
    RESULT_ERASED = "result_erased", 410, "The result was erased."
    KEY_SPENT = "idempotency_key_spent", 410, "The Idempotency-Key belongs to an export that is no longer kept."
    PRECONDITION_FAILED = "precondition_failed", 412, "The export has changed since it was read."
    BODY_TOO_LARGE = "body_too_large", 413, "The request's body is too large."
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type", 415, "The request's body must be application/json."
    RANGE_NOT_SATISFIABLE = "range_not_satisfiable", 416, "The requested range lies outside the result."
    INVALID_REQUEST = "invalid_request", 422, "The request does not fit what this export accepts."
    OWNER_LIMIT = "owner_limit", 429, "You have as many unfinished exports as allowed."
    QUEUE_FULL = "queue_full", 503, "Too many exports are waiting."
    QUEUE_TOO_OLD = "queue_too_old", 503, "Exports are waiting for too long already."
    STORAGE_FULL = "storage_full", 503, "There is no room for further results."
    UNAVAILABLE = "temporarily_unavailable", 503, "The service can't do this right now."
    STOPPING = "stopping", 503, "This server is stopping."


class OutlastError(Exception):
    """The root of every error that Outlast raises on purpose."""


class RequestRefusedError(OutlastError):
    """A request that is answered with a problem.

    `detail` says what is wrong here and what to do; `retry_after_seconds` when a retry makes sense;
    `members` are further members of the problem object (RFC 9457 section 3.2).
    """

    def __init__(
        self, code: ProblemCode, detail: str | None = None, *, retry_after_seconds: int | None = None, **members: Any
    ) -> None:
        """Refuse with the given code."""
        super().__init__(detail or code.title)
        self.code = code
        self.detail = detail
        self.retry_after_seconds = retry_after_seconds
        self.members = members


class ExportFailedError(OutlastError):
    """An attempt that failed for a known reason. Exports may raise it to say which.

    `detail` is kept for operators, and must hold no parameter value or row content.
    `retry_after_seconds` delays the next attempt at least so long.
    """

    def __init__(self, code: FailureCode, detail: str = "", *, retry_after_seconds: float | None = None) -> None:
        """Fail with the given code."""
        super().__init__(f"{code}: {detail}" if detail else str(code))
        self.code = code
        self.detail = detail
        self.retry_after_seconds = retry_after_seconds


class LeaseLostError(OutlastError):
    """A settlement by somebody who doesn't hold the job's lease (any more): nothing was changed."""


class OutcomeUnknownError(OutlastError):
    """A COMMIT failed, and its outcome could not be looked up either. The same request may safely be sent again."""


class DefinitionError(OutlastError):
    """An export, a setting or a configuration file that is wrong; raised at start, and names the culprit."""
