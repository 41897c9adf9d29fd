"""The file as it streams: of every format, from both storages, to many at once, and on after the line was cut."""

import base64
import hashlib
import random
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from outlast import Exports, Owner
from outlast.formats import FORMATS
from outlast.testing import run
from tests.support.cutting import cutting_proxy
from tests.support.tools import require_tool
from tests.web.served import ROOMY, Served, served

DATABASE_LIMIT_BYTES = 1_000_000
SIZES = {"database": 900_000, "directory": 2_700_000}
CONTENTS = {storage: random.Random(size).randbytes(size) for storage, size in SIZES.items()}
CUT_BYTES = 400_000
PARTIAL_FILE = 18
"""curl's exit status for a transfer that ended too early."""
CALLERS = 16
EVERY_CODING = "gzip, deflate, br, zstd, identity;q=0.1"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("streaming"), environment=ROOMY) as server:
        object.__setattr__(server.exports.settings, "result_database_limit_bytes", DATABASE_LIMIT_BYTES)
        yield server


@pytest.fixture(scope="module", params=SIZES)
def kept(request: pytest.FixtureRequest, server: Served) -> Iterator[tuple[str, bytes, httpx.Client]]:
    """The path of a result, what it holds, and its owner's client; once for each storage."""
    content = CONTENTS[request.param]
    with server.client() as client:
        job_id = server.succeeded(client, content)
        assert storage_of(server, job_id) == request.param
        yield f"/exports/{job_id}/result", content, client


def storage_of(server: Served, job_id: str) -> str:
    with server.exports.database.read() as connection:
        row = connection.exec_driver_sql("SELECT storage FROM export_results WHERE job_id = ?", (job_id,)).one()
    return str(row[0])


def repr_digest(content: bytes) -> str:
    return f"sha-256=:{base64.b64encode(hashlib.sha256(content).digest()).decode()}:"


@pytest.fixture(scope="module")
def files() -> Iterator[Exports]:
    """An export in every format that there is."""
    exports = Exports(database_url="sqlite:///never-opened.db")

    def tasks(owner: Owner) -> Iterator[tuple[int, str]]:
        yield from ((number, f"{owner.id}: ☃ {number}") for number in range(500))

    exports.export("tasks", columns=["id", "title"], formats=tuple(FORMATS))(tasks)
    yield exports
    exports.close()


@pytest.mark.parametrize("directory", [False, True], ids=SIZES)
@pytest.mark.parametrize("format", FORMATS)
def test_every_format_streams_as_the_file_that_it_is(
    server: Served, files: Exports, monkeypatch: pytest.MonkeyPatch, format: str, directory: bool
) -> None:
    file = run(files, "tasks", owner="7", format=format)
    monkeypatch.setattr(server.exports.storage, "database_limit", 0 if directory else DATABASE_LIMIT_BYTES)
    with server.client(**{"Accept-Encoding": EVERY_CODING}) as client:
        job_id = server.succeeded(client, file.bytes, filename=file.filename, content_type=file.content_type)
        assert storage_of(server, job_id) == ("directory" if directory else "database")
        path = f"/exports/{job_id}/result"
        with client.stream("GET", path) as answer:
            assert b"".join(answer.iter_raw()) == file.bytes
        middle, end = len(file.bytes) // 3, len(file.bytes) * 2 // 3
        with client.stream("GET", path, headers={"Range": f"bytes={middle}-{end}"}) as part:
            assert b"".join(part.iter_raw()) == file.bytes[middle : end + 1]
        head = client.head(path)
    assert (answer.status_code, part.status_code, head.status_code) == (200, 206, 200)
    assert answer.headers["content-length"] == head.headers["content-length"] == str(len(file.bytes))
    for got in (answer, part, head):
        assert "content-encoding" not in got.headers  # a .gz is a file, and nobody may unpack it on its way
        assert got.headers["content-type"] == file.content_type
        assert got.headers["repr-digest"] == repr_digest(file.bytes)  # of the whole, also beside a part
        assert got.headers["etag"] == f'"{file.sha256}"'
        assert got.headers["accept-ranges"] == "bytes"
        assert f'filename="{file.filename}"' in got.headers["content-disposition"]


