"""Serving HTTP with uvicorn: one process or several, on a socket that is bound before any of them starts."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from dataclasses import asdict, dataclass
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

from outlast.bootstrap import Exports
from outlast.cli import finding
from outlast.database import health
from outlast.errors import OutlastError
from outlast.telemetry import structured
from outlast.telemetry.prometheus import MULTIPROCESS_VARIABLE, Metrics

BACKLOG = 2048
_VARIABLE = "OUTLAST_SERVING"
"""Tells uvicorn's worker processes what `outlast api` was told; nobody else sets it."""


@dataclass(frozen=True, slots=True)
class Serving:
    """What to serve: the app's own ASGI application `asgi` (module:attribute), or ours on its exports."""

    reference: str
    asgi: str | None
    json_logs: bool
    root_path: str
    stop_seconds: float


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; a free port for 0. Raises OutlastError when the address can't be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        message = f"can't listen on {host}:{port}: {os.strerror(error.errno) if error.errno else error}"
        raise OutlastError(message) from None


def url_of(listener: socket.socket) -> str:
    """The URL at which the socket is reached."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def serve(serving: Serving, listener: socket.socket, workers: int) -> None:
    """Serve until SIGTERM or SIGINT, in this process or, for several workers, in as many others."""
    os.environ[_VARIABLE] = json.dumps(asdict(serving))
    configuration = uvicorn.Config(
        "outlast.cli.serving:application",
        factory=True,
        workers=workers,
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=BACKLOG,
        root_path=serving.root_path,
        timeout_graceful_shutdown=max(1, round(serving.stop_seconds)),
    )
    # uvicorn raises the signal again when it is done; that must not make a failure of an orderly stop.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    if workers == 1:
        server = uvicorn.Server(configuration)
        server.run(sockets=[listener])
        if not server.started:
            message = "the API did not start; the lines above say why"
            raise OutlastError(message)
        return
    with TemporaryDirectory(prefix="outlast-metrics-") as directory:
        os.environ.setdefault(MULTIPROCESS_VARIABLE, directory)
        Multiprocess(configuration, sockets=[listener]).run()


def application() -> Any:  # noqa: ANN401 - any ASGI application
    """The application of one process, made in it."""
    serving = Serving(**json.loads(os.environ[_VARIABLE]))
    structured.configure(json=serving.json_logs, process="api", pid=os.getpid())
    exports = finding.find(serving.reference).exports
    metrics = metrics_of(exports)
    if serving.asgi is not None:
        return finding.load_object(serving.asgi, "--asgi")
    from outlast.web.app import create_app

    return create_app(exports, metrics=metrics.exposition)


def metrics_of(exports: Exports) -> Metrics:
    """This process's metrics, listening to the exports' events."""
    metrics = Metrics(exports.names, lambda: health.read_gauges(exports.database, exports.settings))
    exports.hooks.add(metrics)
    return metrics
