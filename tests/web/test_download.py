"""GET and HEAD of a result: all of it, a part of it, and why not."""

import base64
import hashlib
import random
import socket
from pathlib import Path

import httpx
import pytest

from tests.support.wait import wait_until
from tests.web import exports_app
from tests.web.served import Served, accepted, problem, served

CONTENT = random.Random(7).randbytes(600_000)  # three pieces in the database
LENGTH = len(CONTENT)


@pytest.fixture(scope="module")
def download(server: Served) -> tuple[httpx.Client, str]:
    """A client and the path of his result."""
    client = server.client("9")
    job_id = server.succeeded(client, CONTENT, filename='zähler ☃ "1"/;.csv')
    return client, f"/exports/{job_id}/result"


def test_the_whole_file_comes_with_all_that_proves_it(download: tuple[httpx.Client, str]) -> None:
    client, path = download
    answer = client.get(path)
    digest = hashlib.sha256(CONTENT)
    assert (answer.status_code, answer.content) == (200, CONTENT)
    expected = {
        "content-length": str(LENGTH),
        "content-type": "text/csv; charset=utf-8",
        "etag": f'"{digest.hexdigest()}"',
        "repr-digest": f"sha-256=:{base64.b64encode(digest.digest()).decode()}:",
        "accept-ranges": "bytes",
        "cache-control": "private, no-store",
        "x-content-type-options": "nosniff",
        "content-disposition": 'attachment; filename="z_hler _ _1___.csv"; '
        "filename*=UTF-8''z%C3%A4hler%20%E2%98%83%20%221%22%2F%3B.csv",
    }  # fmt: skip
    assert {name: answer.headers[name] for name in expected} == expected
    head = client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert {name: head.headers[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=0-99", 0, 100),
        ("bytes=100-", 100, LENGTH),
        ("bytes=-1", LENGTH - 1, LENGTH),
        ("bytes=-100", LENGTH - 100, LENGTH),
        (f"bytes=-{LENGTH * 2}", 0, LENGTH),
        (f"bytes={LENGTH - 1}-", LENGTH - 1, LENGTH),
        (f"bytes=5-{'9' * 30}", 5, LENGTH),
        ("bytes=262143-262144", 262_143, 262_145),  # over the border of two pieces
        ("bytes=262144-524287", 262_144, 524_288),
        ("BYTES = 0-9", 0, 10),
        ("bytes=00000000000000000000000-0009", 0, 10),
    ],
)
def test_a_range(download: tuple[httpx.Client, str], asked: str, start: int, end: int) -> None:
    client, path = download
    answer = client.get(path, headers={"Range": asked})
    assert (answer.status_code, answer.content) == (206, CONTENT[start:end])
    assert answer.headers["content-range"] == f"bytes {start}-{end - 1}/{LENGTH}"
    assert answer.headers["content-length"] == str(end - start)
    assert answer.headers["etag"] == client.head(path).headers["etag"]


@pytest.mark.parametrize(
    "asked",
    [f"bytes={LENGTH}-", f"bytes={LENGTH}-{LENGTH + 5}", "bytes=-0", f"bytes={'9' * 30}-", "bytes=-" + "0" * 30],
)
def test_a_range_outside(download: tuple[httpx.Client, str], asked: str) -> None:
    client, path = download
    answer = client.get(path, headers={"Range": asked})
    problem(answer, 416, "range_not_satisfiable")
    assert answer.headers["content-range"] == f"bytes */{LENGTH}"


@pytest.mark.parametrize(
    "asked",
    ["bytes=5-1", "bytes=", "bytes=a-b", "bytes=-", "lines=0-5", "0-5", "bytes=0-1,5-9", "bytes=0x1-2", "bytes 0-1"],
)
def test_a_range_that_is_ignored(download: tuple[httpx.Client, str], asked: str) -> None:
    client, path = download
    answer = client.get(path, headers={"Range": asked})
    assert (answer.status_code, answer.content) == (200, CONTENT)
    assert "content-range" not in answer.headers


def test_a_head_ignores_a_range(download: tuple[httpx.Client, str]) -> None:
    client, path = download
    answer = client.head(path, headers={"Range": "bytes=0-1"})
    assert (answer.status_code, answer.headers["content-length"]) == (200, str(LENGTH))


def test_if_range_takes_the_current_strong_tag_alone(download: tuple[httpx.Client, str]) -> None:
    client, path = download
    tag = client.head(path).headers["etag"]
    for condition, status in [
        (tag, 206),
        (f"W/{tag}", 200),
        ('"other"', 200),
        ("Tue, 01 Dec 2026 00:00:00 GMT", 200),
        ("", 200),
    ]:
        answer = client.get(path, headers={"Range": "bytes=0-9", "If-Range": condition})
        assert (answer.status_code, len(answer.content)) == (status, 10 if status == 206 else LENGTH), condition


def test_preconditions(download: tuple[httpx.Client, str]) -> None:
    client, path = download
    tag = client.head(path).headers["etag"]
    for known in (tag, f"W/{tag}", "*", f'"x", {tag}'):
        answer = client.get(path, headers={"If-None-Match": known})
        assert (answer.status_code, answer.content, answer.headers["etag"]) == (304, b"", tag)
    assert client.get(path, headers={"If-None-Match": '"x"'}).status_code == 200
    assert client.get(path, headers={"If-Match": tag}).status_code == 200
    problem(client.get(path, headers={"If-Match": '"x"'}), 412, "precondition_failed")


