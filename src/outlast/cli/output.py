"""What commands print: tables and sentences for people, one JSON document for scripts."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from outlast.model import Job

WIDTH_WITHOUT_TERMINAL = 180

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, for scripts.")]


def print_json(document: object) -> None:
    """One JSON document on a line: times in RFC 3339, unknown values null."""
    sys.stdout.write(json.dumps(plain(document)) + "\n")
    sys.stdout.flush()


def plain(value: Any) -> Any:  # noqa: ANN401 - any record of ours
    """Records as objects, times as RFC 3339 text, codes as text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return value.value if isinstance(value, Enum) else value


def job_document(job: Job) -> dict[str, Any]:
    """A job as operators see it: everything but the parameters' values and the lease's token."""
    document = plain(job)
    document["parameter_names"] = sorted(json.loads(document.pop("parameters_json")))
    document["idempotency_key"] = document.pop("request_key")
    document.pop("result")
    return document  # type: ignore[no-any-return]


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None) -> None:
    """A table; nothing in it is taken for markup."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text("–" if cell is None else str(cell)) for cell in row))
    _console().print(table)


def print_text(text: str = "", *, bold: bool = False) -> None:
    """A line or a paragraph."""
    _console().print(Text(text, style="bold" if bold else ""))


def ago(at: datetime | None, now: datetime) -> str | None:
    """How long ago, or until when, roughly."""
    if at is None:
        return None
    distance = duration(abs((now - at).total_seconds()))
    return f"{distance} ago" if at <= now else f"in {distance}"


def duration(seconds: float) -> str:
    """A duration in its two largest units."""
    if seconds < 60:  # noqa: PLR2004 - a minute
        return f"{seconds:.1f} s"
    text = str(timedelta(seconds=round(seconds)))
    return text.removesuffix(" day, 0:00:00")


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL, highlight=False)