def test_many_fetch_the_same_file_at_once(server: Served, kept: tuple[str, bytes, httpx.Client]) -> None:
    path, content, owner = kept

    def fetch(number: int) -> None:
        chance = random.Random(number)
        with server.client(owner.headers["x-owner"]) as client:
            for _ in range(4):
                start = chance.randrange(len(content))
                end = chance.randrange(start, len(content))
                part = client.get(path, headers={"Range": f"bytes={start}-{end}"})
                assert (part.status_code, part.content) == (206, content[start : end + 1])
                whole = client.get(path)
                assert (whole.status_code, whole.headers["repr-digest"]) == (200, repr_digest(whole.content))
                assert whole.content == content
                assert client.head(path).headers["content-length"] == str(len(content))

    with ThreadPoolExecutor(CALLERS) as callers:
        list(callers.map(fetch, range(CALLERS)))


def test_others_are_answered_while_slow_readers_hold_the_file(
    server: Served, kept: tuple[str, bytes, httpx.Client]
) -> None:
    path, content, owner = kept
    clients = [server.client(owner.headers["x-owner"]) for _ in range(CALLERS)]
    slow = [client.send(client.build_request("GET", path), stream=True) for client in clients]
    assert owner.get(path).content == content
    assert owner.get(path.removesuffix("/result")).json()["status"] == "succeeded"
    for answer, client in zip(slow, clients, strict=True):
        assert answer.read() == content
        client.close()


def curl(url: str, file: Path, owner: httpx.Client, *arguments: str) -> int:
    """Attempt once to download the file, or to go on with it; gives the exit status."""
    command = [
        str(require_tool("curl")), "--silent", "--show-error", "--continue-at", "-", "--output", str(file),
        "--header", f"X-Owner: {owner.headers['x-owner']}", *arguments, url,
    ]  # fmt: skip
    return subprocess.run(command, timeout=60, check=False, capture_output=True).returncode


def test_curl_goes_on_where_the_line_was_cut(
    server: Served, kept: tuple[str, bytes, httpx.Client], tmp_path: Path
) -> None:
    path, content, owner = kept
    file = tmp_path / "file"
    with cutting_proxy(server.url, CUT_BYTES) as proxy:
        statuses, lengths = [PARTIAL_FILE], [0]
        while statuses[-1] == PARTIAL_FILE:
            statuses.append(curl(proxy.url + path, file, owner))
            lengths.append(file.stat().st_size)
            assert lengths[-1] > lengths[-2], "it began anew, or gave up"
        assert statuses[-1] == 0
        assert proxy.connections == len(statuses) - 1 >= 3
    assert file.read_bytes() == content
    assert curl(server.url + path, file, owner) == 0  # there is nothing left to fetch
    assert file.read_bytes() == content


def interrupted(url: str, owner: httpx.Client) -> tuple[httpx.Headers, bytes]:
    """What came before the line was cut, and the headers before it."""
    got: list[bytes] = []
    with httpx.Client(headers=owner.headers) as client, client.stream("GET", url) as answer:
        assert answer.status_code == 200
        with pytest.raises(httpx.RemoteProtocolError):
            got.extend(answer.iter_raw())
    return answer.headers, b"".join(got)


def test_a_browser_goes_on_where_the_line_was_cut(server: Served, kept: tuple[str, bytes, httpx.Client]) -> None:
    path, content, owner = kept
    with cutting_proxy(server.url, CUT_BYTES) as proxy:
        headers, got = interrupted(proxy.url + path, owner)
        # What Chromium wants before it resumes at all: a strong validator, and that ranges are served.
        assert headers["accept-ranges"] == "bytes"
        assert not headers["etag"].startswith("W/")
        assert 0 < len(got) < len(content)
        proxy.cut_bytes = None
        resume = {"Range": f"bytes={len(got)}-", "If-Range": headers["etag"]}
        rest = httpx.get(proxy.url + path, headers={**owner.headers, **resume})
    assert rest.status_code == 206
    assert rest.headers["content-range"] == f"bytes {len(got)}-{len(content) - 1}/{len(content)}"
    assert rest.headers["etag"] == headers["etag"]
    assert hashlib.sha256(got + rest.content).digest() == hashlib.sha256(content).digest()
    other = httpx.get(server.url + path, headers={**owner.headers, **resume, "If-Range": '"of another file"'})
    assert (other.status_code, other.content) == (200, content)
