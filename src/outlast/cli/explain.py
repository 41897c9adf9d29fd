"""`outlast explain`: how far a request was processed, from durable facts only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from outlast.cli.finding import App, UsageError, opened
from outlast.cli.output import Json, job_document, plain, print_json, print_text
from outlast.database.wording import moment
from outlast.model import Principal

if TYPE_CHECKING:
    from outlast.bootstrap import Exports
    from outlast.database.explain import Explanation

Reference = Annotated[
    str, typer.Argument(help="A job's id, a request's id, or with --owner the idempotency key that he sent.")
]


def explain(
    reference: Reference,
    app: App = None,
    owner: Annotated[str | None, typer.Option(help="Whose idempotency key it is.")] = None,
    tenant: Annotated[str | None, typer.Option(help="His tenant.")] = None,
    as_json: Json = False,
) -> None:
    """Tell how far a request was processed: what is certain, what isn't, what follows, and what you may do."""
    if tenant and not owner:
        message = "--tenant goes with --owner"
        raise UsageError(message)
    with opened(app) as exports:
        found = _explained(exports, reference, owner, tenant or Principal("").tenant)
    if as_json:
        documents = [{**plain(one), "job": job_document(one.job)} for one in found]
        print_json(documents[0] if len(documents) == 1 else {"explanations": documents})
        return
    for one in found:
        _print(one)


def _explained(exports: Exports, reference: str, owner: str | None, tenant: str) -> list[Explanation]:
    from outlast.database import explain as explanations
    from outlast.database import inspect

    settings = exports.settings
    with exports.database.read() as connection:
        if owner is not None:
            ids = [inspect.find_by_key(connection, tenant, owner, reference)]
        else:
            ids = inspect.find(connection, reference)
        evidence = [
            inspect.evidence(connection, job_id, worker_seen_seconds=settings.worker_seen_seconds) for job_id in ids
        ]
    return [explanations.explain(one, settings) for one in evidence]


def _print(found: Explanation) -> None:
    job = found.job
    print_text(f"Job {job.id}: {found.summary}", bold=True)
    print_text(f"export {job.export!r} for owner {job.owner} (tenant {job.tenant}), as of {moment(found.at)}")
    print_text("\nWhat happened")
    for fact in found.facts:
        print_text(f"  {moment(fact.at)}  {fact.text}")
    if found.expected:
        print_text("What happens next")
    for fact in found.expected:
        print_text(f"  {'by now' if fact.at <= found.at else moment(fact.at):24}  {fact.text}")
    for title, sentences in (
        ("Certain", found.certain), ("Unknown", found.unknown), ("What you may do", found.operator),
    ):  # fmt: skip
        if sentences:
            print_text(title)
        for sentence in sentences:
            print_text(f"  {sentence}")
    print_text()
