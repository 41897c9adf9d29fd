"""`Service`: what can be done with exports, for any web framework and for none."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from outlast.database import jobs
from outlast.database.accept import Accepted
from outlast.database.connection import Database, unavailable
from outlast.database.jobs import Precondition, Seen
from outlast.database.results import mark_deleted
from outlast.database.writer import Writer
from outlast.declare import Definition, Definitions
from outlast.errors import OutcomeUnknownError, ProblemCode, RequestRefusedError
from outlast.model import Job, Owner, Principal, Result
from outlast.service import results
from outlast.service.acceptance import NO_CONTEXT, Acceptance, Ask, Context
from outlast.service.download import Download
from outlast.service.history import PAGE_DEFAULT, PAGE_LIMIT, cursor_after, position_of
from outlast.service.manifest import Manifest, manifest_of
from outlast.service.pace import Pace
from outlast.service.request import read_wanted
from outlast.settings import Settings
from outlast.storage.base import Storage
from outlast.telemetry.events import JobEnded, OwnershipViolated, RequestAccepted
from outlast.telemetry.hooks import Hooks


@dataclass(frozen=True, slots=True)
class Page:
    """A part of the history, newest first; `next_cursor` leads to the next one and is None at the end."""

    items: Sequence[Seen]
    next_cursor: str | None


class Service:
    """Every function raises RequestRefusedError for what it refuses, UNAVAILABLE when the database can't answer now.

    Those that write also raise OutcomeUnknownError, after which the same request may safely be sent again. Another
    owner's job is NOT_FOUND, like one that never was.
    """

    def __init__(
        self,
        definitions: Definitions,
        settings: Settings,
        database: Database,
        writer: Writer,
        storage: Storage,
        hooks: Hooks,
    ) -> None:
        """Nothing is opened before the first use."""
        self.settings = settings
        self.database = database
        self.hooks = hooks
        self.acceptance = Acceptance(definitions, settings, database, writer)
        self.pace = Pace(database)
        self._definitions = definitions
        self._writer = writer
        self._storage = storage

    def accept(self, principal: Principal, key: str | None, body: object, context: Context = NO_CONTEXT) -> Accepted:
        """Make the job that `body` (decoded JSON) asks for, or find the one that the key made before.

        Returns after the job is durable. Refusals: KEY_REQUIRED, KEY_INVALID, INVALID_REQUEST, FORBIDDEN,
        KEY_CONFLICT, KEY_SPENT, OWNER_LIMIT, QUEUE_FULL, QUEUE_TOO_OLD, STORAGE_FULL.
        """
        return self._accepted(self.acceptance.ask(principal, key, read_wanted(body), context))

    def regenerate(self, principal: Principal, job_id: str, key: str | None, context: Context = NO_CONTEXT) -> Accepted:
        """Make an ended job's export again, under a key of its own, when there is nothing (any more) to download.

        Refusals: as `accept`, and NOT_FOUND, NOT_ENDED, STATE_CHANGED.
        """
        return self._accepted(self.acceptance.ask_again(principal, key, job_id, context))

    def _accepted(self, ask: Ask) -> Accepted:
        try:
            new = self.acceptance.prepare(ask)
        except RequestRefusedError as refusal:
            accepted = self.acceptance.replay(ask, refusal)
        else:
            accepted = self.outcome(self.acceptance.submit(new))
        self.announce(accepted, ask.context)
        return accepted

    def outcome(self, future: Future[Accepted]) -> Accepted:
        """Wait for a submitted acceptance, which is withdrawn when it didn't begin in time."""
        try:
            return future.result(self.settings.accept_wait_seconds)
        except TimeoutError:
            if future.cancel():
                raise unavailable() from None
            return future.result()

    def announce(self, accepted: Accepted, context: Context) -> None:
        """Tell the hooks of an accepted request."""
        self.hooks.emit(RequestAccepted(accepted.job.id, accepted.job.export, accepted.replayed, context.request_id))

    def get(self, principal: Principal, job_id: str) -> Seen:
        """The job as it stands. Refusals: NOT_FOUND."""
        with self.database.read() as connection:
            return jobs.owned(connection, principal, job_id)

    def list(self, principal: Principal, cursor: str | None = None, limit: int = PAGE_DEFAULT) -> Page:
        """The principal's jobs, newest first. Refusals: INVALID_REQUEST for an unknown cursor."""
        limit = max(1, min(PAGE_LIMIT, limit))
        before = None if cursor is None else position_of(cursor)
        with self.database.read() as connection:
            found = jobs.history(connection, principal, limit + 1, before)
        items = found[:limit]
        return Page(items, cursor_after(items[-1]) if len(found) > limit else None)

    @property
    def declared(self) -> Sequence[Definition]:
        """Every export, whoever may ask for it."""
        return list(self._definitions)

    def definitions(self, principal: Principal) -> Sequence[Definition]:
        """What the principal may ask for."""
        return [definition for definition in self._definitions if _fits(definition, principal)]

    def cancel(self, principal: Principal, job_id: str) -> Job:
        """End a live job. Refusals: NOT_FOUND, ALREADY_ENDED."""
        job = self._writer.run(jobs.cancel(job_id, principal), wait_seconds=self.settings.accept_wait_seconds)
        self.hooks.emit(JobEnded(job.id, job.export, job.status))
        return job

    def erase(self, principal: Principal, job_id: str, *, expected: Precondition | None = None) -> None:
        """End the job if it lives, and hide its result for good; repeating it changes nothing.

        Refusals: NOT_FOUND, or what `expected` raises when it is shown the job under the write lock.
        """
        write = jobs.erase(job_id, principal, expected=expected)
        erasure = self._writer.run(write, wait_seconds=self.settings.accept_wait_seconds)
        if erasure.cancelled:
            self.hooks.emit(JobEnded(job_id, erasure.job.export, erasure.job.status))
        result = erasure.job.result
        if result is not None and result.deleted_at is None:
            # What fails here is left to the sweep: the erasure itself stands.
            with contextlib.suppress(OSError, RequestRefusedError, OutcomeUnknownError):
                self._storage.delete(result.storage, result.storage_key)
                self._writer.run(mark_deleted(job_id), wait_seconds=self.settings.accept_wait_seconds)

    def open_result(self, principal: Principal, job_id: str) -> Download:
        """The result, after asking the authorisation hook again; its expiry is decided now.

        Refusals: NOT_FOUND, FORBIDDEN, RESULT_NOT_READY, _FAILED, _CANCELLED, _EXPIRED, _ERASED.
        """
        job, result = self._permitted(principal, job_id, "download")
        return Download(job.id, result, self.database, self._storage)

    def manifest(self, principal: Principal, job_id: str) -> Manifest:
        """What the result is, under the conditions of `open_result`, of which it has the refusals."""
        return manifest_of(*self._permitted(principal, job_id, "manifest"))

    def _permitted(self, principal: Principal, job_id: str, action: str) -> tuple[Job, Result]:
        seen = self.get(principal, job_id)
        result = results.require(seen)
        hook, job = self._definitions.authorize_hook, seen.job
        if hook is not None and not hook(Owner(job.owner, job.tenant), job.export, json.loads(job.parameters_json)):
            self.hooks.emit(OwnershipViolated(job.id, job.export, action))
            raise RequestRefusedError(ProblemCode.FORBIDDEN, "You may not have this export any more.")
        return job, result


def _fits(definition: Definition, principal: Principal) -> bool:
    try:
        definition.parse_owner(principal.owner, principal.tenant)
    except RequestRefusedError:
        return False
    return True
