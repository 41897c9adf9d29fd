"""From a request to its job. The key decides first: whatever speaks against a request, a replay is answered.

`ask` and `ask_again` say what is asked; then `prepare`, and with its answer `submit`, or with its refusal `replay`.
`Service.accept` does all of it in turn; who must not wait takes the steps, `waits` telling which of them do.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from outlast.database import accept, jobs
from outlast.database.accept import Accepted
from outlast.database.admission import Limits
from outlast.database.connection import Database
from outlast.database.new_jobs import Asked, NewJob
from outlast.database.writer import Writer
from outlast.declare import Definition, Definitions
from outlast.errors import ProblemCode, RequestRefusedError
from outlast.model import Owner, Principal
from outlast.service import results
from outlast.service.fingerprints import fingerprint, sorted_json
from outlast.service.identifiers import job_id
from outlast.service.request import ExportRequest, Wanted, invalid, read_key
from outlast.settings import Settings


@dataclass(frozen=True, slots=True)
class Context:
    """Where a request came from, kept with its job: the request's id, and the W3C traceparent."""

    request_id: str | None = None
    trace: str | None = None


NO_CONTEXT = Context()


@dataclass(frozen=True, slots=True)
class Ask:
    """A request for a job: whose, and either a new export or one that is to be made again from the job `source_id`."""

    principal: Principal
    asked: Asked
    context: Context
    request: ExportRequest | None = None
    source_id: str | None = None


class Acceptance:
    """Knows the definitions and the limits; writes through the process's writer."""

    def __init__(self, definitions: Definitions, settings: Settings, database: Database, writer: Writer) -> None:
        """Nothing is opened."""
        self._definitions = definitions
        self._settings = settings
        self._database = database
        self._writer = writer
        self._limits = Limits(
            settings.pending_limit, settings.oldest_age_limit_seconds, settings.storage_budget_bytes,
            settings.owner_pending_limit, settings.worker_seen_seconds,
        )  # fmt: skip

    def ask(self, principal: Principal, key: str | None, wanted: Wanted, context: Context = NO_CONTEXT) -> Ask:
        """A request for a new export. Raises RequestRefusedError: KEY_REQUIRED, KEY_INVALID."""
        asked = Asked(principal.tenant, principal.owner, read_key(key), wanted.fingerprint, None)
        return Ask(principal, asked, context, request=wanted.request)

    def ask_again(self, principal: Principal, key: str | None, source_id: str, context: Context = NO_CONTEXT) -> Ask:
        """A request to make a job's export again. Raises RequestRefusedError: KEY_REQUIRED, KEY_INVALID."""
        same = fingerprint("regenerate", source_id)
        asked = Asked(principal.tenant, principal.owner, read_key(key), same, same)
        return Ask(principal, asked, context, source_id=source_id)

    def waits(self, ask: Ask) -> bool:
        """Whether `prepare` will wait for the host's hook or for the database."""
        return self._definitions.authorize_hook is not None or ask.source_id is not None

    def prepare(self, ask: Ask) -> NewJob:
        """Validate what is asked and ask the authorisation hook.

        Raises RequestRefusedError: INVALID_REQUEST, FORBIDDEN; for a source also NOT_FOUND, NOT_ENDED, STATE_CHANGED.
        """
        request = ask.request or self._request_of(ask.principal, ask.source_id or "")
        definition = self._definitions.get(request.export)
        if definition is None:
            raise invalid({"export": "is not one of the exports that are offered"})
        format_, columns = _choices(definition, request)
        parameters = definition.validate_parameters(request.parameters)
        owner = Owner(ask.principal.owner, ask.principal.tenant)
        definition.parse_owner(owner.id, owner.tenant)
        hook = self._definitions.authorize_hook
        if hook is not None and not hook(owner, definition.name, parameters):
            raise RequestRefusedError(ProblemCode.FORBIDDEN, f"You may not export {definition.name!r} like this.")
        return self._new_job(ask, definition, parameters, format_, columns)

    def replay(self, ask: Ask, refusal: RequestRefusedError) -> Accepted:
        """The job that the key made before, for a request that is refused by now; else the refusal is raised."""
        with self._database.read() as connection:
            found = accept.replay(connection, ask.asked)
        if found is None:
            raise refusal
        return found

    def submit(self, new: NewJob) -> Future[Accepted]:
        """Queue the write. The future ends after the COMMIT; cancelling it withdraws a write that has not begun.

        Raises RequestRefusedError UNAVAILABLE or STOPPING, as `Writer.submit` does.
        """
        return self._writer.submit(accept.accept(new, self._limits), wait_seconds=self._settings.accept_wait_seconds)

    def _request_of(self, principal: Principal, source_id: str) -> ExportRequest:
        with self._database.read() as connection:
            seen = jobs.owned(connection, principal, source_id)
        if not seen.job.status.ended:
            raise RequestRefusedError(ProblemCode.NOT_ENDED)
        if results.available(seen):
            raise RequestRefusedError(ProblemCode.STATE_CHANGED, "Its result can still be downloaded.")
        job = seen.job
        return ExportRequest(job.export, json.loads(job.parameters_json), job.format, job.columns)

    def _new_job(
        self, ask: Ask, definition: Definition, parameters: Mapping[str, Any], format_: str, columns: tuple[str, ...]
    ) -> NewJob:
        asked = ask.asked
        parameters_json = sorted_json(parameters)
        return NewJob(
            id=job_id(), tenant=asked.tenant, owner=asked.owner, request_key=asked.request_key,
            request_fingerprint=asked.request_fingerprint,
            parameters_fingerprint=asked.parameters_fingerprint
            or _meaning(definition.name, parameters, parameters_json, format_, columns),
            export=definition.name, parameters_json=parameters_json, format=format_, columns=columns,
            attempt_limit=self._settings.attempt_limit,
            deadline_seconds=definition.deadline_seconds or self._settings.deadline_seconds,
            request_id=ask.context.request_id, trace_context=ask.context.trace, regenerated_from=ask.source_id,
        )  # fmt: skip


def _meaning(
    export: str, parameters: Mapping[str, Any], parameters_json: str, format_: str, columns: tuple[str, ...]
) -> str:
    meaning = {"columns": columns, "export": export, "format": format_, "parameters": parameters}
    return fingerprint("meaning", meaning, f"{_opening(export, format_, columns)}{parameters_json}}}")


@lru_cache(maxsize=256)
def _opening(export: str, format_: str, columns: tuple[str, ...]) -> str:
    """What the sorted JSON of a request's meaning begins with, up to its parameters."""
    return sorted_json({"columns": columns, "export": export, "format": format_})[:-1] + ',"parameters":'


def _choices(definition: Definition, request: ExportRequest) -> tuple[str, tuple[str, ...]]:
    format_, columns = request.format or definition.formats[0], request.columns or definition.columns
    wrong = {}
    if format_ not in definition.formats:
        wrong["format"] = f"must be one of {', '.join(definition.formats)}"
    if not set(columns) <= set(definition.columns):
        wrong["columns"] = f"must be some of {', '.join(definition.columns)}"
    if wrong:
        raise invalid(wrong)
    return format_, columns
