"""POST /exports: durable before it is answered, once for each key."""

import sqlite3
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from threading import Barrier
from uuid import UUID

import httpx
import pytest

from tests.support import jobs
from tests.web.served import Served, accepted, post, problem

CALLERS = 50


def test_an_accepted_export_is_answered_with_where_it_is_and_all_that_is_known_of_it(server: Served) -> None:
    with server.client("41") as client:
        answer = post(client, {"export": "tasks", "parameters": {"status": "todo"}, "format": "jsonl"})
        document = answer.json()
        assert answer.status_code == 202
        assert UUID(document["id"]).version == 7
        assert answer.headers["location"] == f"/exports/{document['id']}"
        assert 1 <= int(answer.headers["retry-after"]) <= 60
        assert "idempotency-replayed" not in answer.headers
        base = f"/exports/{document['id']}"
        created, deadline = (datetime.fromisoformat(document[name]) for name in ("created_at", "deadline_at"))
        assert document["created_at"].endswith("Z")
        assert abs((datetime.now(UTC) - created).total_seconds()) < 60
        assert (deadline - created).total_seconds() == 86_400
        assert document == {
            "id": document["id"],
            "export": "tasks",
            "format": "jsonl",
            "status": "queued",
            "created_at": document["created_at"],
            "started_at": None,
            "finished_at": None,
            "deadline_at": document["deadline_at"],
            "attempt_count": 0,
            "progress": {"rows": 0, "bytes": 0, "estimated_rows": None, "estimate": None},
            "error": None,
            "regenerated_from": None,
            "result": None,
            "links": {
                "self": base,
                "result": None,
                "manifest": None,
                "cancel": f"{base}/cancel",
                "regenerate": None,
            },
        }
        assert client.get(answer.headers["location"]).json() == document


def test_what_was_asked_for_is_stored_with_its_defaults_and_where_it_came_from(server: Served) -> None:
    trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    with server.client("42") as client:
        body = {"export": "numbers", "parameters": {"above": 2**70}}
        answer = post(client, body, "k", **{"X-Request-ID": "me-1", "traceparent": trace})
        assert answer.headers["x-request-id"] == "me-1"
    with closing(sqlite3.connect(server.path)) as connection:
        [row] = connection.execute(
            "SELECT tenant, owner, request_key, parameters_json, format, columns_json, request_id, trace_context"
            " FROM export_jobs WHERE id = ?",
            (answer.json()["id"],),
        )
    parameters = '{"above":1180591620717411303424,"label":""}'
    assert row == ("default", "42", "k", parameters, "jsonl", '["n"]', "me-1", trace)


def test_a_retry_gets_the_job_that_its_key_made(server: Served) -> None:
    with server.client() as client:
        first = post(client, {"export": "tasks"}, "one")
        for body, key in [
            ({"export": "tasks"}, "one"),
            ({"export": "tasks"}, '"one"'),  # as a structured field
            ({"export": "tasks", "parameters": {"status": None}, "format": "csv"}, "one"),  # the defaults, said aloud
            ({"format": "csv", "columns": ["id", "title", "status"], "export": "tasks", "parameters": {}}, "one"),
        ]:
            again = post(client, body, key)
            assert (again.status_code, again.headers["idempotency-replayed"]) == (202, "true")
            assert again.json() == first.json()
            assert again.headers["location"] == first.headers["location"]
        assert len(client.get("/exports").json()["items"]) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"export": "tasks", "parameters": {"status": "todo"}},
        {"export": "tasks", "format": "jsonl"},
        {"export": "tasks", "columns": ["title", "id", "status"]},
        {"export": "numbers", "parameters": {"above": 1}},
        {"export": "no such export"},
        {"export": "tasks", "parameters": {"status": "unheard of"}},
    ],
)
def test_a_key_that_made_another_export_is_refused(server: Served, body: dict[str, object]) -> None:
    with server.client("43") as client:
        post(client, {"export": "tasks"}, "taken")
        problem(post(client, body, "taken"), 409, "idempotency_key_conflict")


def test_large_integers_are_told_apart_and_are_no_texts(server: Served) -> None:
    with server.client("44") as client:
        first = post(client, {"export": "numbers", "parameters": {"above": 2**53}}, "k")
        assert post(client, {"export": "numbers", "parameters": {"above": 2**53}}, "k").json() == first.json()
        for other in (2**53 + 1, -(2**53)):
            answer = post(client, {"export": "numbers", "parameters": {"above": other}}, "k")
            problem(answer, 409, "idempotency_key_conflict")


