"""The client that loads a server: `python -m bench.load URL …` prints one JSON object.

It shares two cores with the server that it measures, so it does as little as it can: requests are put together before
the clock starts, one connection a caller is kept open, and of an answer only its status and its length are read.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from functools import partial
from typing import cast

import uvloop

from bench.figures import percentile

OWNER_REQUESTS = 50
"""How many requests in a row are one owner's: fewer than an owner's jobs may wait."""
BODIES = [
    f'{{"export":"tasks","parameters":{{"status":"{status}","created_since":"2026-01-{day:02d}"}}}}'
    for day in range(1, 29)
    for status in ("todo", "doing", "done")
]
"""What callers ask for: people ask for much the same."""

_LENGTH = b"content-length: "
_HEAD_END = b"\r\n\r\n"


@dataclass(slots=True)
class Outcome:
    """What all callers saw: seconds a request took, and how often each status came."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[bytes] = field(default_factory=Counter)


class Caller(asyncio.Protocol):
    """One caller: sends a request, waits for its whole answer, sends the next."""

    def __init__(self, requests: deque[bytes], outcome: Outcome, ended: asyncio.Future[None]) -> None:
        """All callers take from the same `requests`."""
        self._requests = requests
        self._outcome = outcome
        self._ended = ended
        self._received = b""
        self._sent_at = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ready; `start` sends the first request."""
        self._transport = cast("asyncio.Transport", transport)

    def start(self) -> None:
        """Send the next request, or end."""
        if self._requests:
            request = self._requests.popleft()
            self._sent_at = time.perf_counter()
            self._transport.write(request)
        elif not self._ended.done():
            self._ended.set_result(None)

    def data_received(self, data: bytes) -> None:
        """Count an answer once all of it is here."""
        received = self._received = self._received + data if self._received else data
        head = received.find(_HEAD_END)
        if head < 0:
            return
        length_at = received.find(_LENGTH, 0, head) + len(_LENGTH)
        if len(received) < head + len(_HEAD_END) + int(received[length_at : received.find(b"\r", length_at)]):
            return
        self._outcome.seconds.append(time.perf_counter() - self._sent_at)
        self._outcome.statuses[received[9:12]] += 1
        self._received = b""
        self.start()

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the run: the server is there to stay."""
        if not self._ended.done():
            self._ended.set_exception(exc or ConnectionError("the server closed the connection"))


async def load(port: int, path: str, callers: int, count: int, prefix: str) -> dict[str, float | dict[str, int]]:
    """Send `count` requests by `callers` at once; each has a key of its own that begins with `prefix`."""
    requests = deque(_request(path, prefix, number) for number in range(count))
    loop = asyncio.get_running_loop()
    outcome = Outcome()
    ends: list[asyncio.Future[None]] = [loop.create_future() for _ in range(callers)]
    made = [await loop.create_connection(partial(Caller, requests, outcome, end), "127.0.0.1", port) for end in ends]
    started_at, cpu_before = time.perf_counter(), time.process_time()
    for _transport, caller in made:
        caller.start()
    await asyncio.gather(*ends)
    seconds = time.perf_counter() - started_at
    client_seconds = time.process_time() - cpu_before
    for transport, _caller in made:
        transport.abort()
    return {
        "rate": count / seconds,
        "p50_ms": 1000 * percentile(outcome.seconds, 0.5),
        "p99_ms": 1000 * percentile(outcome.seconds, 0.99),
        "worst_ms": 1000 * max(outcome.seconds),
        "client_busy": client_seconds / seconds,
        "statuses": {status.decode(): number for status, number in outcome.statuses.items()},
    }


def _request(path: str, prefix: str, number: int) -> bytes:
    body = BODIES[number % len(BODIES)]
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nX-Owner: {prefix}{number // OWNER_REQUESTS}\r\n"
        f"Idempotency-Key: {prefix}-{number:032d}\r\n\r\n{body}"
    ).encode()


def main() -> None:
    """Read the arguments, load, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--callers", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--prefix", required=True)
    arguments = parser.parse_args()
    outcome = uvloop.run(load(arguments.port, arguments.path, arguments.callers, arguments.count, arguments.prefix))
    print(json.dumps(outcome))


if __name__ == "__main__":
    main()
