"""`outlast verify`: is this file what its manifest says? Anywhere: it needs no app, no settings and no database."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from outlast.cli.finding import UsageError
from outlast.cli.output import Json, plain, print_json, print_text

STANDARD_INPUT = "-"

File = Annotated[Path, typer.Argument(help="The file.")]
Manifest = Annotated[str, typer.Option("--manifest", help="Its manifest, or - for standard input.")]


def verify(file: File, manifest: Manifest, as_json: Json = False) -> None:
    """Check a file by its manifest, a ZIP's parts too; needs no app and no database; exit status 1 if it is wrong."""
    from outlast.cli import integrity

    claim = integrity.read_manifest(_content(manifest, integrity.MANIFEST_LIMIT_BYTES + 1), _name(manifest))
    try:
        verdict = integrity.verify(file, claim)
    except OSError as error:
        raise UsageError(_unreadable(str(file), error)) from None
    if as_json:
        print_json({"ok": verdict.ok, **plain(verdict)})
    elif verdict.ok:
        parts = "" if verdict.parts is None else f", {verdict.parts:,} parts"
        print_text(f"{file} is what its manifest says: {verdict.rows:,} rows{parts}, {verdict.bytes:,} bytes.")
    else:
        for problem in verdict.problems:
            print_text(f"wrong: {file}: {problem}")
    if not verdict.ok:
        raise typer.Exit(1)


def _content(manifest: str, most_bytes: int) -> bytes:
    if manifest == STANDARD_INPUT:
        return sys.stdin.buffer.read(most_bytes)
    try:
        with Path(manifest).open("rb") as file:
            return file.read(most_bytes)
    except OSError as error:
        raise UsageError(_unreadable(manifest, error)) from None


def _name(manifest: str) -> str:
    return "standard input" if manifest == STANDARD_INPUT else manifest


def _unreadable(name: str, error: OSError) -> str:
    return f"{name} can't be read: {error.strerror or type(error).__name__}"
