"""One attempt, seen from the parent: allowed again, built by the child, staged as it comes."""

from __future__ import annotations

import errno
import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from outlast.boundary import boundary
from outlast.declare import Definition, Owner
from outlast.errors import ExportFailedError, FailureCode, LeaseLostError, RequestRefusedError
from outlast.model import Job, Progress, StagedResult
from outlast.storage.base import Staging
from outlast.worker.frames import Kind, unpack_progress
from outlast.worker.handle import Child, ChildFailedError
from outlast.worker.lease import HeldLease
from outlast.worker.parts import Parts
from outlast.worker.rendering import spec_of

LOOK_SECONDS = 0.5
"""How long the parent waits for a silent child before it looks whether the child still runs."""


def permitted(parts: Parts, job: Job) -> Definition:
    """The job's definition, if what was stored is still valid and still allowed. Raises ExportFailedError."""
    definition = parts.get(job.export)
    if definition is None:
        raise ExportFailedError(FailureCode.UNKNOWN_EXPORT)
    gone = [column for column in job.columns if column not in definition.columns]
    if gone:
        raise ExportFailedError(FailureCode.INVALID_PARAMETERS, f"columns no longer offered: {', '.join(gone)}")
    if job.format not in definition.formats:
        raise ExportFailedError(FailureCode.INVALID_PARAMETERS, f"format no longer offered: {job.format}")
    try:
        parameters = definition.validate_parameters(json.loads(job.parameters_json))
        definition.parse_owner(job.owner, job.tenant)
    except RequestRefusedError as error:
        if "errors" not in error.members:
            raise ExportFailedError(FailureCode.OWNERSHIP_VIOLATION, "the owner no longer fits the export") from None
        pointers = ", ".join(item["pointer"] for item in error.members["errors"])
        raise ExportFailedError(FailureCode.INVALID_PARAMETERS, f"no longer valid: {pointers}") from None
    boundary("attempt.before_authorisation")
    hook = parts.authorize_hook
    if hook is not None and not hook(Owner(job.owner, job.tenant), job.export, parameters):
        raise ExportFailedError(FailureCode.OWNERSHIP_VIOLATION, "the authorisation hook refused")
    return definition


class Production:
    """The bytes of one attempt on their way from the child into the storage, hashed and counted as they pass."""

    def __init__(self, parts: Parts, definition: Definition, held: HeldLease, child: Child) -> None:
        """Nothing begins before `run`."""
        self._parts = parts
        self._definition = definition
        self._held = held
        self._child = child
        self._digest = hashlib.sha256()
        self._bytes = 0
        self._timeout_seconds = definition.attempt_timeout_seconds or parts.settings.attempt_timeout_seconds
        self._ends_at = time.monotonic() + self._timeout_seconds

    def run(self, staging: Staging) -> StagedResult:
        """Have the child build the file, and make it durable.

        Raises ExportFailedError; ChildFailedError when the child is gone, by whomever; LeaseLostError.
        """
        self._child.begin(spec_of(self._held.attempt.job, self._definition, self._parts.settings))
        while True:
            kind, payload = self._next()
            if kind is Kind.DATA:
                self._digest.update(payload)
                self._bytes += len(payload)
                with self._storing():
                    staging.write(payload)
            elif kind is Kind.PROGRESS:
                self._held.progress = unpack_progress(payload, self._bytes)
            elif kind is Kind.END:
                break
            else:
                raise _failed(json.loads(payload))
        end: dict[str, Any] = json.loads(payload)
        if end["bytes"] != self._bytes:
            raise ChildFailedError(f"the child sent {self._bytes} bytes and speaks of {end['bytes']}")
        self._held.progress = Progress(end["rows"], self._bytes)
        with self._storing():
            staging.finish()
        return self._result(end, staging.storage)

    def _next(self) -> tuple[Kind, bytes]:
        frame = None
        while frame is None:
            left = self._ends_at - time.monotonic()
            if left <= 0:
                detail = f"the attempt took longer than {self._timeout_seconds:g} s"
                raise ExportFailedError(FailureCode.ATTEMPT_TIMED_OUT, detail)
            frame = self._child.receive(min(left, LOOK_SECONDS))
            if self._held.lost:
                raise LeaseLostError
            if self._held.stopping:
                raise ChildFailedError("the worker stops")
        return frame

    @contextmanager
    def _storing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            name = errno.errorcode.get(error.errno or 0, "unknown error")
            detail = f"the storage can't take the bytes ({name})"
            raise ExportFailedError(FailureCode.TEMPORARILY_UNAVAILABLE, detail) from error

    def _result(self, end: dict[str, Any], storage: str) -> StagedResult:
        return StagedResult(
            storage=storage, storage_key=self._held.attempt.storage_key, content_type=end["content_type"],
            filename=f"{self._definition.filename}.{end['extension']}", bytes=self._bytes, rows=end["rows"],
            sha256=self._digest.hexdigest(), as_of=datetime.fromisoformat(end["as_of"]) if end["as_of"] else None,
            warnings=tuple(end["warnings"]), details=end["details"],
        )  # fmt: skip


def _failed(error: dict[str, Any]) -> ExportFailedError:
    return ExportFailedError(
        FailureCode(error["code"]), error["detail"], retry_after_seconds=error["retry_after_seconds"]
    )
