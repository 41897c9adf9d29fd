"""The owner's jobs: read, listed, cancelled, erased, made again."""

import sqlite3
from contextlib import closing
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest

from outlast import FailureCode
from tests.support import jobs
from tests.support.wait import wait_until
from tests.web.served import Served, accepted, post, problem


def test_a_job_is_told_from_its_beginning_to_its_end(server: Served) -> None:
    with server.client() as client:
        job_id = accepted(client)["id"]
        attempt = jobs.take(server.exports, job_id)
        jobs.report(server.exports, attempt, 7)
        running = client.get(f"/exports/{job_id}").json()
        assert (running["status"], running["attempt_count"]) == ("running", 1)
        assert running["started_at"] is not None
        assert running["progress"] == {"rows": 7, "bytes": 70, "estimated_rows": 100, "estimate": "planner"}
        assert running["result"] is None
        jobs.complete(server.exports, attempt, b"id\n1\n2\n")
        ended = client.get(f"/exports/{job_id}").json()
        assert (ended["status"], ended["error"]) == ("succeeded", None)
        assert ended["progress"] == {"rows": 3, "bytes": 7, "estimated_rows": None, "estimate": None}
        assert ended["finished_at"] >= ended["started_at"] >= ended["created_at"]
        result = ended["result"]
        assert {name: result[name] for name in ("bytes", "rows", "content_type", "filename", "warnings")} == {
            "bytes": 7,
            "rows": 3,
            "content_type": "text/csv; charset=utf-8",
            "filename": "tasks.csv",
            "warnings": [{"code": "replaced", "count": 1}],
        }
        assert result["as_of"].endswith("Z")
        assert result["expires_at"] > ended["finished_at"]
        assert ended["links"] == {
            "self": f"/exports/{job_id}",
            "result": f"/exports/{job_id}/result",
            "manifest": f"/exports/{job_id}/manifest",
            "cancel": None,
            "regenerate": None,
        }


@pytest.mark.parametrize("rows", [100, 101, 1000])
def test_no_estimate_is_reached_before_the_commit(server: Served, rows: int) -> None:
    with server.client() as client:
        job_id = accepted(client)["id"]
        attempt = jobs.take(server.exports, job_id)
        jobs.report(server.exports, attempt, 99)
        assert client.get(f"/exports/{job_id}").json()["progress"]["estimated_rows"] == 100
        jobs.report(server.exports, attempt, rows)
        progress = client.get(f"/exports/{job_id}").json()["progress"]
        assert progress == {"rows": rows, "bytes": rows * 10, "estimated_rows": None, "estimate": None}


def test_a_failure_is_told_by_code_and_title_alone(server: Served) -> None:
    with server.client() as client:
        job_id = server.failed(client)
        answer = client.get(f"/exports/{job_id}")
        assert answer.json()["error"] == {
            "code": "result_too_large",
            "title": FailureCode.RESULT_TOO_LARGE.title,
        }
        assert "kept for operators" not in answer.text
        assert answer.json()["links"]["regenerate"] == f"/exports/{job_id}/regenerate"


def test_the_etag_changes_with_the_job_and_spares_its_repetition(server: Served) -> None:
    with server.client() as client:
        job_id = accepted(client)["id"]
        first = client.get(f"/exports/{job_id}")
        tag = first.headers["etag"]
        for known in (tag, f'"other", {tag}', f"W/{tag}", "*"):
            same = client.get(f"/exports/{job_id}", headers={"If-None-Match": known})
            assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
        attempt = jobs.take(server.exports, job_id)
        running = client.get(f"/exports/{job_id}", headers={"If-None-Match": tag})
        assert running.status_code == 200
        jobs.report(server.exports, attempt, 7)
        further = client.get(f"/exports/{job_id}", headers={"If-None-Match": running.headers["etag"]})
        assert (further.status_code, further.json()["progress"]["rows"]) == (200, 7)


def test_unknown_and_somebody_elses_get_the_same_answer_everywhere(server: Served) -> None:
    with server.client() as owner, server.client() as stranger:
        theirs = server.succeeded(owner)
        unknown = str(uuid4())
        for method, path in [
            ("GET", ""),
            ("DELETE", ""),
            ("POST", "/cancel"),
            ("POST", "/regenerate"),
            ("GET", "/result"),
            ("HEAD", "/result"),
        ]:
            answers = []
            for job_id in (theirs, unknown):
                headers = {"Idempotency-Key": str(uuid4()), "X-Request-ID": "the-same"}
                answers.append(stranger.request(method, f"/exports/{job_id}{path}", headers=headers))
            seen = [(answer.status_code, answer.content, _steady(answer)) for answer in answers]
            assert seen[0] == seen[1]
            assert seen[0][0] == 404
        assert owner.get(f"/exports/{theirs}").json()["status"] == "succeeded"


def _steady(answer: httpx.Response) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name != "date"}


@pytest.mark.parametrize("job_id", ["1", "..", "\0", "é", "%", "a b", "' OR 1=1 --", "x" * 5000, "definitions "])
def test_an_id_that_is_none_is_not_found(server: Served, job_id: str) -> None:
    with server.client() as client:
        path = quote(job_id, safe="") if job_id != ".." else "%2E%2E"
        problem(client.get(f"/exports/{path}"), 404, "not_found")
        problem(client.delete(f"/exports/{path}"), 404, "not_found")


def test_the_history_is_paged_from_the_newest_on_without_gaps(server: Served) -> None:
    with server.client() as client:
        made = [accepted(client)["id"] for _ in range(7)]
        seen: list[str] = []
        cursor: str | None = None
        pages = 0
        while pages == 0 or cursor is not None:
            page = client.get("/exports", params={"limit": 3, **({"cursor": cursor} if cursor else {})}).json()
            seen += [item["id"] for item in page["items"]]
            cursor, pages = page["next_cursor"], pages + 1
            if pages == 1:
                made.insert(0, accepted(client)["id"])  # what comes meanwhile is on no later page
                del made[0]
        assert (seen, pages) == (made[::-1], 3)


