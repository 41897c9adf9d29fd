"""The same router under every kind of server: what runs in a process begins there, when it is first used."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.support import jobs
from tests.web.served import ROOMY, Served, accepted, post, problem, served

WORKERS = 2
UVICORN_WORKERS = ["uvicorn", "tests.web.exports_app:app", "--port", "{port}", "--workers", str(WORKERS)]
GUNICORN_PRELOAD = [
    "gunicorn", "tests.web.exports_app:app", "--bind", "127.0.0.1:{port}", "--preload", "--workers", str(WORKERS),
    "--worker-class", "uvicorn.workers.UvicornWorker",
]  # fmt: skip


@pytest.mark.parametrize("command", [UVICORN_WORKERS, GUNICORN_PRELOAD], ids=["uvicorn workers", "gunicorn preload"])
def test_several_processes_serve_the_same_jobs(tmp_path: Path, command: list[str]) -> None:
    with served(tmp_path, command=command, environment=ROOMY) as server:
        with server.client() as client, ThreadPoolExecutor(20) as callers:
            answers = list(callers.map(lambda _: post(client, {"export": "tasks"}, "same"), range(20)))
            made = list(callers.map(lambda _: post(client, {"export": "tasks"}), range(40)))
        assert {answer.status_code for answer in answers + made} == {202}
        assert len({answer.json()["id"] for answer in answers}) == 1
        assert server.job_count() == 41
        _wait_and_download(server)


def _wait_and_download(server: Served) -> None:
    """A change that another process made ends a wait, in whichever process it waits."""
    with server.client() as client, ThreadPoolExecutor(8) as callers:
        job_id = accepted(client)["id"]
        path = f"{server.url}/exports/{job_id}"
        headers = {"X-Owner": client.headers["x-owner"]}
        waiters = [callers.submit(httpx.get, f"{path}?wait=30", headers=headers, timeout=40) for _ in range(8)]
        jobs.complete(server.exports, jobs.take(server.exports, job_id), b"id\n1\n")
        assert {waiter.result(10).json()["status"] for waiter in waiters} == {"succeeded"}
        assert httpx.get(f"{path}/result", headers=headers).content == b"id\n1\n"


def test_an_app_inside_another_one_works_without_its_lifespan(tmp_path: Path) -> None:
    with served(tmp_path, app="tests.web.exports_app:outer", path="/inner/empty") as server:
        headers = {"X-Owner": "1", "Idempotency-Key": "k"}
        answer = httpx.post(f"{server.url}/inner/exports", json={"export": "tasks"}, headers=headers)
        assert answer.status_code == 202
        location = answer.headers["location"]
        assert location == f"/inner/exports/{answer.json()['id']}"
        links = httpx.get(server.url + location, headers=headers).json()["links"]
        assert links["self"] == location
        assert httpx.post(server.url + links["cancel"], headers=headers).json()["status"] == "cancelled"
        page = httpx.get(f"{server.url}/inner/exports", headers=headers).json()
        assert page["items"][0]["links"]["self"] == location


def test_links_honour_the_root_path(tmp_path: Path) -> None:
    command = ["uvicorn", "tests.web.exports_app:app", "--port", "{port}", "--root-path", "/api"]
    with served(tmp_path, command=command) as server, server.client() as client:
        answer = post(client, {"export": "tasks"})  # as a proxy sends it that took the root path away
        assert answer.headers["location"] == f"/api/exports/{answer.json()['id']}"
        assert answer.json()["links"]["cancel"] == f"/api/exports/{answer.json()['id']}/cancel"


def test_a_database_that_is_locked_is_answered_in_bounded_time(tmp_path: Path) -> None:
    environment = {"OUTLAST_ACCEPT_WAIT_SECONDS": "1"}
    with served(tmp_path, environment=environment) as server, server.client() as client:
        known = post(client, {"export": "tasks"}, "before").json()["id"]
        with closing(sqlite3.connect(server.path, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            with ThreadPoolExecutor(30) as callers:
                keys = [str(number) for number in range(30)]
                answers = list(callers.map(lambda key: post(client, {"export": "tasks"}, key), keys))
            for answer in answers:
                problem(answer, 503, "temporarily_unavailable")
                assert int(answer.headers["retry-after"]) >= 1
                assert answer.elapsed.total_seconds() < 5
            problem(client.post(f"/exports/{known}/cancel"), 503, "temporarily_unavailable")
            assert client.get(f"/exports/{known}").json()["status"] == "queued"  # readers don't wait
            holder.execute("ROLLBACK")
        assert server.job_count() == 1  # what was answered so was withdrawn
        assert {post(client, {"export": "tasks"}, key).status_code for key in keys} == {202}
        assert server.job_count() == 31


def test_beyond_a_limit_new_requests_are_refused_and_repeated_ones_answered(tmp_path: Path) -> None:
    environment = {"OUTLAST_OWNER_PENDING_LIMIT": "3", "OUTLAST_PENDING_LIMIT": "5"}
    with served(tmp_path, environment=environment) as server, server.client() as client:
        first = [post(client, {"export": "tasks"}, str(number)) for number in range(4)]
        assert [answer.status_code for answer in first] == [202, 202, 202, 429]
        problem(first[3], 429, "owner_limit")
        assert 1 <= int(first[3].headers["retry-after"]) <= 300
        again = post(client, {"export": "tasks"}, "0")
        assert (again.status_code, again.headers["idempotency-replayed"]) == (202, "true")
        with server.client() as other:
            for _ in range(2):
                accepted(other)
            refused = problem(post(other, {"export": "tasks"}), 503, "queue_full")
            assert refused["title"]
        assert post(client, {"export": "tasks"}, "1").status_code == 202
        assert server.job_count() == 5
        client.post(f"/exports/{first[0].json()['id']}/cancel")
        assert post(client, {"export": "tasks"}, "3").status_code == 202  # the refused key is free
