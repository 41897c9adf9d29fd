"""Jobs that end as a test wants it, without a worker: by the same writes that a worker makes."""

import hashlib
import secrets
from typing import Any

from sqlalchemy.engine import Connection

from outlast import Exports, FailureCode
from outlast.database import settle
from outlast.database.transition import apply, storage_key_of
from outlast.database.writer import Batch, Write
from outlast.lifecycle import CLAIM
from outlast.model import Attempt, Failure, Job, Lease, Progress, StagedResult

WORKER = "worker-of-a-test"
WAIT_SECONDS = 5.0


def take(exports: Exports, job_id: str, lease_seconds: float = 60.0) -> Attempt:
    """Claim this job, whichever are due before it."""
    token, random = secrets.token_hex(16), secrets.token_hex(8)

    def perform(connection: Connection, _shared: Batch) -> Attempt:
        job = apply(
            connection, CLAIM, job_id, fresh_token=token, worker=WORKER, lease_seconds=lease_seconds,
            storage_random=random, reserve=0,
        )  # fmt: skip
        assert job is not None
        assert job.lease_until is not None
        key = storage_key_of(job_id, job.attempt_count, random)
        return Attempt(job, job.attempt_count, WORKER, Lease(token, job.lease_until, lease_seconds), key)

    write = Write("claim", job_id, perform, lambda connection: perform(connection, Batch()))
    return exports.writer.run(write, wait_seconds=WAIT_SECONDS)


def report(exports: Exports, attempt: Attempt, rows: int) -> None:
    """Report progress."""
    exports.writer.run(settle.renew(attempt, Progress(rows, rows * 10, 100, "planner")), wait_seconds=WAIT_SECONDS)


def complete(
    exports: Exports,
    attempt: Attempt,
    content: bytes = b"id\n1\n",
    *,
    filename: str = "tasks.csv",
    content_type: str = "text/csv; charset=utf-8",
    details: dict[str, Any] | None = None,
    lifetime_seconds: float = 3600.0,
) -> Job:
    """Stage the content and commit it."""
    staging = exports.storage.stage(attempt)
    staging.write(content)
    staging.finish()
    staged = StagedResult(
        staging.storage, attempt.storage_key, content_type, filename, len(content), content.count(b"\n"),
        hashlib.sha256(content).hexdigest(), attempt.lease.until, ({"code": "replaced", "count": 1},), details or {},
    )  # fmt: skip
    write = settle.complete(attempt, staged, lifetime_seconds=lifetime_seconds)
    return exports.writer.run(write, wait_seconds=WAIT_SECONDS)


def fail(exports: Exports, attempt: Attempt, code: FailureCode = FailureCode.RESULT_TOO_LARGE) -> Job:
    """End the job as failed."""
    write = settle.fail(attempt, Failure(code, "kept for operators"), Progress(), delay_seconds=0)
    return exports.writer.run(write, wait_seconds=WAIT_SECONDS)
