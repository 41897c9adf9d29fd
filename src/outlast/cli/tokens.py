"""`outlast tokens`: bearer tokens of the built-in authentication."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from outlast.cli.finding import App, UsageError, opened
from outlast.cli.output import Json, plain, print_json, print_table, print_text

NAME_LIMIT_CHARACTERS = 255
_UNITS_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}

app = typer.Typer(
    help="Bearer tokens of the built-in authentication; only their hashes are kept.", no_args_is_help=True
)


@app.command()
def create(
    owner: Annotated[str, typer.Option(help="Whose exports the token gives access to.")],
    tenant: Annotated[str, typer.Option(help="His tenant.")] = "default",
    label: Annotated[str | None, typer.Option(help="What the token is for.")] = None,
    expires_in: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Such as 90d, 12h, 30m; without it, it never expires.")
    ] = None,
    app: App = None,
    as_json: Json = False,
) -> None:
    """Make a token and print it, this one time."""
    from outlast.database import tokens
    from outlast.model import Principal

    if not (0 < len(owner) <= NAME_LIMIT_CHARACTERS and 0 < len(tenant) <= NAME_LIMIT_CHARACTERS):
        message = f"an owner and a tenant have 1 to {NAME_LIMIT_CHARACTERS} characters"
        raise UsageError(message)
    lifetime = None if expires_in is None else _seconds(expires_in)
    with opened(app) as exports:
        token = tokens.new_token()
        made = exports.writer.run(
            tokens.issue(token, Principal(owner, tenant), label=label, lifetime_seconds=lifetime),
            wait_seconds=exports.settings.accept_wait_seconds,
        )
    if as_json:
        print_json({**plain(made), "token": token})
    else:
        typer.echo(token)


@app.command("list")
def list_tokens(app: App = None, as_json: Json = False) -> None:
    """List what is known of the tokens; the tokens themselves are not kept."""
    from outlast.database import tokens

    with opened(app) as exports, exports.database.read() as connection:
        found = tokens.listed(connection)
    if as_json:
        print_json({"tokens": found})
        return
    print_table(
        ("id", "tenant", "owner", "label", "created", "expires", "revoked"),
        ((one.id, one.tenant, one.owner, one.label, plain(one.created_at), plain(one.expires_at), plain(one.revoked_at))
         for one in found),
    )  # fmt: skip


@app.command()
def revoke(
    token_id: Annotated[str, typer.Argument(metavar="TOKEN_ID", help="The token's id, from the list.")],
    app: App = None,
    as_json: Json = False,
) -> None:
    """Make a token invalid from now on."""
    from outlast.database import tokens

    with opened(app) as exports:
        revoked = exports.writer.run(tokens.revoke(token_id), wait_seconds=exports.settings.accept_wait_seconds)
    if as_json:
        print_json(revoked)
    else:
        print_text(f"token {revoked.id} of owner {revoked.owner} is revoked")


def _seconds(text: str) -> float:
    match = re.fullmatch(r"([1-9][0-9]{0,5})([smhd])", text)
    if match is None:
        message = f"--expires-in {text!r} is not a duration such as 90d, 12h or 30m"
        raise UsageError(message)
    return float(match[1]) * _UNITS_SECONDS[match[2]]
