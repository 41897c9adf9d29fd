"""A proxy before an S3 server that throttles, stalls or alters as a test says, and passes on everything else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

HOP_BY_HOP = {"connection", "transfer-encoding", "content-length", "keep-alive"}
STALL_LIMIT_SECONDS = 30.0
THROTTLED = b"<Error><Code>SlowDown</Code><Message>Reduce your request rate: AKIA-PRIVATE</Message></Error>"

Rule = Callable[[str, str], bool]
"""Whether a request, by its method and its path with the query, meets the trouble."""


class TroubledS3:
    """The proxy; `throttled`, `stalled` and `altered` (the body) may be changed at any time."""

    def __init__(self, target: str) -> None:
        """Pass on to `target`, an http URL, from a port of its own."""
        self.throttled: Rule = lambda _method, _path: False
        self.stalled: Rule = lambda _method, _path: False
        self.altered: Rule = lambda _method, _path: False
        self.requests: list[str] = []
        self.released = threading.Event()
        troubled = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                troubled._handle(self, target)

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any  # noqa: N815 - the base class's names

            def log_message(self, *_arguments: object) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Answer no more."""
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handle(self, handler: BaseHTTPRequestHandler, target: str) -> None:
        method, path = handler.command, handler.path
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        self.requests.append(f"{method} {path}")
        if self.altered(method, path):
            body = bytes(len(body))
        if self.stalled(method, path):
            self.released.wait(STALL_LIMIT_SECONDS)
        if self.throttled(method, path):
            _answer(handler, 503, {"Retry-After": "1"}, THROTTLED)
            return
        headers = {name: value for name, value in handler.headers.items() if name.lower() not in HOP_BY_HOP}
        answer = httpx.request(method, f"{target}{path}", headers=headers, content=body, timeout=STALL_LIMIT_SECONDS)
        passed = {name: value for name, value in answer.headers.items() if name.lower() not in HOP_BY_HOP}
        length = answer.headers.get("Content-Length") if method == "HEAD" else None
        _answer(handler, answer.status_code, passed, answer.content, length)


def _answer(
    handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str], body: bytes, length: str | None = None
) -> None:
    with suppress(OSError):  # the client may have given up
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", length or str(len(body)))
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(body)


@contextmanager
def troubled_s3(target: str) -> Iterator[TroubledS3]:
    """Run one until the block ends."""
    proxy = TroubledS3(target)
    try:
        yield proxy
    finally:
        proxy.close()