def test_two_users_of_one_name_in_two_tenants_share_nothing(server: Served) -> None:
    with server.client("ada", **{"X-Tenant": "a"}) as here, server.client("ada", **{"X-Tenant": "b"}) as there:
        mine = post(here, {"export": "tasks"}, "same").json()["id"]
        theirs = post(there, {"export": "tasks", "format": "jsonl"}, "same").json()["id"]
        assert mine != theirs
        for client, own, other in ((here, mine, theirs), (there, theirs, mine)):
            assert [item["id"] for item in client.get("/exports").json()["items"]] == [own]
            problem(client.get(f"/exports/{other}"), 404, "not_found")


def test_an_ended_job_is_replayed_with_its_result(server: Served) -> None:
    with server.client() as client:
        first = post(client, {"export": "tasks"}, "k").json()
        jobs.complete(server.exports, jobs.take(server.exports, first["id"]))
        again = post(client, {"export": "tasks"}, "k")
        assert (again.status_code, again.headers["idempotency-replayed"]) == (200, "true")
        assert "retry-after" not in again.headers
        assert again.json() == client.get(f"/exports/{first['id']}").json()
        assert again.json()["result"]["bytes"] == 5


def _at_once(client: httpx.Client, bodies: Sequence[dict[str, str]]) -> list[httpx.Response]:
    barrier = Barrier(len(bodies))

    def send(body: dict[str, str]) -> httpx.Response:
        barrier.wait()
        return post(client, body, "same")

    with ThreadPoolExecutor(len(bodies)) as callers:
        return list(callers.map(send, bodies))


def test_identical_requests_at_once_make_one_job(server: Served) -> None:
    with server.client() as client:
        answers = _at_once(client, [{"export": "tasks"}] * CALLERS)
        assert {answer.status_code for answer in answers} == {202}
        assert len({answer.json()["id"] for answer in answers}) == 1
        assert Counter(answer.headers.get("idempotency-replayed") for answer in answers) == {None: 1, "true": 49}
        assert len(client.get("/exports").json()["items"]) == 1


def test_of_one_key_for_two_requests_at_once_one_makes_the_job_and_the_other_conflicts(server: Served) -> None:
    with server.client() as client:
        answers = _at_once(client, [{"export": "tasks"}] * (CALLERS - 1) + [{"export": "tasks", "format": "jsonl"}])
        other = answers.pop()
        statuses = Counter(answer.status_code for answer in answers)
        if other.status_code == 202:  # it came first
            assert statuses == {409: CALLERS - 1}
        else:
            assert (other.status_code, statuses) == (409, {202: CALLERS - 1})
        assert len(client.get("/exports").json()["items"]) == 1


def test_a_holder_of_the_key_that_rolls_back_leaves_it_free(server: Served) -> None:
    with server.client("55") as client:
        template = accepted(client)["id"]
        with closing(sqlite3.connect(server.path, isolation_level=None)) as holder:
            holder.execute("BEGIN IMMEDIATE")
            columns = [row[1] for row in holder.execute("PRAGMA table_info(export_jobs)")]
            values = {"id": "'00000000-held'", "request_key": "'held'", "request_fingerprint": "'1:other'"}
            listed = ", ".join(values.get(column, column) for column in columns)
            copy = f"INSERT INTO export_jobs SELECT {listed} FROM export_jobs WHERE id = ?"  # noqa: S608 - our columns
            holder.execute(copy, (template,))
            with ThreadPoolExecutor(1) as caller:
                waiting = caller.submit(post, client, {"export": "tasks"}, "held")
                assert client.get(f"/exports/{template}").status_code == 200  # readers don't wait
                holder.execute("ROLLBACK")
                answer = waiting.result()
        assert answer.status_code == 202
        assert "idempotency-replayed" not in answer.headers


def test_a_purged_jobs_key_is_spent(server: Served) -> None:
    with server.client("56") as client:
        post(client, {"export": "tasks"}, "old")
        with closing(sqlite3.connect(server.path)) as connection, connection:
            connection.execute("UPDATE export_jobs SET status = 'cancelled', finished_at = 1 WHERE owner = '56'")
            connection.execute(
                "INSERT INTO spent_keys SELECT tenant, owner, request_key, request_fingerprint, parameters_fingerprint,"
                " created_at + 100000 FROM export_jobs WHERE owner = '56'"
            )
            connection.execute("DELETE FROM export_jobs WHERE owner = '56'")
        problem(post(client, {"export": "tasks"}, "old"), 410, "idempotency_key_spent")
        problem(post(client, {"export": "tasks", "format": "jsonl"}, "old"), 409, "idempotency_key_conflict")
        problem(post(client, {"export": "gone"}, "old"), 409, "idempotency_key_conflict")
        assert client.get("/exports").json()["items"] == []
