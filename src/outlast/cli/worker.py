"""`outlast worker`: claims jobs and runs each attempt in a child process."""

from __future__ import annotations

import logging
import os
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from outlast.cli import lifeline
from outlast.cli.finding import App, find, require_database

if TYPE_CHECKING:
    from outlast.bootstrap import Exports
    from outlast.worker.loop import Worker


def worker(
    app: App = None,
    metrics_port: Annotated[
        int | None,
        typer.Option(min=0, max=65_535, help="Answer /metrics, /livez and /readyz on this port; 0 takes a free one."),
    ] = None,
    metrics_host: Annotated[str, typer.Option(help="The address for --metrics-port.")] = "127.0.0.1",
    as_json: Annotated[bool, typer.Option("--json", help="Write log lines as JSON.")] = False,
    lifeline_descriptor: lifeline.Lifeline = None,
) -> None:
    """Run jobs until Ctrl-C or SIGTERM; current attempts get time to finish, a second signal gives them back."""
    from outlast.telemetry import structured
    from outlast.worker.loop import STOP_SECONDS, Worker

    found = find(app)
    exports = found.exports
    structured.configure(json=as_json, process="worker", pid=os.getpid())
    try:
        require_database(exports)
        lifeline.hold(lifeline_descriptor, stop_seconds=exports.settings.drain_seconds + STOP_SECONDS)
        running = Worker(exports, app=found.reference)
        with _endpoint(exports, running, metrics_host, metrics_port) as port:
            if port is not None:
                logging.getLogger("outlast").info("metrics on http://%s:%d/metrics", metrics_host, port)
            running.run()
    finally:
        exports.close()


def _endpoint(
    exports: Exports, running: Worker, host: str, port: int | None
) -> AbstractContextManager[int] | AbstractContextManager[None]:
    if port is None:
        return nullcontext()
    from outlast.cli.serving import metrics_of
    from outlast.telemetry import endpoint
    from outlast.telemetry.prometheus import CONTENT_TYPE

    metrics = metrics_of(exports)
    return endpoint.serve(
        host, port, exposition=metrics.exposition, content_type=CONTENT_TYPE, not_ready=running.not_ready
    )
