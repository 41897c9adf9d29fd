"""A user's program that wants his export: the HTTP contract, spoken with the standard library alone."""

from __future__ import annotations

import hashlib
import json
import time
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit
from uuid import uuid4

from outlast.errors import OutlastError

ENDED = frozenset({"succeeded", "failed", "cancelled"})
WAIT_SECONDS = 1
TIMEOUT_SECONDS = 30.0
PIECE_BYTES = 256 * 1024

JobDocument = dict[str, Any]
"""The job as the server describes it."""


class DemoError(OutlastError):
    """The demo can't go on; says why."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file as it arrived: its size and SHA-256 in hex, and the SHA-256 that the server promised in Repr-Digest."""

    path: Path
    bytes: int
    sha256: str
    promised_sha256: str | None


class ExportsClient:
    """One user's way to the exports of the server at `url`."""

    def __init__(self, url: str, token: str) -> None:
        """Speak for the user whose bearer token this is."""
        self._url = url
        self._headers = {"Authorization": f"Bearer {token}"}

    def ready(self) -> bool:
        """Whether the server answers."""
        try:
            with self._answer("GET", "/exports/definitions") as answer:
                return answer.status < 500  # noqa: PLR2004 - a server error (RFC 9110 section 15.6)
        except (OSError, HTTPException):
            return False

    def create(self, export: str) -> JobDocument:
        """Ask for an export under a new key. Raises DemoError unless the server accepts it with 202."""
        body = json.dumps({"export": export, "format": "csv"}).encode()
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid4())}
        with self._answer("POST", "/exports", headers, body) as answer:
            return _document(answer, 202)

    def look(self, job: JobDocument) -> JobDocument:
        """Read the job again; the answer comes at its end, or after a second."""
        with self._answer("GET", f"{job['links']['self']}?wait={WAIT_SECONDS}") as answer:
            return _document(answer, 200)

    def follow(
        self,
        job: JobDocument,
        until: Callable[[JobDocument], bool],
        limit_seconds: float,
    ) -> Iterator[JobDocument]:
        """Yield the job again and again, the last time when `until` holds. Raises DemoError at the limit."""
        give_up = time.monotonic() + limit_seconds
        while not until(job):
            if time.monotonic() > give_up:
                raise DemoError(f"job {job['id']} is still {job['status']} after {limit_seconds:g} s")
            job = self.look(job)
            yield job

    def download(self, job: JobDocument, path: Path) -> Download:
        """Save the result at `path`. Raises DemoError unless it arrives whole."""
        digest, count = hashlib.sha256(), 0
        with self._answer("GET", job["links"]["result"]) as answer, path.open("wb") as file:
            if answer.status != 200:  # noqa: PLR2004 - OK (RFC 9110 section 15.3.1)
                raise DemoError(f"the download was answered with {answer.status}")
            while piece := answer.read(PIECE_BYTES):
                digest.update(piece)
                count += file.write(piece)
            return Download(path, count, digest.hexdigest(), _promised(answer.headers.get("Repr-Digest", "")))

    @contextmanager
    def _answer(
        self, method: str, link: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Iterator[HTTPResponse]:
        address = urlsplit(urljoin(self._url, link))
        connection = HTTPConnection(address.hostname or "", address.port, timeout=TIMEOUT_SECONDS)
        try:
            target = address._replace(scheme="", netloc="").geturl()
            connection.request(method, target, body, {**self._headers, **(headers or {})})
            yield connection.getresponse()
        finally:
            connection.close()


def _document(answer: HTTPResponse, expected_status: int) -> JobDocument:
    body = answer.read()
    if answer.status != expected_status:
        raise DemoError(f"the server answered {answer.status}, not {expected_status}: {body[:500]!r}")
    document: JobDocument = json.loads(body)
    return document


def _promised(header: str) -> str | None:
    """The SHA-256 in hex out of a Repr-Digest (RFC 9530 section 3), whose byte sequences stand between colons."""
    for item in header.split(","):
        algorithm, _, value = item.strip().partition("=")
        if algorithm == "sha-256":
            return b64decode(value.strip(":")).hex()
    return None
