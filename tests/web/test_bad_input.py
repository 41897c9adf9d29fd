"""Bad input of every kind, to every endpoint: a clear problem, never a 500, and nothing stored."""

import json
import socket
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.web.served import Served, accepted, problem

LIMIT_BYTES = 256 * 1024
MALFORMED, INVALID = (400, "malformed_request"), (422, "invalid_request")


def nested(depth: int) -> bytes:
    return b'{"export": "tasks", "parameters": {"status": ' + b"[" * depth + b"]" * depth + b"}}"


BODIES: list[tuple[str, bytes, tuple[int, str]]] = [
    ("nothing", b"", MALFORMED),
    ("no JSON", b"{", MALFORMED),
    ("two values", b"{} {}", MALFORMED),
    ("a comment", b'{"export": "tasks"} // yes', MALFORMED),
    ("single quotes", b"{'export': 'tasks'}", MALFORMED),
    ("not UTF-8", b'{"export": "\xff"}', MALFORMED),
    ("UTF-16", '{"export": "tasks"}'.encode("utf-16"), MALFORMED),
    ("a byte order mark", b'\xef\xbb\xbf{"export": "tasks"}', MALFORMED),
    ("a raw control character", b'{"export": "ta\x01sks"}', MALFORMED),
    ("raw NUL", b'{"export": "ta\x00sks"}', MALFORMED),
    ("escaped NUL", b'{"export": "tasks", "parameters": {"status": "\\u0000"}}', MALFORMED),
    ("NUL in a name", b'{"export": "tasks", "\\u0000": 1}', MALFORMED),
    ("a lone surrogate", b'{"export": "\\ud800"}', MALFORMED),
    ("a lone surrogate in a name", b'{"export": "tasks", "parameters": {"\\udfff": 1}}', MALFORMED),
    ("duplicate members", b'{"export": "tasks", "export": "numbers"}', MALFORMED),
    ("duplicates deep inside", b'{"export": "tasks", "parameters": {"status": [{"a": 1, "a": 1}]}}', MALFORMED),
    ("NaN", b'{"export": "numbers", "parameters": {"above": NaN}}', MALFORMED),
    ("Infinity", b'{"export": "numbers", "parameters": {"above": -Infinity}}', MALFORMED),
    ("a float beyond all", b'{"export": "numbers", "parameters": {"above": 1e999}}', MALFORMED),
    ("too many digits", b'{"export": "numbers", "parameters": {"above": ' + b"9" * 5000 + b"}}", MALFORMED),
    ("too deep", nested(40), MALFORMED),
    ("much too deep", nested(100_000), MALFORMED),
    ("a list", b"[]", INVALID),
    ("a text", b'"tasks"', INVALID),
    ("null", b"null", INVALID),
    ("a number", b"1", INVALID),
    ("no export", b"{}", INVALID),
    ("an export that is a list", b'{"export": ["tasks"]}', INVALID),
    ("an unknown export", b'{"export": "Tasks"}', INVALID),
    ("an unknown member", b'{"export": "tasks", "owner": "1"}', INVALID),
    ("parameters that are a list", b'{"export": "tasks", "parameters": []}', INVALID),
    ("an unknown parameter", b'{"export": "tasks", "parameters": {"owner": "1"}}', INVALID),
    ("a wrong value", b'{"export": "tasks", "parameters": {"status": "unheard"}}', INVALID),
    ("a wrong type", b'{"export": "numbers", "parameters": {"above": "1"}}', INVALID),
    ("a bool for a number", b'{"export": "numbers", "parameters": {"above": true}}', INVALID),
    ("a fraction for an integer", b'{"export": "numbers", "parameters": {"above": 1.5}}', INVALID),
    ("a missing parameter", b'{"export": "numbers"}', INVALID),
    ("an unknown format", b'{"export": "tasks", "format": "exe"}', INVALID),
    ("a format of another export", b'{"export": "numbers", "parameters": {"above": 1}, "format": "csv"}', INVALID),
    ("a format that is null", b'{"export": "tasks", "format": null}', INVALID),
    ("no columns", b'{"export": "tasks", "columns": []}', INVALID),
    ("an unknown column", b'{"export": "tasks", "columns": ["id", "password"]}', INVALID),
    ("a column twice", b'{"export": "tasks", "columns": ["id", "id"]}', INVALID),
    ("columns that are no names", b'{"export": "tasks", "columns": [1]}', INVALID),
    ("columns that are a text", b'{"export": "tasks", "columns": "id"}', INVALID),
    ("too large", b'{"export": "' + b"x" * LIMIT_BYTES + b'"}', (413, "body_too_large")),
]
TYPES = ["", "text/plain", "application/xml", "application/json; charset=latin-1", "multipart/form-data; boundary=x"]
UNKNOWN = "/exports/00000000-0000-7000-8000-000000000000"
KEYS: list[tuple[str | bytes, str]] = [
    ("", "invalid"),
    ("a b", "invalid"),
    ("x" * 256, "invalid"),
    ('"unfinished', "invalid"),
    ('""', "invalid"),
    ('"a b"', "invalid"),
    ('"a";p=1', "invalid"),
    ("é".encode(), "invalid"),
    (b"\xff", "invalid"),
    ("a\tb", "invalid"),
]


