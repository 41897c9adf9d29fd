"""What every deed of an operator needs: a reason, a look at what will change, and a yes."""

from __future__ import annotations

import getpass
import os
import socket
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from outlast.cli.finding import UsageError

if TYPE_CHECKING:
    from outlast.database.audit import Act

REASON_LIMIT_CHARACTERS = 1_000

Reason = Annotated[
    str | None, typer.Option("--reason", help="Why; it is kept in the audit log. Asked for at a terminal.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Don't ask whether to go on.")]


def act(reason: str | None) -> Act:
    """Who does it, and why. Raises UsageError without a reason."""
    from outlast.database.audit import Act

    if reason is None and sys.stdin.isatty():
        reason = typer.prompt("Why? (kept in the audit log)", err=True)
    reason = (reason or "").strip()
    if not reason:
        message = "say why with --reason: it is kept in the audit log"
        raise UsageError(message)
    return Act(_actor(), reason[:REASON_LIMIT_CHARACTERS])


def confirm(question: str, *, yes: bool) -> None:
    """Go on only after a yes. Raises UsageError where nobody can be asked."""
    if yes:
        return
    if not sys.stdin.isatty():
        message = "nobody can be asked here: repeat it with --yes"
        raise UsageError(message)
    typer.confirm(question, abort=True, err=True)


def _actor() -> str:
    try:
        user = os.environ.get("SUDO_USER") or getpass.getuser()
    except (KeyError, OSError):
        user = f"uid {os.getuid()}"  # a container whose user has no name
    return f"{user}@{socket.gethostname()}"
