"""`outlast demo`: an export for real, then another through a killed worker."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from outlast.cli.output import Json


def demo(
    tasks: Annotated[int | None, typer.Option(min=100, help="How many tasks there are; by default 100,000.")] = None,
    directory: Annotated[
        Path | None, typer.Option(file_okay=False, help="Keep the database and the files there.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run an export for real, then another whose worker is killed half-way; exit status 0 if all was verified."""
    from outlast.demo.data import TASK_COUNT
    from outlast.demo.scenario import run

    raise typer.Exit(run(task_count=tasks or TASK_COUNT, directory=directory, as_json=as_json))
