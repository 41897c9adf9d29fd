"""`outlast jobs`: listed, shown, explained, cancelled, requeued."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from outlast.cli import operator
from outlast.cli.explain import explain
from outlast.cli.finding import App, opened
from outlast.cli.output import (
    Json,
    ago,
    duration,
    job_document,
    plain,
    print_json,
    print_table,
    print_text,
)
from outlast.database.wording import bytes_text
from outlast.errors import FailureCode, ProblemCode, RequestRefusedError
from outlast.model import Job, Status

if TYPE_CHECKING:
    from outlast.bootstrap import Exports
    from outlast.database.inspect import Evidence
    from outlast.database.jobs import Seen
    from outlast.database.writer import Write

LIST_LIMIT = 1_000

Id = Annotated[str, typer.Argument(metavar="JOB", help="The job's id.")]

app = typer.Typer(help="Jobs: what was asked for, and how far it got.", no_args_is_help=True)
app.command("explain")(explain)


@app.command("list")
def list_jobs(
    app: App = None,
    status: Annotated[Status | None, typer.Option(help="Only jobs in this status.")] = None,
    export: Annotated[str | None, typer.Option(help="Only jobs of this export.")] = None,
    owner: Annotated[str | None, typer.Option(help="Only jobs of this owner.")] = None,
    code: Annotated[FailureCode | None, typer.Option(help="Only jobs that failed with this code.")] = None,
    before: Annotated[str | None, typer.Option(metavar="JOB", help="Only jobs older than this one.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=LIST_LIMIT, help="How many at most.")] = 20,
    as_json: Json = False,
) -> None:
    """List jobs, newest first."""
    from outlast.database import inspect

    wanted = inspect.Filter(status, export, owner, code, before)
    with opened(app) as exports, exports.database.read() as connection:
        found = inspect.listed(connection, wanted, limit)
    if as_json:
        print_json({"jobs": [job_document(job) for job in found]})
    else:
        print_table(
            ("job", "tenant", "owner", "export", "status", "code", "attempts", "rows", "accepted"),
            ((job.id, job.tenant, job.owner, job.export, job.status, job.error_code, _attempts(job),
              job.progress.rows, plain(job.created_at)) for job in found),
        )  # fmt: skip


@app.command()
def show(job_id: Id, app: App = None, as_json: Json = False) -> None:
    """Show a job's row, its attempts, its result and what operators did to it; no parameter's value."""
    from outlast.database import inspect

    with opened(app) as exports, exports.database.read() as connection:
        found = inspect.evidence(connection, job_id, worker_seen_seconds=exports.settings.worker_seen_seconds)
    document = job_document(found.seen.job)
    if as_json:
        print_json({**document, "result": found.seen.job.result, "attempts": found.attempts, "acts": found.acts})
    else:
        _print_job(found, document)


@app.command()
def cancel(
    job_id: Id, app: App = None, reason: operator.Reason = None, yes: operator.Yes = False, as_json: Json = False
) -> None:
    """End a live job at once; its worker learns of it at the next renewal."""
    from outlast.database import jobs

    with opened(app) as exports:
        _propose(exports, job_id, "cancelled", as_json=as_json)
        act = operator.act(reason)
        operator.confirm("Cancel it?", yes=yes)
        _carry_out(exports, jobs.cancel(job_id, None, operator=act), as_json=as_json)


@app.command()
def requeue(
    job_id: Id,
    app: App = None,
    attempts: Annotated[
        int | None, typer.Option(min=1, max=100, help="How many further attempts; by default as many as a new job's.")
    ] = None,
    deadline_seconds: Annotated[
        float | None, typer.Option(min=1, help="How long from now it may take; by default as long as a new job.")
    ] = None,
    expected_attempts: Annotated[
        int | None, typer.Option(min=0, help="Refuse unless it has had just so many attempts: for safe repeats.")
    ] = None,
    reason: operator.Reason = None,
    yes: operator.Yes = False,
    as_json: Json = False,
) -> None:
    """Reopen a failed job for further attempts, under a new deadline; its attempt numbers go on."""
    from outlast.database import jobs

    with opened(app) as exports:
        further = attempts or exports.settings.attempt_limit
        deadline = deadline_seconds or exports.settings.deadline_seconds
        what = f"requeued, for {further} further attempts within {duration(deadline)}"
        seen = _propose(exports, job_id, what, as_json=as_json)
        act = operator.act(reason)
        operator.confirm("Requeue it?", yes=yes)
        write = jobs.requeue(
            job_id,
            expected_count=seen.job.attempt_count if expected_attempts is None else expected_attempts,
            further_attempts=further,
            deadline_seconds=deadline,
            operator=act,
        )
        _carry_out(exports, write, as_json=as_json)


def _propose(exports: Exports, job_id: str, what: str, *, as_json: bool) -> Seen:
    """Show the job that is about to change. Raises RequestRefusedError NOT_FOUND."""
    from outlast.database import jobs

    with exports.database.read() as connection:
        seen = jobs.get(connection, job_id)
    if seen is None:
        raise RequestRefusedError(ProblemCode.NOT_FOUND, "No job has this id.")
    if not as_json:
        job = seen.job
        print_text(f"To be {what}:")
        print_table(
            ("job", "owner", "export", "status", "code", "attempts", "deadline"),
            [(job.id, job.owner, job.export, job.status, job.error_code, _attempts(job), plain(job.deadline_at))],
        )
    return seen


def _carry_out(exports: Exports, write: Write[Job], *, as_json: bool) -> None:
    job = exports.writer.run(write, wait_seconds=exports.settings.accept_wait_seconds)
    if as_json:
        print_json(job_document(job))
    else:
        print_text(f"Job {job.id} is {job.status} now; `outlast explain {job.id}` tells how it goes on.")


def _print_job(found: Evidence, document: dict[str, object]) -> None:
    result = found.seen.job.result
    _print_fields(document if result is None else {**document, "result": plain(result)})
    print_table(
        ("attempt", "worker", "claimed", "ended", "outcome", "code", "rows", "bytes"),
        (
            (attempt.number, attempt.worker_id, plain(attempt.claimed_at), ago(attempt.ended_at, found.seen.at),
             attempt.outcome, attempt.error_code, attempt.rows, bytes_text(attempt.bytes))
            for attempt in found.attempts
        ),
    )  # fmt: skip
    if found.acts:
        print_table(
            ("operator", "did", "at", "because"),
            ((act.actor, act.action, plain(act.at), act.reason) for act in found.acts),
        )


def _print_fields(document: Mapping[str, object], prefix: str = "") -> None:
    for name, value in document.items():
        if isinstance(value, Mapping):
            _print_fields(value, f"{name} ")
        else:
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            print_text(f"{prefix + name:24} {'–' if shown in (None, '') else shown}")


def _attempts(job: Job) -> str:
    return f"{job.attempt_count}/{job.attempt_limit}"
