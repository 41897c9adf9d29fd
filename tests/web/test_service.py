"""The service of its own: tokens, health, and how it stops."""

import json
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from outlast import Principal
from outlast.database import tokens
from outlast.database.tokens import Token
from tests.support.wait import wait_until
from tests.web.served import Served, post, problem, served

APP = "tests.web.token_app:app"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("service"), app=APP, path="/livez") as service:
        yield service


def issued(service: Served, principal: Principal, lifetime_seconds: float | None = None) -> tuple[Token, str]:
    token = tokens.new_token()
    write = tokens.issue(token, principal, lifetime_seconds=lifetime_seconds)
    return service.exports.writer.run(write, wait_seconds=5), token


def bearing(service: Served, token: str) -> httpx.Client:
    return httpx.Client(base_url=service.url, headers={"Authorization": f"Bearer {token}"}, timeout=40)


def test_a_token_stands_for_its_owner_in_his_tenant(service: Served) -> None:
    _, mine = issued(service, Principal("ada", "a"))
    _, theirs = issued(service, Principal("ada", "b"))
    with bearing(service, mine) as here, bearing(service, theirs) as there:
        job_id = post(here, {"export": "tasks"}).json()["id"]
        assert here.get(f"/exports/{job_id}").status_code == 200
        problem(there.get(f"/exports/{job_id}"), 404, "not_found")
    with closing(sqlite3.connect(service.path)) as connection:
        assert list(connection.execute("SELECT tenant, owner FROM export_jobs")) == [("a", "ada")]
        dump = "\n".join(connection.iterdump())
    assert mine not in dump
    assert mine not in service.process.stderr + service.process.stdout


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer x", "Basic eDp5", "bearer", b"Bearer \xff\xfe", "Token x"]
)
@pytest.mark.parametrize("path", ["/exports", "/exports/definitions", "/exports/x", "/exports/x/result"])
def test_without_a_valid_token_there_is_nothing(service: Served, header: str | bytes | None, path: str) -> None:
    headers = {} if header is None else {"Authorization": header}
    answer = httpx.get(service.url + path, headers=headers)  # type: ignore[arg-type]
    problem(answer, 401, "unauthenticated")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_revoked_and_an_expired_token_end_within_a_moment(service: Served) -> None:
    made, revoked = issued(service, Principal("1"))
    _, expired = issued(service, Principal("1"), lifetime_seconds=1.0)
    for token in (revoked, expired):
        with bearing(service, token) as client:
            assert client.get("/exports").status_code == 200
    service.exports.writer.run(tokens.revoke(made.id), wait_seconds=5)
    for token in (revoked, expired):
        with bearing(service, token) as client:
            wait_until(lambda client=client: client.get("/exports").status_code == 401, 5, "the token's end")  # type: ignore[misc]


def test_health_and_metrics_are_open(service: Served) -> None:
    assert httpx.get(f"{service.url}/livez").status_code == 200
    assert httpx.get(f"{service.url}/readyz").status_code == 200
    metrics = httpx.get(f"{service.url}/metrics")
    assert metrics.text == "outlast_tests 1\n"
    assert metrics.headers["content-type"].startswith("text/plain; version=0.0.4")


def test_a_service_without_its_schema_is_live_but_not_ready(tmp_path: Path) -> None:
    with served(tmp_path, app=APP, path="/livez") as service:
        with closing(sqlite3.connect(service.path)) as connection, connection:
            connection.execute("DELETE FROM outlast_version")
        answer = httpx.get(f"{service.url}/readyz")
        assert answer.status_code == 503
        assert "outlast db upgrade" in answer.text
        assert httpx.get(f"{service.url}/livez").status_code == 200


def test_deadlines_hold_without_a_worker(tmp_path: Path) -> None:
    with served(tmp_path, app=APP, path="/livez", environment={"OUTLAST_DEADLINE_SECONDS": "0.2"}) as service:
        _, token = issued(service, Principal("1"))
        with bearing(service, token) as client:
            job_id = post(client, {"export": "tasks"}).json()["id"]
            ended = client.get(f"/exports/{job_id}", params={"wait": 30}).json()
        assert (ended["status"], ended["error"]["code"]) == ("failed", "deadline_exceeded")


def test_at_sigterm_waiters_are_answered_and_waiting_writes_are_made(tmp_path: Path) -> None:
    with (
        served(tmp_path, app=APP, path="/livez") as service,
        closing(sqlite3.connect(service.path, isolation_level=None)) as holder,
    ):
        _, token = issued(service, Principal("1"))
        with bearing(service, token) as client:
            job_id = post(client, {"export": "tasks"}).json()["id"]
        holder.execute("BEGIN IMMEDIATE")
        polls = [asking(service, "GET", f"/exports/{job_id}?wait=30", token) for _ in range(5)]
        posts = [asking(service, "POST", "/exports", token, '{"export": "tasks"}') for _ in range(5)]
        wait_until(lambda: unread_bytes(service) == 0, 10, "the server to have read every request")
        service.process.send(signal.SIGTERM)
        assert [answer(poll)["status"] for poll in polls] == ["queued"] * 5
        holder.execute("ROLLBACK")
        assert len({answer(waiting)["id"] for waiting in posts}) == 5
        service.process.wait(10)
        assert service.job_count() == 6
        assert "Traceback" not in service.process.stderr


def asking(service: Served, method: str, path: str, token: str, body: str | None = None) -> HTTPConnection:
    """A connection on which the request was sent and the answer not read."""
    connection = HTTPConnection(service.url.removeprefix("http://"), timeout=20)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request(method, path, body, {**headers, "Idempotency-Key": str(uuid4())})
    return connection


def answer(connection: HTTPConnection) -> dict[str, Any]:
    """The document that comes on it, at last."""
    with closing(connection):
        document: dict[str, Any] = json.load(connection.getresponse())
    return document


def unread_bytes(service: Served) -> int:
    """What the server's connections hold that it has not read."""
    port = f"{int(service.url.rsplit(':', 1)[1]):04X}"
    rows = [row.split() for row in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    return sum(int(row[4].split(":")[1], 16) for row in rows if row[1].endswith(port))