def test_an_interrupted_download_is_resumed_by_ranges(download: tuple[httpx.Client, str]) -> None:
    client, path = download
    got, tag = b"", client.head(path).headers["etag"]
    while len(got) < LENGTH:
        headers = {"Range": f"bytes={len(got)}-", "If-Range": tag}
        with client.stream("GET", path, headers=headers) as answer:
            assert answer.status_code == 206
            got += next(answer.iter_bytes(150_000))  # and here the connection is lost
    assert got == CONTENT


@pytest.mark.parametrize("asked", [None, "bytes=0-0", "bytes=-1"])
def test_an_empty_file(server: Served, asked: str | None) -> None:
    with server.client() as client:
        path = f"/exports/{server.succeeded(client, b'')}/result"
        answer = client.get(path, headers={"Range": asked} if asked else {})
        if asked == "bytes=0-0":
            problem(answer, 416, "range_not_satisfiable")
        else:
            assert (answer.status_code, answer.content, answer.headers["content-length"]) == (200, b"", "0")


def test_a_file_beyond_the_databases_cap_comes_from_the_directory(tmp_path: Path) -> None:
    with served(tmp_path) as server, server.client() as client:
        object.__setattr__(server.exports.settings, "result_database_limit_bytes", 1000)
        path = f"/exports/{server.succeeded(client, CONTENT)}/result"
        assert client.get(path).content == CONTENT
        assert client.get(path, headers={"Range": "bytes=300000-"}).content == CONTENT[300_000:]
        for file in (tmp_path / "jobs.db-results").rglob("*"):
            if file.is_file():
                file.unlink()
        problem(client.get(path), 503, "temporarily_unavailable")  # lost, not broken


def test_a_file_in_an_object_storage_comes_from_there(
    tmp_path: Path, objects_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTLAST_STORAGE_URL", objects_url)  # of the server, and of the worker's hand in this process
    with served(tmp_path) as server, server.client() as client:
        path = f"/exports/{server.succeeded(client, CONTENT)}/result"
        storage = server.exports.storage
        [key] = storage.keys("objects", "", 10)
        assert client.get(path).content == CONTENT
        assert client.get(path, headers={"Range": "bytes=300000-"}).content == CONTENT[300_000:]
        storage.delete("objects", key)
        problem(client.get(path), 503, "temporarily_unavailable")  # lost, not broken
        assert client.delete(path.removesuffix("/result")).status_code == 204


def test_why_there_is_no_result(server: Served) -> None:
    with server.client() as client:
        for method in ("GET", "HEAD"):
            assert client.request(method, f"/exports/{accepted(client)['id']}/result").status_code == 409
        queued = problem(client.get(f"/exports/{accepted(client)['id']}/result"), 409, "result_not_ready")
        assert "queued" in queued["detail"]
        failed = problem(client.get(f"/exports/{server.failed(client)}/result"), 409, "result_failed")
        assert failed["error"]["code"] == "result_too_large"
        cancelled = accepted(client)["id"]
        client.post(f"/exports/{cancelled}/cancel")
        problem(client.get(f"/exports/{cancelled}/result"), 409, "result_cancelled")
        expired = server.succeeded(client, lifetime_seconds=0.01)
        wait_until(lambda: client.get(f"/exports/{expired}/result").status_code == 410, 5, "the expiry")
        gone = problem(client.get(f"/exports/{expired}/result"), 410, "result_expired")
        assert gone["links"] == {"regenerate": f"/exports/{expired}/regenerate"}
        assert client.get(f"/exports/{expired}").json()["links"]["result"] is None


def test_an_erasure_cuts_a_running_download_off(server: Served) -> None:
    with server.client() as client:
        job_id = server.succeeded(client, bytes(20_000_000))
        host, port = server.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=30) as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
            owner = client.headers["x-owner"]
            slow.sendall(f"GET /exports/{job_id}/result HTTP/1.1\r\nHost: x\r\nX-Owner: {owner}\r\n\r\n".encode())
            got = len(slow.recv(65_536))
            assert client.delete(f"/exports/{job_id}").status_code == 204
            while piece := slow.recv(1_000_000):
                got += len(piece)
        assert got < 20_000_000
        assert "Traceback" not in server.process.stderr


def test_an_expiry_lets_a_running_download_end(server: Served) -> None:
    with server.client() as client:
        path = f"/exports/{server.succeeded(client, CONTENT, lifetime_seconds=1.0)}/result"
        with client.stream("GET", path) as answer:
            assert answer.status_code == 200
            with server.client(client.headers["x-owner"]) as other:
                wait_until(lambda: other.head(path).status_code == 410, 5, "the expiry")
            assert answer.read() == CONTENT


def test_the_authorisation_hook_is_asked_at_acceptance_and_at_each_download(tmp_path: Path) -> None:
    with served(tmp_path, environment={"EXPORTS_VARIANT": "authorized"}) as server, server.client("9") as client:
        refused = client.post(
            "/exports",
            json={"export": "tasks", "parameters": {"status": "done"}},
            headers={"Idempotency-Key": "k"},
        )
        problem(refused, 403, "forbidden")
        path = f"/exports/{server.succeeded(client)}/result"
        assert client.get(path).status_code == 200
        (tmp_path / exports_app.REVOKED).touch()
        for method in ("GET", "HEAD"):
            assert client.request(method, path).status_code == 403
        problem(client.get(path, headers={"Range": "bytes=0-1"}), 403, "forbidden")
        (tmp_path / exports_app.REVOKED).unlink()
        assert client.get(path).status_code == 200
