"""All verbs together, and the one place where errors become a line and an exit status."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

import outlast
from outlast.cli import api, check, db, demo, explain, jobs, queue, sweep, tokens, up, verify, worker
from outlast.cli.finding import UsageError
from outlast.errors import OutlastError

app = typer.Typer(
    name="outlast",
    help="Exports that outlast the request.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("check")(check.check)
app.add_typer(db.app, name="db")
app.add_typer(tokens.app, name="tokens")
app.command("api")(api.api)
app.command("worker")(worker.worker)
app.command("up")(up.up)
app.add_typer(jobs.app, name="jobs")
app.command("explain")(explain.explain)
app.command("queue")(queue.queue)
app.command("sweep")(sweep.sweep)
app.command("verify")(verify.verify)
app.command("demo")(demo.demo)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(outlast.__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Say which.")
    ] = False,
) -> None:
    pass


def run() -> int:
    """Run the command line; gives the exit status."""
    try:
        app()
    except OutlastError as error:
        return _tell(error)
    except BrokenPipeError:
        # Whoever read our output has gone; and Python must not try to flush it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def _tell(error: OutlastError) -> int:
    sys.stderr.write(f"outlast: {error}\n")
    return 2 if isinstance(error, UsageError) else 1
