"""Every event as a line of the standard library's logger `outlast`; the only place that words them.

A hook for hosts of every kind: it configures nothing. A record carries the event's fields as attributes (`job_id`,
`attempt`, `worker_id`, `request_id`, …) and its name as `event_name`, for whoever writes structured lines.
"""

from __future__ import annotations

import dataclasses
import logging
from enum import Enum

from outlast.errors import ProblemCode
from outlast.model import Status
from outlast.telemetry import events
from outlast.telemetry.events import Event

_log = logging.getLogger("outlast")

LAST_CLIENT_STATUS = 499

_SETTLED: dict[Status, tuple[int, str]] = {
    Status.SUCCEEDED: (logging.INFO, "attempt %(attempt)s of job %(job_id)s committed its result"),
    Status.FAILED: (logging.WARNING, "attempt %(attempt)s of job %(job_id)s failed, and so did the job: %(code)s"),
    Status.CANCELLED: (logging.INFO, "attempt %(attempt)s of job %(job_id)s was stopped: the job was cancelled"),
    Status.RUNNING: (logging.WARNING, "attempt %(attempt)s of job %(job_id)s ended; the job runs elsewhere"),
}
_RETRIED = (logging.WARNING, "attempt %(attempt)s of job %(job_id)s failed and will be followed by another: %(code)s")
_RELEASED = (logging.INFO, "attempt %(attempt)s of job %(job_id)s was given back by its stopping worker")
_ENDED: dict[Status, tuple[int, str]] = {
    Status.CANCELLED: (logging.INFO, "job %(job_id)s was cancelled"),
    Status.FAILED: (logging.WARNING, "job %(job_id)s failed without a worker: %(code)s"),
}
_CLAIMED = (logging.INFO, "worker %(worker_id)s began attempt %(attempt)s of job %(job_id)s")
_RECLAIMED = (
    logging.WARNING,
    "worker %(worker_id)s began attempt %(attempt)s of job %(job_id)s, whose lease had expired",
)
_ACCEPTED = (logging.INFO, "job %(job_id)s was accepted: an export of %(export)s")
_REPLAYED = (logging.INFO, "a repeated request was answered with its job %(job_id)s")
_REFUSED = "a request was refused: %(code)s"

_PLAIN: dict[type[Event], tuple[int, str]] = {
    events.WriteFenced: (
        logging.WARNING,
        "%(action)s of attempt %(attempt)s of job %(job_id)s was refused: its lease is no longer current",
    ),
    events.LeaseExpired: (logging.WARNING, "the lease of attempt %(attempt)s of job %(job_id)s expired"),
    events.OwnershipViolated: (
        logging.ERROR,
        "job %(job_id)s: its owner may not have export %(export)s (any more), found at %(where)s",
    ),
    events.BytesDeleted: (logging.INFO, "the sweep deleted %(keys)s stored results: %(reason)s"),
    events.JobsPurged: (logging.INFO, "%(count)s old jobs were purged"),
    events.LoopFailed: (logging.ERROR, "the %(loop)s loop met %(error)s and goes on"),
    events.WorkerStarted: (logging.INFO, "worker %(worker_id)s started"),
    events.WorkerStopped: (logging.INFO, "worker %(worker_id)s stopped; it gave %(released)s attempts back"),
}


def log_event(event: Event) -> None:
    """Log the event, at its level, in its words."""
    level, message = _worded(event)
    if not _log.isEnabledFor(level):
        return
    fields = {field.name: _plain(getattr(event, field.name)) for field in dataclasses.fields(event)}
    _log.log(level, message, fields, extra={"event_name": type(event).__name__, **fields})


def _worded(event: Event) -> tuple[int, str]:
    match event:
        case events.RequestAccepted():
            worded = _REPLAYED if event.replayed else _ACCEPTED
        case events.RequestRefused():
            worded = _level_of(event.code), _REFUSED
        case events.AttemptClaimed():
            worded = _RECLAIMED if event.reclaimed else _CLAIMED
        case events.AttemptSettled(status=Status.QUEUED):
            worded = _RETRIED if event.code else _RELEASED
        case events.AttemptSettled():
            worded = _SETTLED[event.status]
        case events.JobEnded():
            worded = _ENDED[event.status]
        case _:
            worded = _PLAIN[type(event)]
    return worded


def _level_of(code: ProblemCode) -> int:
    return logging.INFO if code.http_status <= LAST_CLIENT_STATUS else logging.WARNING


def _plain(value: object) -> object:
    if isinstance(value, float):
        return round(value, 3)
    return value.value if isinstance(value, Enum) else value
