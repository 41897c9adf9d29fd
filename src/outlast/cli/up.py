"""`outlast up`: API and worker under one supervisor, for a first look or a small host."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import Annotated

import typer

from outlast.cli.api import KILL_AFTER_SECONDS, Asgi, Host, Port
from outlast.cli.finding import App, find, reference_of, require_database
from outlast.cli.output import Json, print_json, print_text
from outlast.errors import OutlastError

READY_SECONDS = 60.0
DEMO_EXPORTS = "outlast.demo.exports:exports"
DEMO_APP = "outlast.demo.app:app"


@dataclass(frozen=True, slots=True)
class Ready:
    """An app whose database is ready; tokens only where we made them."""

    reference: str
    asgi: str | None
    database: str
    drain_seconds: float
    token: str | None = None
    other_token: str | None = None


def up(
    app: App = None,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    asgi: Asgi = None,
    tasks: Annotated[int | None, typer.Option(min=100, help="How many tasks the demo has; by default 100,000.")] = None,
    as_json: Json = False,
) -> None:
    """Run API and worker until Ctrl-C: on your app, or without one on the demo's data (./outlast-demo.db)."""
    from outlast.cli.serving import listen, url_of
    from outlast.cli.supervise import Child, Supervisor
    from outlast.telemetry import structured

    structured.configure(json=as_json, process="supervisor", pid=os.getpid())

    reference = reference_of(app)
    ready = _demo(tasks, as_json=as_json) if reference is None else _of_app(reference, asgi)
    listener = listen(host, port)
    url = url_of(listener)
    outlast = [sys.executable, "-m", "outlast.cli"]
    common = ["--app", ready.reference, *(["--json"] if as_json else [])]
    serving = ["--listener", str(listener.fileno()), *(["--asgi", ready.asgi] if ready.asgi else [])]
    children = [
        Child("API", [*outlast, "api", *common, *serving], (listener.fileno(),)),
        Child("worker", [*outlast, "worker", *common]),
    ]
    supervisor = Supervisor(children, stop_seconds=ready.drain_seconds + KILL_AFTER_SECONDS)
    with supervisor.running():
        if supervisor.wait(lambda: _answers(url), READY_SECONDS):
            _announce(url, ready, *(child.pid for child in children), as_json=as_json)
            supervisor.keep()
        elif not supervisor.stopping:
            message = f"not up, so both are stopped: {supervisor.ended() or 'the API does not answer'}"
            raise OutlastError(message)


def _demo(tasks: int | None, *, as_json: bool) -> Ready:
    from outlast.database.dialect import sqlite_path
    from outlast.demo.data import TASK_COUNT
    from outlast.demo.exports import exports
    from outlast.demo.prepare import prepare

    path = str(sqlite_path(exports.database.url))
    # The children are to open the same file, whatever their settings' default is.
    url = os.environ["OUTLAST_DATABASE_URL"] = f"sqlite:///{path}"
    if not as_json:
        print_text(f"No app here: on the demo's data, in {path}")
    token, other_token = prepare(url, tasks or TASK_COUNT)
    return Ready(DEMO_EXPORTS, DEMO_APP, path, exports.settings.drain_seconds, token, other_token)


def _of_app(reference: str, asgi: str | None) -> Ready:
    from outlast.database.dialect import sqlite_path

    exports = find(reference).exports
    require_database(exports)
    exports.close()
    return Ready(reference, asgi, str(sqlite_path(exports.database.url)), exports.settings.drain_seconds)


def _answers(url: str) -> bool:
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(f"{url}/livez", timeout=5):  # noqa: S310 - our own address
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def _announce(url: str, ready: Ready, api_pid: int, worker_pid: int, *, as_json: bool) -> None:
    if as_json:
        print_json({
            "url": url, "token": ready.token, "other_token": ready.other_token, "database": ready.database,
            "api_pid": api_pid, "worker_pid": worker_pid,
        })  # fmt: skip
        return
    print_text(f"\nOutlast is up at {url} (API pid {api_pid}, worker pid {worker_pid})", bold=True)
    if ready.token:
        print_text("Two users' tokens:")
        typer.echo(f"  {ready.token}\n  {ready.other_token}")
        typer.echo(
            "Ask for an export:\n"
            f"  curl -i {url}/exports -H 'Authorization: Bearer {ready.token}' -H 'Idempotency-Key: first' "
            "-H 'Content-Type: application/json' -d '{\"export\": \"tasks\"}'"
        )
    else:
        print_text("Make a token with `outlast tokens create --owner …`.")
    print_text("Ctrl-C stops both.")
