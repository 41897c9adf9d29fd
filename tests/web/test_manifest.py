"""The manifest beside a result: complete, under the result's own conditions, and the same for the tests of an app."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from outlast import Principal
from outlast.testing import run, running_worker
from outlast.web.models import ManifestShape
from tests.support import exports_app, jobs
from tests.support.wait import wait_until
from tests.web import exports_app as web_app
from tests.web.served import Served, accepted, problem, served

CONTENT = b"id\n1\n2\n"
DETAILS: dict[str, Any] = {
    "columns": [{"name": "id", "type": "integer"}, {"name": "größe", "type": "decimal"}],
    "extraction": "database",
    "options": {"unencodable": "fail", "time_zone": None},
}


def shown(client: httpx.Client, path: str) -> dict[str, Any]:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    ManifestShape.model_validate_json(answer.content)
    document: dict[str, Any] = answer.json()
    return document


def test_a_manifest_says_all_that_is_known_of_the_file(server: Served) -> None:
    with server.client() as client:
        job_id = server.succeeded(client, CONTENT, filename="zähler.csv", details=DETAILS)
        job = client.get(f"/exports/{job_id}").json()
        assert job["links"]["manifest"] == f"/exports/{job_id}/manifest"
        manifest = shown(client, job["links"]["manifest"])
    assert job["started_at"] <= manifest.pop("created_at") <= job["finished_at"]
    assert manifest == {
        "manifest": 1,
        "job": job_id,
        "export": "tasks",
        "format": "csv",
        "filename": "zähler.csv",
        "content_type": "text/csv; charset=utf-8",
        "bytes": 7,
        "rows": 3,
        "sha256": hashlib.sha256(CONTENT).hexdigest(),
        "as_of": job["result"]["as_of"],
        "columns": DETAILS["columns"],
        "extraction": "database",
        "options": DETAILS["options"],
        "warnings": [{"code": "replaced", "count": 1}],
    }


def test_a_manifest_is_a_file_with_an_etag_of_its_own(server: Served) -> None:
    with server.client() as client:
        job_id = server.succeeded(client, CONTENT, filename="zähler.csv", details=DETAILS)
        path = f"/exports/{job_id}/manifest"
        answer, head, again = client.get(path), client.head(path), client.get(path)
        result = client.head(f"/exports/{job_id}/result")
        assert answer.content == again.content
        assert "größe" in answer.text  # for people to read
        digest = hashlib.sha256(answer.content)
        expected = {
            "content-type": "application/json",
            "content-length": str(len(answer.content)),
            "content-disposition": 'attachment; filename="z_hler.csv.manifest.json"; '
            "filename*=UTF-8''z%C3%A4hler.csv.manifest.json",
            "etag": f'"{digest.hexdigest()}"',
            "repr-digest": f"sha-256=:{base64.b64encode(digest.digest()).decode()}:",
            "accept-ranges": "none",
            "cache-control": "private, no-store",
        }
        for got in (answer, head):
            assert {name: got.headers[name] for name in expected} == expected
        assert (head.status_code, head.content) == (200, b"")
        assert answer.headers["etag"] != result.headers["etag"]
        for method in ("GET", "HEAD"):
            known = client.request(method, path, headers={"If-None-Match": answer.headers["etag"]})
            assert (known.status_code, known.content, known.headers["etag"]) == (304, b"", answer.headers["etag"])
        assert client.get(path, headers={"If-None-Match": result.headers["etag"]}).status_code == 200


def test_what_an_earlier_version_did_not_keep_is_null(server: Served) -> None:
    with server.client() as client:
        manifest = shown(client, f"/exports/{server.succeeded(client)}/manifest")
    assert (manifest["columns"], manifest["extraction"], manifest["options"]) == (None, None, None)


def test_there_is_a_manifest_exactly_where_there_is_a_result(server: Served) -> None:
    with server.client() as client:

        def both(job_id: str, status: int, code: str) -> dict[str, Any]:
            found = [problem(client.get(f"/exports/{job_id}/{what}"), status, code) for what in ("result", "manifest")]
            assert client.head(f"/exports/{job_id}/manifest").status_code == status
            result, manifest = ({**one, "request_id": None} for one in found)
            assert manifest == result
            document = client.get(f"/exports/{job_id}")
            assert document.status_code == 404 or document.json()["links"]["manifest"] is None
            return manifest

        both("unknown", 404, "not_found")
        queued = accepted(client)["id"]
        both(queued, 409, "result_not_ready")
        attempt = jobs.take(server.exports, queued)
        both(queued, 409, "result_not_ready")
        jobs.fail(server.exports, attempt)
        both(queued, 409, "result_failed")
        cancelled = accepted(client)["id"]
        client.post(f"/exports/{cancelled}/cancel")
        both(cancelled, 409, "result_cancelled")
        expired = server.succeeded(client, lifetime_seconds=0.01)
        wait_until(lambda: client.get(f"/exports/{expired}/manifest").status_code == 410, 5, "the expiry")
        assert both(expired, 410, "result_expired")["links"] == {"regenerate": f"/exports/{expired}/regenerate"}
        erased = server.succeeded(client)
        with server.client() as stranger:
            problem(stranger.get(f"/exports/{erased}/manifest"), 404, "not_found")
        assert client.delete(f"/exports/{erased}").status_code == 204
        assert both(erased, 410, "result_erased")["links"] == {"regenerate": f"/exports/{erased}/regenerate"}


def test_the_authorisation_hook_is_asked_for_a_manifest_too(tmp_path: Path) -> None:
    with served(tmp_path, environment={"EXPORTS_VARIANT": "authorized"}) as server, server.client("9") as client:
        path = f"/exports/{server.succeeded(client)}/manifest"
        assert client.get(path).status_code == 200
        (tmp_path / web_app.REVOKED).touch()
        problem(client.get(path), 403, "forbidden")
        assert client.head(path).status_code == 403


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_workers_manifest_is_the_one_that_an_apps_tests_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    monkeypatch.setenv(exports_app.DIRECTORY_VARIABLE, str(tmp_path))
    with running_worker("tests.support.exports_app:exports", tmp_path) as worker:
        job = worker.wait(worker.accept("numbers", owner="7", parameters={"count": 5}, format=format))
        manifest = json.loads(worker.service.manifest(Principal("7"), job.id).content)
        assert job.result is not None
        assert manifest["sha256"] == hashlib.sha256(worker.read(job)).hexdigest()
    assert (manifest["job"], manifest["rows"]) == (job.id, 5)
    assert manifest["columns"] == [{"name": "n", "type": "unknown"}]
    own = run(exports_app.exports, "numbers", owner="7", parameters={"count": 5}, format=format).manifest
    assert own == manifest | {"job": None, "created_at": None}