def test_a_cancelled_job_has_ended_at_once(server: Served) -> None:
    with server.client() as client:
        for begun in (False, True):
            job_id = accepted(client)["id"]
            if begun:
                jobs.take(server.exports, job_id)
            answer = client.post(f"/exports/{job_id}/cancel")
            assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")
            assert answer.json()["finished_at"] is not None
            assert answer.json() == client.get(f"/exports/{job_id}").json()
            problem(client.post(f"/exports/{job_id}/cancel"), 409, "already_ended")
        problem(client.post(f"/exports/{server.succeeded(client)}/cancel"), 409, "already_ended")


def test_erasing_ends_a_live_job_and_hides_a_result_for_good(server: Served) -> None:
    with server.client() as client:
        queued, ended = accepted(client)["id"], server.succeeded(client)
        for job_id, status in ((queued, "cancelled"), (ended, "succeeded")):
            for _ in range(2):
                answer = client.delete(f"/exports/{job_id}")
                assert (answer.status_code, answer.content) == (204, b"")
            document = client.get(f"/exports/{job_id}").json()
            assert (document["status"], document["result"]) == (status, None)
            assert document["links"]["result"] is None
            again = f"/exports/{job_id}/regenerate"
            assert document["links"]["regenerate"] == again
            refused = problem(client.get(f"/exports/{job_id}/result"), 410, "result_erased")
            assert refused["links"] == {"regenerate": again}
    with closing(sqlite3.connect(server.path)) as connection:
        [(key, deleted)] = connection.execute(
            "SELECT storage_key, deleted_at IS NOT NULL FROM export_results WHERE job_id = ?", (ended,)
        )
        assert deleted
        assert not list(connection.execute("SELECT 1 FROM result_chunks WHERE storage_key = ?", (key,)))


def test_erasing_honours_what_the_caller_has_seen(server: Served) -> None:
    with server.client() as client:
        job_id = accepted(client)["id"]
        stale = client.get(f"/exports/{job_id}").headers["etag"]
        jobs.take(server.exports, job_id)
        for wrong in (stale, "nonsense", '"x"', ""):
            refused = client.delete(f"/exports/{job_id}", headers={"If-Match": wrong})
            problem(refused, 412, "precondition_failed")
        current = client.get(f"/exports/{job_id}").headers["etag"]
        problem(client.delete(f"/exports/{job_id}", headers={"If-Match": f"W/{current}"}), 412, "precondition_failed")
        assert client.get(f"/exports/{job_id}").json()["status"] == "running"
        assert client.delete(f"/exports/{job_id}", headers={"If-Match": f'"x", {current}'}).status_code == 204
        assert client.delete(f"/exports/{job_id}", headers={"If-Match": current}).status_code == 204  # a repetition


def test_an_export_with_nothing_to_download_can_be_made_again(server: Served) -> None:
    with server.client() as client:
        failed = server.failed(client)
        expired = server.succeeded(client, lifetime_seconds=0.01)
        wait_until(lambda: client.get(f"/exports/{expired}/result").status_code == 410, 5, "the expiry")
        erased = server.succeeded(client)
        client.delete(f"/exports/{erased}")
        for source in (failed, expired, erased):
            link = client.get(f"/exports/{source}").json()["links"]["regenerate"]
            made = client.post(link, headers={"Idempotency-Key": f"again-{source}"})
            assert made.status_code == 202
            document = made.json()
            assert document["regenerated_from"] == source
            assert made.headers["location"] == f"/exports/{document['id']}"
            again = client.post(link, headers={"Idempotency-Key": f"again-{source}"})
            assert (again.json(), again.headers["idempotency-replayed"]) == (document, "true")


def test_an_export_is_not_made_again_without_need_or_without_a_key_of_its_own(server: Served) -> None:
    with server.client() as client:
        post(client, {"export": "tasks"}, "first")
        live, good, failed = accepted(client)["id"], server.succeeded(client), server.failed(client)
        key = {"Idempotency-Key": "again"}
        problem(client.post(f"/exports/{live}/regenerate", headers=key), 409, "not_ended")
        problem(client.post(f"/exports/{good}/regenerate", headers=key), 409, "state_changed")
        problem(client.post(f"/exports/{failed}/regenerate"), 400, "idempotency_key_required")
        used = client.post(f"/exports/{failed}/regenerate", headers={"Idempotency-Key": "first"})
        problem(used, 409, "idempotency_key_conflict")
        assert client.post(f"/exports/{failed}/regenerate", headers=key).status_code == 202
        problem(post(client, {"export": "tasks"}, "again"), 409, "idempotency_key_conflict")


def test_the_definitions_are_those_that_the_owner_may_ask_for(server: Served) -> None:
    with server.client("12") as number, server.client("ada") as text:
        definitions = {item["export"]: item for item in number.get("/exports/definitions").json()["items"]}
        assert list(definitions) == ["tasks", "numbers"]
        assert definitions["tasks"]["columns"] == ["id", "title", "status"]
        assert definitions["tasks"]["formats"] == ["csv", "jsonl"]
        assert definitions["tasks"]["description"] == "The tasks of the person who asks."
        assert definitions["numbers"]["parameters"]["required"] == ["above"]
        assert [item["export"] for item in text.get("/exports/definitions").json()["items"]] == ["tasks"]
        problem(post(text, {"export": "numbers", "parameters": {"above": 1}}), 403, "forbidden")