@pytest.fixture
def client(server: Served) -> Iterator[httpx.Client]:
    """A client whom nothing is stored for."""
    before = server.job_count()
    with server.client("5") as client:
        yield client
    assert server.job_count() == before
    assert "Traceback" not in server.process.stderr


def send(client: httpx.Client, body: bytes, **headers: str) -> httpx.Response:
    given = {"Idempotency-Key": str(uuid4()), "Content-Type": "application/json", **headers}
    return client.post("/exports", content=body, headers={name: value for name, value in given.items() if value})


@pytest.mark.parametrize(("body", "answer"), [case[1:] for case in BODIES], ids=[case[0] for case in BODIES])
def test_a_body(client: httpx.Client, body: bytes, answer: tuple[int, str]) -> None:
    found = problem(send(client, body), *answer)
    for secret in ("unheard", "password"):
        assert secret not in json.dumps(found)


@pytest.mark.parametrize("kind", TYPES)
def test_a_media_type(client: httpx.Client, kind: str) -> None:
    answer = send(client, b'{"export": "tasks"}', **{"Content-Type": kind})
    problem(answer, 415, "unsupported_media_type")


def test_a_compressed_body(client: httpx.Client) -> None:
    answer = send(client, b'{"export": "tasks"}', **{"Content-Encoding": "gzip"})
    problem(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize(("key", "reason"), KEYS)
@pytest.mark.parametrize("path", ["/exports", f"{UNKNOWN}/regenerate"])
def test_a_key(client: httpx.Client, key: str | bytes, reason: str, path: str) -> None:
    raw = key.encode() if isinstance(key, str) else key
    answer = client.post(path, json={"export": "tasks"}, headers={b"Idempotency-Key": raw})
    problem(answer, 400, f"idempotency_key_{reason}")


def test_no_key_and_two_keys(client: httpx.Client) -> None:
    problem(client.post("/exports", json={"export": "tasks"}), 400, "idempotency_key_required")
    keys = [("Idempotency-Key", "a"), ("Idempotency-Key", "b")]
    two = client.post("/exports", json={"export": "tasks"}, headers=keys)
    problem(two, 400, "idempotency_key_invalid")


def test_every_wrong_parameter_is_named_by_a_pointer(client: httpx.Client) -> None:
    body = {"export": "numbers", "parameters": {"above": "x", "a/b~c": 1}}
    found = problem(send(client, json.dumps(body).encode()), *INVALID)
    assert {item["pointer"] for item in found["errors"]} == {"#/parameters/above", "#/parameters/a~1b~0c"}
    assert all(item["detail"] for item in found["errors"])


@pytest.mark.parametrize(
    "query",
    [
        {"limit": "0"}, {"limit": "101"}, {"limit": "x"}, {"limit": "9" * 5000}, {"limit": "-1"}, {"limit": "1.5"},
        {"cursor": "x"}, {"cursor": "!!!"}, {"cursor": "é"}, {"cursor": "\0"}, {"cursor": "x" * 300},
        {"cursor": "1." + "x" * 36}, {"cursor": "9" * 15 + "." + "0" * 36}, {"cursor": ""},
    ],
)  # fmt: skip
def test_a_query_of_the_history(client: httpx.Client, query: dict[str, str]) -> None:
    found = problem(client.get("/exports", params=query), *INVALID)
    assert found["errors"][0]["parameter"] == next(iter(query))


@pytest.mark.parametrize("wait", ["x", "-1", "1.5", "", "9" * 5000])
def test_a_wait(client: httpx.Client, wait: str) -> None:
    problem(client.get(UNKNOWN, params={"wait": wait}), *INVALID)


@pytest.mark.parametrize("name", ["If-None-Match", "If-Match", "Range", "If-Range", "Prefer", "X-Request-ID"])
@pytest.mark.parametrize("value", [b"", b'"', b"\xff\xfe", b"x" * 8000, b"bytes=--", b"wait=,;=", b"*, *"])
def test_a_header_is_ignored_or_refused(client: httpx.Client, name: str, value: bytes) -> None:
    headers: list[tuple[Any, Any]] = [(name, value), ("Idempotency-Key", str(uuid4()))]
    for method, path in [
        ("GET", "/exports"),
        ("GET", "/exports/definitions"),
        ("GET", UNKNOWN),
        ("DELETE", UNKNOWN),
        ("POST", f"{UNKNOWN}/cancel"),
        ("POST", f"{UNKNOWN}/regenerate"),
        ("GET", f"{UNKNOWN}/result"),
        ("HEAD", f"{UNKNOWN}/result"),
    ]:
        answer = client.request(method, path, headers=headers)
        assert answer.status_code < 500, (method, path, answer.text)
        assert answer.headers["x-request-id"]


def test_a_body_is_read_no_further_than_its_limit(server: Served) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        head = "POST /exports HTTP/1.1\r\nHost: x\r\nX-Owner: 5\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Idempotency-Key: k\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        piece = b"%x\r\n%s\r\n" % (65_536, b" " * 65_536)
        for _ in range(LIMIT_BYTES // 65_536 + 1):  # and never an end
            connection.sendall(piece)
        answer = connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_caller_who_goes_away_in_the_middle_of_his_body_disturbs_nobody(server: Served) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    before = server.job_count()
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        head = "POST /exports HTTP/1.1\r\nHost: x\r\nX-Owner: 5\r\nContent-Type: application/json\r\n"
        connection.sendall(f'{head}Idempotency-Key: k\r\nContent-Length: 100\r\n\r\n{{"export":'.encode())
    with server.client("6") as client:
        accepted(client)
    assert server.job_count() == before + 1
    assert "Traceback" not in server.process.stderr


@pytest.mark.parametrize("request_id", ["", "a b", "é", "x" * 129])
def test_a_request_id_that_is_none_is_replaced(server: Served, request_id: str) -> None:
    with server.client() as client:
        made = client.get("/exports", headers={b"X-Request-ID": request_id.encode()}).headers["x-request-id"]
        assert made != request_id
        assert len(made) == 32


def test_what_the_hosts_dependency_refuses_keeps_the_hosts_format(server: Served) -> None:
    for method, path in [("GET", "/exports"), ("POST", "/exports"), ("GET", f"{UNKNOWN}/result")]:
        answer = httpx.request(method, server.url + path)
        assert (answer.status_code, answer.json()) == (401, {"detail": "Say who you are."})
        assert answer.headers["www-authenticate"] == "Owner"
    assert httpx.put(f"{server.url}/exports").json() == {"detail": "Method Not Allowed"}
