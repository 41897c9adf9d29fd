"""How far did it get? Sentences from durable facts alone: what happened, what is certain, what is not, what follows.

Nothing here is remembered by a process or guessed from logs; the same rows give the same answer anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from outlast.database.inspect import AttemptRecord, Evidence
from outlast.database.wording import bytes_text, moment
from outlast.errors import FailureCode
from outlast.model import Job, Outcome, Result, Status
from outlast.settings import Settings


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that happened, or is to happen, at a time; `kind` is one word for programs."""

    at: datetime
    kind: str
    text: str
    attempt: int | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that can be said of a job at `at`; `expected` is what happens next, and when at the latest."""

    job: Job
    at: datetime
    summary: str
    facts: tuple[Fact, ...]
    certain: tuple[str, ...]
    unknown: tuple[str, ...]
    expected: tuple[Fact, ...]
    operator: tuple[str, ...]
    attempts: tuple[AttemptRecord, ...]


def explain(evidence: Evidence, settings: Settings) -> Explanation:
    """Say how far the job got."""
    job, at = evidence.seen.job, evidence.seen.at
    judged = _Judged(evidence, settings)
    return Explanation(
        job=job,
        at=at,
        summary=judged.summary(),
        facts=tuple(sorted(_facts(evidence), key=lambda fact: fact.at)),
        certain=tuple(judged.certain()),
        unknown=tuple(judged.unknown()),
        expected=tuple(sorted(judged.expected(), key=lambda fact: fact.at)),
        operator=tuple(judged.operator()),
        attempts=evidence.attempts,
    )


def _facts(evidence: Evidence) -> Iterator[Fact]:
    # Facts of one instant keep this order, which is that of cause and effect.
    job = evidence.seen.job
    again = f", again from job {job.regenerated_from}" if job.regenerated_from else ""
    yield Fact(job.created_at, "accepted", f"accepted: export {job.export!r} as {job.format}{again}")
    for attempt in evidence.attempts:
        yield from _facts_of_attempt(evidence, attempt)
    for act in evidence.acts:
        before = f", which had failed with {act.code_before}" if act.code_before else ""
        yield Fact(act.at, act.action, f"{act.action} by operator {act.actor}{before}; the reason given: {act.reason}")
    if job.result is not None:
        yield from _facts_of_result(job.result, evidence.seen.at)
    if job.finished_at is not None:
        yield Fact(job.finished_at, str(job.status), _ending(evidence))
    if job.erased_at is not None:
        yield Fact(job.erased_at, "erased", "erased at its owner's wish: job and result are hidden for good")


def _facts_of_attempt(evidence: Evidence, attempt: AttemptRecord) -> Iterator[Fact]:
    number, at = attempt.number, evidence.seen.at
    worker = evidence.workers.get(attempt.worker_id)
    where = f" (pid {worker.pid} on {worker.host})" if worker else ""
    yield Fact(attempt.claimed_at, "claimed", f"attempt {number} claimed by worker {attempt.worker_id}{where}", number)
    if attempt.outcome is Outcome.LOST and attempt.lease_until and attempt.ended_at:
        yield Fact(
            min(attempt.lease_until, attempt.ended_at), "lease_lost",
            f"attempt {number} lost its lease: its worker no longer renewed it", number,
        )  # fmt: skip
    if attempt.ended_at is None:
        lease = evidence.seen.job.lease_until
        if lease is not None and lease <= at:
            yield Fact(lease, "lease_expired", f"the lease of attempt {number} expired; nobody took over yet", number)
    elif attempt.outcome is Outcome.SUCCEEDED:
        yield from _facts_of_commit(evidence, attempt)
    elif attempt.outcome is not None:
        # The job ends some milliseconds before its attempt does, in one transaction.
        ended_at = min(attempt.ended_at, evidence.seen.job.finished_at or attempt.ended_at)
        yield Fact(ended_at, str(attempt.outcome), f"attempt {number} {_how_it_ended(attempt)}", number)


def _facts_of_commit(evidence: Evidence, attempt: AttemptRecord) -> Iterator[Fact]:
    result = evidence.seen.job.result
    if result is not None:
        text = f"staged {_amount(attempt)} and committed, sha256 {result.sha256}"
        yield Fact(result.created_at, "committed", f"attempt {attempt.number} {text}", attempt.number)


def _how_it_ended(attempt: AttemptRecord) -> str:
    amount = _amount(attempt)
    detail = f" ({attempt.error_detail})" if attempt.error_detail else ""
    match attempt.outcome:
        case Outcome.RETRIED:
            return f"failed with {attempt.error_code}{detail} after {amount}; another attempt was allowed"
        case Outcome.FAILED:
            return f"failed with {attempt.error_code}{detail} after {amount}"
        case Outcome.RELEASED:
            return f"was given back by its stopping worker after {amount}"
        case Outcome.CANCELLED:
            return f"was cut off by the cancellation after {amount}"
    return f"was closed as lost; it had reported {amount}"


def _amount(attempt: AttemptRecord) -> str:
    return f"{attempt.rows:,} rows, {bytes_text(attempt.bytes)}"


def _ending(evidence: Evidence) -> str:
    job = evidence.seen.job
    match job.status:
        case Status.SUCCEEDED:
            return "succeeded"
        case Status.CANCELLED if any(act.action == "cancel" for act in evidence.acts):
            return "cancelled"
        case Status.CANCELLED:
            return "cancelled by its owner"
    detail = f" ({job.error_detail})" if job.error_detail else ""
    return f"failed with {job.error_code}{detail}"


def _facts_of_result(result: Result, at: datetime) -> Iterator[Fact]:
    if result.expires_at <= at:
        yield Fact(result.expires_at, "expired", "the result expired and can't be downloaded any more")
    if result.deleted_at is not None:
        yield Fact(result.deleted_at, "deleted", "the result's bytes were deleted")


class _Judged:
    """What follows from the evidence."""

    def __init__(self, evidence: Evidence, settings: Settings) -> None:
        self._evidence = evidence
        self._settings = settings
        self._job = evidence.seen.job
        self._at = evidence.seen.at
        self._overdue = self._job.lease_until is not None and self._job.lease_until <= self._at
        self._left = self._job.attempt_limit - self._job.attempt_count

    def summary(self) -> str:
        job = self._job
        if job.status is Status.QUEUED:
            what = "its time" if job.available_at > self._at else "a worker"
            return f"waiting for {what}, then for attempt {job.attempt_count + 1}"
        if job.status is Status.RUNNING:
            return f"attempt {job.attempt_count} {'lost its lease' if self._overdue else 'is running'}"
        if job.status is Status.SUCCEEDED:
            return f"succeeded with attempt {job.attempt_count}"
        why = f" with {job.error_code}" if job.error_code else ""
        return f"{job.status}{why} after {_counted(job.attempt_count, 'attempt')}"

    def certain(self) -> Iterator[str]:
        job, result = self._job, self._job.result
        if result is not None:
            yield f"Exactly one result is committed, of {result.bytes:,} bytes; no other can follow."
        else:
            yield "No result is committed."
        if job.status.ended:
            yield "The job has ended and does not change by itself; no worker can settle it."
        if job.status is Status.RUNNING:
            yield f"Only the holder of attempt {job.attempt_count}'s lease can settle it; earlier ones are refused."
            yield f"At its last renewal it had reported {job.progress.rows:,} rows, {bytes_text(job.progress.bytes)}."
        if job.status is Status.QUEUED:
            yield "No worker holds a lease on it."
        yield f"{job.attempt_count} of {_counted(job.attempt_limit, 'attempt')} are used."
        if job.erased_at is not None:
            yield "It was erased: it can be neither seen nor downloaded by its owner, nor requeued."

    def unknown(self) -> Iterator[str]:
        job = self._job
        if job.status is Status.RUNNING:
            yield from self._unknown_of_worker()
        if any(attempt.outcome is Outcome.LOST for attempt in self._evidence.attempts):
            yield "Why a lost attempt's worker went silent: a crash, a kill or a long pause look alike from here."
        if job.status is Status.QUEUED:
            yield "When a worker takes it; there is no order among jobs that are due."
        if job.result is not None:
            yield "Whether the result was downloaded: that is not recorded."
        if job.error_code is FailureCode.INTERNAL_ERROR:
            yield "The defect behind internal_error; the worker's log of that attempt has the place."

    def _unknown_of_worker(self) -> Iterator[str]:
        worker = self._evidence.workers.get(self._job.worker_id or "")
        if worker is None:
            yield "Whether its worker still lives: nothing is recorded of it."
        elif worker.stopped_at is not None:
            yield f"What became of the attempt: its worker stopped at {moment(worker.stopped_at)} without settling it."
        else:
            yield f"Whether its worker still lives; it last showed itself at {moment(worker.seen_at)}."
        yield "How far it is beyond what the last renewal reported."

    def expected(self) -> Iterator[Fact]:
        job = self._job
        match job.status:
            case Status.QUEUED:
                yield Fact(max(job.available_at, self._at), "claim", self._next_claim())
            case Status.RUNNING if job.lease_until is not None:
                yield Fact(max(job.lease_until, self._at), "lease_until", self._next_takeover())
        if not job.status.ended:
            yield Fact(job.deadline_at, "deadline", "if it has not ended by then, it fails with deadline_exceeded")
        if job.finished_at is not None:
            yield from self._expected_after_end(job.finished_at)

    def _next_claim(self) -> str:
        job, limit = self._job, self._settings.owner_running_limit
        if self._left <= 0:
            return "the sweep ends it: no attempts are left"
        if not self._evidence.served:
            return f"nothing: no live worker knows export {job.export!r}"
        if self._evidence.owner_running >= limit:
            return f"nothing until one of its owner's {self._evidence.owner_running} running jobs ends (limit {limit})"
        return f"a free worker begins attempt {job.attempt_count + 1}"

    def _next_takeover(self) -> str:
        after = f"attempt {self._job.attempt_count + 1} begins" if self._left > 0 else "the job fails with worker_lost"
        if self._overdue:
            return f"as soon as a worker or the sweep looks, and unless its worker comes back first, {after}"
        return f"unless the lease is renewed or the attempt settled by then, {after}"

    def _expected_after_end(self, finished_at: datetime) -> Iterator[Fact]:
        job, settings = self._job, self._settings
        result = job.result
        if result is not None and result.deleted_at is None:
            if result.expires_at > self._at and job.erased_at is None:
                yield Fact(result.expires_at, "expiry", "the result expires and can't be downloaded any more")
            gone_at = job.erased_at or result.expires_at + timedelta(seconds=settings.expired_grace_seconds)
            yield Fact(max(gone_at, self._at), "deletion", "the sweep deletes the result's bytes")
        purge_at = finished_at + timedelta(seconds=settings.retention_seconds)
        yield Fact(purge_at, "purge", "the job's row is purged at the earliest")
        key_until = job.created_at + timedelta(seconds=settings.key_lifetime_seconds)
        yield Fact(key_until, "key_expiry", "its idempotency key is forgotten at the earliest")

    def operator(self) -> Iterator[str]:
        job = self._job
        if not job.status.ended:
            yield f"End it: outlast jobs cancel {job.id}"
        if job.status is Status.QUEUED and not self._evidence.served:
            yield f"Start a worker whose app declares export {job.export!r}."
        if job.status is Status.RUNNING:
            yield "Nothing speeds it up: a lost worker's lease runs out by itself, and nobody may settle in its place."
        if job.status is Status.FAILED and job.erased_at is None:
            yield f"Try again: outlast jobs requeue {job.id}"
            if job.error_code is FailureCode.UNKNOWN_EXPORT:
                yield "But first deploy a worker that declares the export."
        if job.status is Status.SUCCEEDED or job.status is Status.CANCELLED:
            yield "Nothing; its owner may ask for it again (regenerate)."


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
