"""A server of `tests.web.exports_app` on a database of its own, and the hand of a worker in this process."""

import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx

from outlast import Exports, FailureCode
from outlast.database import migrate
from outlast.declare import Owner
from tests.support import jobs
from tests.support.processes import Process, free_port, running
from tests.support.wait import wait_until

REPOSITORY = Path(__file__).parents[2]
APP = "tests.web.exports_app:app"
START_SECONDS = 30.0
TIMEOUT_SECONDS = 40.0
ROOMY = {"OUTLAST_PENDING_LIMIT": "100000", "OUTLAST_OWNER_PENDING_LIMIT": "100000"}


@dataclass(frozen=True)
class Served:
    """The running server, and the same exports in this process."""

    url: str
    process: Process
    exports: Exports
    path: Path

    def client(self, owner: str | None = None, **headers: str) -> httpx.Client:
        """A client of one owner; each owner is new unless he is named."""
        named = {"X-Owner": owner or f"owner-{uuid4()}"}
        return httpx.Client(base_url=self.url, headers={**named, **headers}, timeout=TIMEOUT_SECONDS)

    def job_count(self) -> int:
        """How many jobs the database holds."""
        with closing(sqlite3.connect(self.path)) as connection:
            [(count,)] = connection.execute("SELECT count(*) FROM export_jobs")
        return int(count)

    def succeeded(self, client: httpx.Client, content: bytes = b"id\n1\n", **how: Any) -> str:
        """The id of a new job with that result."""
        job_id = accepted(client)["id"]
        return jobs.complete(self.exports, jobs.take(self.exports, job_id), content, **how).id

    def failed(self, client: httpx.Client, code: FailureCode = FailureCode.RESULT_TOO_LARGE) -> str:
        """The id of a new job that failed."""
        return jobs.fail(self.exports, jobs.take(self.exports, accepted(client)["id"]), code).id


def declared(path: Path) -> Exports:
    """The exports of a database, as a worker knows them."""
    exports = Exports(database_url=f"sqlite:///{path}")

    def rows(owner: Owner) -> Iterator[tuple[int]]:
        yield (len(owner.id),)

    for name in ("tasks", "numbers"):
        exports.export(name, columns=["n"])(rows)
    return exports


@contextmanager
def served(
    directory: Path,
    *,
    app: str = APP,
    command: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    path: str = "/empty",
) -> Iterator[Served]:
    """Serve `app` by uvicorn, or by the `command` whose `{port}` is filled in, until `path` answers."""
    database, port = directory / "jobs.db", free_port()
    exports = declared(database)
    migrate.upgrade(exports.database)
    arguments = command or ["uvicorn", app, "--port", "{port}", "--timeout-graceful-shutdown", "5"]
    module, *rest = [part.format(port=port) for part in arguments]
    variables = {"OUTLAST_DATABASE_URL": f"sqlite:///{database}", "PYTHONPATH": str(REPOSITORY), **(environment or {})}
    url = f"http://127.0.0.1:{port}"
    with running([sys.executable, "-m", module, *rest], directory, environment=variables, name=module) as process:
        wait_until(lambda: _answers(url + path, process), START_SECONDS, "the server to answer")
        try:
            yield Served(url, process, exports, database)
        finally:
            exports.close()


def accepted(client: httpx.Client, **body: Any) -> dict[str, Any]:
    """The document of a new job."""
    answer = post(client, body or {"export": "tasks"})
    assert answer.status_code == 202, answer.text
    document: dict[str, Any] = answer.json()
    return document


def post(client: httpx.Client, body: object, key: str | None = None, **headers: str) -> httpx.Response:
    """POST a body under a key, a new one unless it is given."""
    return client.post("/exports", json=body, headers={"Idempotency-Key": key or str(uuid4()), **headers})


def problem(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The problem in an answer, which must be this one and well formed."""
    assert answer.status_code == status, (answer.status_code, answer.text)
    assert answer.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = answer.json()
    assert document["type"] == f"urn:outlast:problem:{code}", document
    assert document["status"] == status
    assert document["title"]
    assert document["request_id"] == answer.headers["x-request-id"]
    return document


def _answers(url: str, process: Process) -> bool:
    assert process.exit_status is None, process.transcript()
    try:
        return httpx.get(url, timeout=1).is_success
    except httpx.TransportError:
        return False
