"""`outlast api`: the HTTP interface with built-in bearer tokens. It runs no export."""

from __future__ import annotations

import socket
from typing import Annotated

import typer

from outlast.cli import lifeline
from outlast.cli.finding import App, find, require_database
from outlast.cli.output import Json, print_json

DEFAULT_PORT = 8000
KILL_AFTER_SECONDS = 10.0

Asgi = Annotated[
    str | None,
    typer.Option(metavar="MODULE:ATTRIBUTE", help="Serve this ASGI application of yours, which mounts the router."),
]
Host = Annotated[str, typer.Option(help="The address to listen on.")]
Port = Annotated[int, typer.Option(min=0, max=65_535, help="The port; 0 takes a free one.")]


def api(
    app: App = None,
    host: Host = "127.0.0.1",
    port: Port = DEFAULT_PORT,
    workers: Annotated[int, typer.Option(min=1, max=64, help="How many processes.")] = 1,
    asgi: Asgi = None,
    root_path: Annotated[str, typer.Option(help="The path under which a proxy shows us.")] = "",
    as_json: Json = False,
    listener_descriptor: Annotated[int | None, typer.Option("--listener", hidden=True)] = None,
    lifeline_descriptor: lifeline.Lifeline = None,
) -> None:
    """Serve HTTP until Ctrl-C or SIGTERM; --json prints the address as JSON first, and log lines as JSON."""
    from outlast.cli.serving import Serving, listen, serve, url_of

    found = find(app)
    require_database(found.exports)
    stop_seconds = found.exports.settings.drain_seconds
    found.exports.close()
    lifeline.hold(lifeline_descriptor, stop_seconds=stop_seconds + KILL_AFTER_SECONDS)
    listener = listen(host, port) if listener_descriptor is None else socket.socket(fileno=listener_descriptor)
    if listener_descriptor is None:
        if as_json:
            print_json({"url": url_of(listener)})
        else:
            typer.echo(f"Listening on {url_of(listener)}", err=True)
    serve(Serving(found.reference, asgi, as_json, root_path, stop_seconds), listener, workers)
