"""Everything that the README says runs is run, as it stands there."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.docs.blocks import ROOT, blocks_of, the_block
from tests.docs.example import OTHER_TOKEN, TASKS, TOKEN, create_database, lay_out
from tests.support.processes import Process, free_port, running
from tests.support.shell import OUTLAST, Shell, clean_environment
from tests.support.tools import require_tool
from tests.support.wait import wait_until

APP = "myapp.main:exports"
OWN_TITLES = [title for _, owner, title, _, _ in TASKS if owner == 3]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    lay_out(tmp_path)
    return tmp_path


def answers(url: str) -> bool:
    try:
        httpx.get(url)
    except httpx.TransportError:
        return False
    return True


@pytest.mark.timeout(300)  # a first run has to read SQLAlchemy and FastAPI
def test_the_example_passes_mypy_strict(directory: Path, pytestconfig: pytest.Config) -> None:
    assert pytestconfig.cache is not None
    cache = pytestconfig.cache.mkdir("mypy-of-the-documents")
    tests = [block.text for block in blocks_of(ROOT / "docs" / "testing.md") if block.language == "python"]
    for number, text in enumerate(tests):
        (directory / f"test_{number}.py").write_text(text)
    checked = ["myapp", *(f"test_{number}.py" for number in range(len(tests)))]
    command: list[str | Path] = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, *checked]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_example_exports_for_its_users(directory: Path) -> None:
    shell, port = Shell(directory), free_port()
    shell.run("db", "upgrade", "--app", APP)
    shell.run("check", "--app", APP)
    serve = [sys.executable, "-m", "uvicorn", "myapp.main:app", "--port", str(port)]
    url = f"http://127.0.0.1:{port}"
    with running(serve, directory, name="app"), running([OUTLAST, "worker", "--app", APP], directory, name="worker"):
        wait_until(lambda: answers(url), 30, "the app to answer")
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=40) as client:
            rows = exported(client, {"export": "tasks"})
            assert rows[0] == ["id", "title", "state", "created_at"]
            assert [row[1] for row in rows[1:]] == OWN_TITLES
            parameters = {"status": "todo", "created_since": "2026-02-01"}
            some = exported(client, {"export": "tasks", "parameters": parameters, "columns": ["title"]})
            assert some == [["title"], [""]]
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {OTHER_TOKEN}"}, timeout=40) as other:
            assert [row[1] for row in exported(other, {"export": "tasks"})[1:]] == ["Somebody else's"]
        assert httpx.post(f"{url}/exports", json={"export": "tasks"}).status_code == 401


def exported(client: httpx.Client, body: dict[str, Any]) -> list[list[str]]:
    """Ask, wait, download, read."""
    accepted = client.post("/exports", json=body, headers={"Idempotency-Key": str(uuid4())})
    assert accepted.status_code == 202, accepted.text
    job = client.get(accepted.headers["Location"], params={"wait": 30}).json()
    assert job["status"] == "succeeded", job
    return list(csv.reader(StringIO(client.get(job["links"]["result"]).text, newline="")))


@dataclass(frozen=True)
class Up:
    """`outlast up` on the README's TOML, a token of owner 3, and the output of the commands before."""

    url: str
    token: str
    process: Process


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    directory = tmp_path_factory.mktemp("without-code")
    create_database(directory / "app.db")
    block = the_block("README.md", "toml", "# outlast.toml")
    (directory / "outlast.toml").write_text(block.text)
    commands = block.text.partition("\n")[0].removeprefix("# outlast.toml").strip()
    assert commands.startswith("outlast check && ")
    assert commands.endswith(" && outlast up")
    # A port that is surely free, and the address where a script finds it.
    script = f"{commands} --port 0 --json"
    environment = {
        "APP_DATABASE_URL": f"sqlite:///{directory / 'app.db'}",
        "PATH": f"{OUTLAST.parent}:{clean_environment()['PATH']}",
    }
    with running(["bash", "-c", f"set -e; {script}"], directory, environment=environment, name="up") as process:
        process.wait_for_output('"worker_pid"', 60)
        *_, token_line, json_line = process.stdout.strip().splitlines()
        yield Up(json.loads(json_line)["url"], re.findall(r"\S+", token_line)[-1], process)


def test_without_code_an_owner_gets_his_rows(up: Up) -> None:
    with httpx.Client(base_url=up.url, headers={"Authorization": f"Bearer {up.token}"}, timeout=40) as client:
        rows = exported(client, {"export": "tasks"})
        assert rows[0] == ["id", "title", "state", "created_at"]
        assert [row[1] for row in rows[1:]] == OWN_TITLES
        done = exported(client, {"export": "tasks", "parameters": {"status": "done"}})
        assert [row[1] for row in done[1:]] == ["Call\nback"]
        refused = client.post(
            "/exports", json={"export": "tasks", "parameters": {"status": "late"}}, headers={"Idempotency-Key": "late"}
        )
        assert refused.status_code == 422


def test_the_curl_command_is_answered_as_the_readme_says(up: Up, tmp_path: Path) -> None:
    require_tool("curl")
    command = the_block("README.md", "sh", "curl ").text
    environment = {**clean_environment(), "URL": up.url, "TOKEN": up.token}

    def curl() -> str:
        done = subprocess.run(
            ["bash", "-c", command], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return done.stdout

    first, second = curl(), curl()
    assert first.startswith("HTTP/1.1 202 ")
    location = re.search(r"^location: (\S+)", first, re.IGNORECASE | re.MULTILINE)
    assert location is not None
    assert re.search(r"^idempotency-replayed: true", second, re.IGNORECASE | re.MULTILINE)
    assert location[1] in second

    with httpx.Client(base_url=up.url, headers={"Authorization": f"Bearer {up.token}"}, timeout=40) as client:
        job = client.get(location[1], params={"wait": 30}).json()
        assert job["status"] == "succeeded"
        whole = client.get(job["links"]["result"])
        assert hashlib.sha256(whole.content).hexdigest() == job["result"]["sha256"]
        digest = re.fullmatch(r"sha-256=:(\S+):", whole.headers["Repr-Digest"])
        assert digest is not None
        assert b64decode(digest[1]).hex() == job["result"]["sha256"]
        assert not whole.headers["ETag"].startswith("W/")
        part = client.get(job["links"]["result"], headers={"Range": "bytes=5-9"})
        assert (part.status_code, part.content) == (206, whole.content[5:10])


def test_make_has_the_verbs() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for verb in re.findall(r"\bmake ([a-z-]+)", (ROOT / "README.md").read_text()):
        assert re.search(rf"^{verb}:", makefile, re.MULTILINE), f"there is no `make {verb}`"
