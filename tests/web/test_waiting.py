"""Waiting for a job: a waiter holds nothing but his connection, and is answered when something happens."""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.support import jobs
from tests.support.processes import Process
from tests.web.served import Served, accepted, post, served

WAITERS = 30
PROMPT_SECONDS = 5.0


@pytest.fixture(scope="module")
def callers() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(WAITERS) as callers:
        yield callers


def waiting(callers: ThreadPoolExecutor, client: httpx.Client, job_id: str, **headers: str) -> Future[httpx.Response]:
    return callers.submit(client.get, f"/exports/{job_id}", params={"wait": 30}, headers=headers)


def test_a_wait_ends_with_the_job_and_not_before(server: Served, callers: ThreadPoolExecutor) -> None:
    with server.client() as client:
        job_id = accepted(client)["id"]
        waiters = [waiting(callers, client, job_id) for _ in range(WAITERS)]
        attempt = jobs.take(server.exports, job_id)
        jobs.report(server.exports, attempt, 5)
        assert client.get(f"/exports/{job_id}").json()["progress"]["rows"] == 5  # others are answered meanwhile
        assert not any(waiter.done() for waiter in waiters)
        ended_at = time.monotonic()
        jobs.complete(server.exports, attempt)
        for waiter in waiters:
            assert waiter.result(PROMPT_SECONDS).json()["status"] == "succeeded"
        assert time.monotonic() - ended_at < PROMPT_SECONDS


def test_with_a_known_etag_a_wait_ends_at_the_next_change_of_status(
    server: Served, callers: ThreadPoolExecutor
) -> None:
    with server.client() as client:
        job_id = accepted(client)["id"]
        known = client.get(f"/exports/{job_id}").headers["etag"]
        waiter = waiting(callers, client, job_id, **{"If-None-Match": known})
        attempt = jobs.take(server.exports, job_id)
        running = waiter.result(PROMPT_SECONDS)
        assert (running.status_code, running.json()["status"]) == (200, "running")
        waiter = waiting(callers, client, job_id, **{"If-None-Match": running.headers["etag"]})
        jobs.report(server.exports, attempt, 5)  # no change of status
        behind = waiting(callers, client, job_id, **{"If-None-Match": known})
        assert behind.result(PROMPT_SECONDS).json()["progress"]["rows"] == 5  # his status is an old one
        assert not waiter.done()
        jobs.fail(server.exports, attempt)
        assert waiter.result(PROMPT_SECONDS).json()["status"] == "failed"


def test_a_wait_ends_with_an_erasure(server: Served, callers: ThreadPoolExecutor) -> None:
    with server.client() as client:
        job_id = accepted(client)["id"]
        waiter = waiting(callers, client, job_id)
        client.delete(f"/exports/{job_id}")
        assert waiter.result(PROMPT_SECONDS).json()["status"] == "cancelled"


def test_a_wait_ends_when_its_time_is_over(server: Served) -> None:
    with server.client() as client:
        job_id = accepted(client)["id"]
        known = client.get(f"/exports/{job_id}").headers["etag"]
        for headers, status in (({}, 200), ({"If-None-Match": known}, 304)):
            began = time.monotonic()
            answer = client.get(f"/exports/{job_id}", params={"wait": 1}, headers=headers)
            assert answer.status_code == status
            assert 0.9 < time.monotonic() - began < PROMPT_SECONDS


def test_nobody_waits_for_what_has_ended(server: Served) -> None:
    with server.client() as client:
        job_id = server.succeeded(client)
        known = client.get(f"/exports/{job_id}").headers["etag"]
        began = time.monotonic()
        assert client.get(f"/exports/{job_id}", params={"wait": 30}).status_code == 200
        same = client.get(f"/exports/{job_id}", params={"wait": 30}, headers={"If-None-Match": known})
        assert same.status_code == 304
        assert time.monotonic() - began < PROMPT_SECONDS


@pytest.mark.parametrize("prefer", ["wait=30", "respond-async, wait=30", 'WAIT = "30"', "wait=9999"])
def test_a_post_may_wait_for_the_end(server: Served, callers: ThreadPoolExecutor, prefer: str) -> None:
    with server.client() as client:
        waiter = callers.submit(post, client, {"export": "tasks"}, "k", Prefer=prefer)
        job_id = post(client, {"export": "tasks"}, "k").json()["id"]
        jobs.complete(server.exports, jobs.take(server.exports, job_id))
        answer = waiter.result(PROMPT_SECONDS)
        assert (answer.status_code, answer.json()["status"]) == (200, "succeeded")
        assert answer.headers["preference-applied"].startswith("wait=")
        assert answer.headers["location"] == f"/exports/{job_id}"


def test_a_post_for_an_ended_job_need_not_wait(server: Served) -> None:
    with server.client() as client:
        job_id = post(client, {"export": "tasks"}, "k").json()["id"]
        jobs.complete(server.exports, jobs.take(server.exports, job_id))
        answer = post(client, {"export": "tasks"}, "k", Prefer="wait=30")
        assert (answer.status_code, answer.json()["status"]) == (200, "succeeded")
        assert answer.headers["preference-applied"] == "wait=30"


def test_a_post_that_waited_in_vain_says_nothing_of_it(server: Served) -> None:
    with server.client() as client:
        answer = post(client, {"export": "tasks"}, Prefer="wait=1")
        assert (answer.status_code, answer.json()["status"]) == (202, "queued")
        assert "preference-applied" not in answer.headers


def test_beyond_the_cap_the_answer_comes_at_once(tmp_path: Path, callers: ThreadPoolExecutor) -> None:
    with served(tmp_path, environment={"OUTLAST_LONG_POLL_LIMIT": "2"}) as server, server.client() as client:
        job_id = accepted(client)["id"]
        waiters = [waiting(callers, client, job_id) for _ in range(5)]
        answered = [waiter.result(PROMPT_SECONDS) for waiter in waiters[:5] if _answered(waiter)]
        assert [answer.json()["status"] for answer in answered] == ["queued"] * 3
        client.post(f"/exports/{job_id}/cancel")
        assert {waiter.result(PROMPT_SECONDS).json()["status"] for waiter in waiters} == {"queued", "cancelled"}


def _answered(waiter: Future[httpx.Response]) -> bool:
    try:
        waiter.result(1)
    except TimeoutError:
        return False
    return True


def test_waiters_hold_no_threads(server: Served, callers: ThreadPoolExecutor) -> None:
    with server.client() as client:
        job_id = accepted(client)["id"]
        client.get(f"/exports/{job_id}", params={"wait": 1})
        before = thread_count(server.process)
        waiters = [waiting(callers, client, job_id) for _ in range(WAITERS)]
        assert client.get(f"/exports/{job_id}").status_code == 200
        assert thread_count(server.process) <= before + 16  # those who read when a wait begins and ends
        client.post(f"/exports/{job_id}/cancel")
        for waiter in waiters:
            waiter.result(PROMPT_SECONDS)


def thread_count(process: Process) -> int:
    return len(list(Path(f"/proc/{process.pid}/task").iterdir()))
