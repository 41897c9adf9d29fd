"""The commands that serve, as real processes: api, worker, both under one supervisor; and what they never say."""

import json
import os
import re
import signal
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.processes import Process, running
from tests.support.shell import OUTLAST, Shell, clean_environment
from tests.support.wait import wait_until

SHOP = '''
from outlast import Exports, Owner

exports = Exports(database_url="sqlite:///jobs.db", attempt_limit=2, backoff_base_seconds=0.01, lease_seconds=3)


@exports.export("tasks", columns=["id", "note"])
def tasks(owner: Owner, note: str = ""):
    """The tasks of the person who asks."""
    yield {"id": 1, "note": "row-content of " + note}


@exports.export("broken", columns=["id"])
def broken(owner: Owner, note: str = ""):
    """An export that fails, and that tells too much."""
    raise ValueError("row-content of " + note)
    yield
'''
SECRET = "secret-parameter"
READY_SECONDS = 60


@pytest.fixture(autouse=True)
def _without_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in set(os.environ) - set(clean_environment()):
        monkeypatch.delenv(name)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A directory with an app and its database."""
    (tmp_path / "shop.py").write_text(SHOP)
    shell = Shell(tmp_path, {"OUTLAST_APP": "shop:exports"})
    shell.run("db", "upgrade")
    return shell


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=20, trust_env=False) as client:
        yield client


def serving(shell: Shell, *arguments: str, **environment: str) -> AbstractContextManager[Process]:
    """A command that runs until the block ends."""
    return running(
        [OUTLAST, *arguments], shell.directory, environment={**shell.environment, **environment}, name=arguments[0]
    )


def first_line(process: Process) -> dict[str, Any]:
    wait_until(lambda: "\n" in process.stdout or process.exit_status is not None, READY_SECONDS, "the first line")
    document: dict[str, Any] = json.loads(process.stdout.splitlines()[0])
    return document


def metrics_port(process: Process) -> int:
    process.wait_for_output("/metrics", READY_SECONDS)
    [port] = re.findall(r"metrics on http://127.0.0.1:(\d+)/metrics", process.stderr)
    return int(port)


def samples(text: str) -> dict[str, float]:
    return {
        ":".join([each.name, *(value for _, value in sorted(each.labels.items()))]): each.value
        for family in text_string_to_metric_families(text)
        for each in family.samples
    }


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def export(client: httpx.Client, url: str, token: str, key: str, name: str = "tasks", note: str = "") -> dict[str, Any]:
    answer = client.post(
        f"{url}/exports",
        headers={"Authorization": f"Bearer {token}", "Idempotency-Key": key},
        json={"export": name, "parameters": {"note": note} if note else {}},
    )
    assert answer.status_code == 202, answer.text
    job: dict[str, Any] = answer.json()
    return job


def ended(client: httpx.Client, url: str, token: str, job: dict[str, Any]) -> dict[str, Any]:
    def look() -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token}"}
        found: dict[str, Any] = client.get(f"{url}/exports/{job['id']}?wait=10", headers=headers).json()
        return found if found["finished_at"] else {}

    return wait_until(look, READY_SECONDS, "the export's end")


def test_up_without_an_app_runs_the_demo_and_leaves_nothing_behind(tmp_path: Path, client: httpx.Client) -> None:
    with serving(Shell(tmp_path), "up", "--port", "0", "--json", "--tasks", "1000") as up:
        told = first_line(up)
        assert list(told) == ["url", "token", "other_token", "database", "api_pid", "worker_pid"]
        assert told["database"] == str(tmp_path / "outlast-demo.db")
        assert alive(told["api_pid"])
        assert alive(told["worker_pid"])
        job = ended(client, told["url"], told["token"], export(client, told["url"], told["token"], "first"))
        assert (job["status"], job["result"]["rows"]) == ("succeeded", 600)
        foreign = client.get(
            f"{told['url']}/exports/{job['id']}", headers={"Authorization": f"Bearer {told['other_token']}"}
        )
        assert foreign.status_code == 404
        up.send(signal.SIGINT)
        assert up.wait(30) == 0
        assert not alive(told["api_pid"])
        assert not alive(told["worker_pid"])
        assert told["token"] not in up.stderr


def test_up_that_cannot_start_says_why_and_stops_both(shell: Shell) -> None:
    told = shell.run("up", "--port", "0", "--json", "--asgi", "shop:nothing", status=1)
    assert told.stdout == ""
    *lines, last = told.stderr.splitlines()  # the worker may have had its say in between
    assert "outlast: shop has no attribute 'nothing'" in lines
    assert last.startswith("outlast: not up, so both are stopped: the API (pid ")


def test_up_restarts_who_ends_and_says_so(shell: Shell, client: httpx.Client) -> None:
    token = shell.text("tokens", "create", "--owner", "7").strip()
    with serving(shell, "up", "--port", "0", "--json") as up:
        told = first_line(up)
        assert (told["token"], told["other_token"]) == (None, None)
        os.kill(told["worker_pid"], signal.SIGKILL)
        up.wait_for_output(f"the worker (pid {told['worker_pid']}) ended by SIGKILL; restarting it in 0.5 s", 20)
        os.kill(told["api_pid"], signal.SIGKILL)
        up.wait_for_output("the API runs again", 20)
        job = ended(client, told["url"], token, export(client, told["url"], token, "first"))
        assert job["status"] == "succeeded"
        assert up.stop(30) == 0


def test_children_do_not_outlive_a_killed_supervisor(shell: Shell) -> None:
    with serving(shell, "up", "--port", "0", "--json") as up:
        told = first_line(up)
        up.kill()
        wait_until(lambda: not alive(told["api_pid"]) and not alive(told["worker_pid"]), 30, "both children's end")


def test_an_address_that_is_taken_is_said_in_one_line(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        for command in ("api", "up"):
            told = shell.refusal(command, "--port", str(port))
            assert told == f"can't listen on 127.0.0.1:{port}: Address already in use"


def test_several_api_processes_agree_on_every_figure(shell: Shell, client: httpx.Client) -> None:
    token = shell.text("tokens", "create", "--owner", "7").strip()
    with serving(shell, "api", "--port", "0", "--workers", "2", "--json") as api:
        url = first_line(api)["url"]
        wait_until(lambda: _ready(client, url), READY_SECONDS, "the API")
        for number in range(6):
            with httpx.Client(timeout=20, trust_env=False) as fresh:  # another connection may meet another process
                export(fresh, url, token, f"key-{number}")
        for _ in range(4):
            with httpx.Client(timeout=20, trust_env=False) as fresh:
                found = samples(fresh.get(f"{url}/metrics").text)
                assert found["outlast_jobs_accepted_total:tasks"] == 6
        wait_until(
            lambda: samples(client.get(f"{url}/metrics").text)["outlast_jobs_available:tasks"] == 6, 10, "the gauge"
        )
        assert api.stop(30) == 0


def test_a_worker_whose_claim_loop_stands_still_is_not_ready(shell: Shell, client: httpx.Client) -> None:
    mark = shell.directory / "mark"
    mark.touch()
    fault = {"OUTLAST_FAULT": "hang@claim.before_commit#1", "OUTLAST_FAULT_MARK": str(mark)}
    token = shell.text("tokens", "create", "--owner", "7").strip()
    with serving(shell, "api", "--port", "0", "--json") as api, ExitStack() as stack:
        url = first_line(api)["url"]
        wait_until(lambda: _ready(client, url), READY_SECONDS, "the API")
        job = export(client, url, token, "first")  # before its worker, whose first claim stands still under the lock
        worker = stack.enter_context(serving(shell, "worker", "--metrics-port", "0", "--json", **fault))
        probe = f"http://127.0.0.1:{metrics_port(worker)}"
        wait_until(lambda: client.get(f"{probe}/readyz").text == "ready\n", READY_SECONDS, "the worker")
        wait_until(lambda: client.get(f"{probe}/readyz").status_code == 503, 30, "the worker to be not ready")
        assert client.get(f"{probe}/readyz").text.startswith("not ready: the claim loop has stood still")
        assert client.get(f"{probe}/livez").status_code == 200
        mark.unlink()
        wait_until(lambda: client.get(f"{probe}/readyz").status_code == 200, 30, "the worker to be ready again")
        assert ended(client, url, token, job)["status"] == "succeeded"
        assert worker.stop(30) == 0


def test_no_process_says_a_token_a_parameter_or_a_row(shell: Shell, client: httpx.Client) -> None:
    token = shell.text("tokens", "create", "--owner", "7").strip()
    with (
        serving(shell, "api", "--port", "0", "--json") as api,
        serving(shell, "worker", "--metrics-port", "0") as worker,
    ):
        url, probe = first_line(api)["url"], f"http://127.0.0.1:{metrics_port(worker)}"
        _keep_lease_tokens(shell.directory / "jobs.db")
        wait_until(lambda: _ready(client, url), READY_SECONDS, "the API")
        good = ended(client, url, token, export(client, url, token, "good", note=SECRET))
        bad = ended(client, url, token, export(client, url, token, "bad", "broken", note=SECRET))
        assert (good["status"], bad["status"], bad["error"]["code"]) == ("succeeded", "failed", "internal_error")
        refused = client.post(f"{url}/exports", headers={"Authorization": f"Bearer {token}x"}, json={"note": SECRET})
        assert refused.status_code == 401
        scraped = client.get(f"{url}/metrics").text + client.get(f"{probe}/metrics").text
        assert samples(client.get(f"{probe}/metrics").text)["outlast_jobs_failed_total:internal_error:broken"] == 1
        explained = shell.text("explain", bad["id"]) + shell.text("jobs", "show", bad["id"])
        assert worker.stop(30) == 0
        assert api.stop(30) == 0
        leases = _kept_lease_tokens(shell.directory / "jobs.db")
        said = scraped + explained + api.stderr + worker.stderr + worker.stdout
    assert bad["id"] in said
    assert len(leases) == 3  # one attempt that succeeded, two that failed
    for secret in (token, SECRET, "row-content", *leases):
        assert secret not in said


def _keep_lease_tokens(path: Path) -> None:
    """Let the database itself put aside every lease token from now on."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE kept_tokens (token TEXT)")
        connection.execute(
            "CREATE TRIGGER keep_token AFTER UPDATE OF lease_token ON export_jobs WHEN NEW.lease_token IS NOT NULL"
            " BEGIN INSERT INTO kept_tokens VALUES (NEW.lease_token); END"
        )


def _kept_lease_tokens(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {token for (token,) in connection.execute("SELECT DISTINCT token FROM kept_tokens")}


def _ready(client: httpx.Client, url: str) -> bool:
    try:
        return client.get(f"{url}/readyz").status_code == 200
    except httpx.TransportError:
        return False
