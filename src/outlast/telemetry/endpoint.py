"""A tiny HTTP server for a process that has none: `/metrics`, `/livez` and `/readyz`.

One request at a time, each bounded in time; it is meant for loopback and for a scraper.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer

from outlast.errors import OutlastError

REQUEST_LIMIT_SECONDS = 2.0
TEXT = "text/plain; charset=utf-8"

Answer = tuple[HTTPStatus, str, bytes]


@contextmanager
def serve(
    host: str, port: int, *, exposition: Callable[[], bytes], content_type: str, not_ready: Callable[[], str | None]
) -> Iterator[int]:
    """Answer in a thread until the block ends; gives the port, a free one for 0.

    `exposition` is the body of `/metrics`; `not_ready` says why the process isn't ready, or None when it is.
    Raises OutlastError when the address can't be had.
    """

    def answer(path: str) -> Answer:
        match path:
            case "/metrics":
                return HTTPStatus.OK, content_type, exposition()
            case "/livez":
                return HTTPStatus.OK, TEXT, b"alive\n"
            case "/readyz":
                reason = not_ready()
                return (
                    (HTTPStatus.OK, TEXT, b"ready\n")
                    if reason is None
                    else (HTTPStatus.SERVICE_UNAVAILABLE, TEXT, f"not ready: {reason}\n".encode())
                )
        return HTTPStatus.NOT_FOUND, TEXT, b"there are /metrics, /livez and /readyz\n"

    try:
        server = HTTPServer((host, port), _handler(answer))
    except OSError as error:
        message = f"can't listen on {host}:{port}: {error.strerror or error}"
        raise OutlastError(message) from None
    thread = threading.Thread(target=server.serve_forever, name="outlast-endpoint", daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(answer: Callable[[str], Answer]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = REQUEST_LIMIT_SECONDS

        def do_GET(self) -> None:
            status, content_type, body = answer(self.path.partition("?")[0])
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Scrapes are no news."""

    return Handler
