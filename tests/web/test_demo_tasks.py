"""The tasks service over HTTP, served by a process of its own."""

import sqlite3
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from outlast.demo.data import populate
from outlast.demo.database import BUSY_TIMEOUT_MILLISECONDS, TasksDatabase
from outlast.demo.phrases import AWKWARD_DESCRIPTIONS, AWKWARD_TITLES
from outlast.demo.users import issue_token
from tests.support.processes import Process, free_port, running


@dataclass(frozen=True)
class Service:
    path: Path
    process: Process
    amina: httpx.Client
    jurgen: httpx.Client
    anonymous: httpx.Client
    tokens: tuple[str, str]

    def stored(
        self, sql: str = "SELECT count(*), max(updated_at) FROM tasks", *values: object
    ) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.path)) as connection:
            return connection.execute(sql, values).fetchall()


@contextmanager
def serving(directory: Path, task_count: int = 0) -> Iterator[Service]:
    path, port = directory / "demo.db", free_port()
    database = TasksDatabase(f"sqlite:///{path}")
    database.create_tables()
    populate(database, task_count)
    tokens = (issue_token(database, 1), issue_token(database, 2))
    database.close()
    command = [sys.executable, "-m", "uvicorn", "outlast.demo.app:app", "--port", str(port)]
    environment = {"OUTLAST_DATABASE_URL": f"sqlite:///{path}"}
    with running(command, directory, environment=environment, name="api") as process:
        process.wait_for_output("Uvicorn running", 20)
        url = f"http://127.0.0.1:{port}"
        headers = [{"Authorization": f"Bearer {token}"} for token in tokens]
        with (
            httpx.Client(base_url=url, headers=headers[0], timeout=20) as amina,
            httpx.Client(base_url=url, headers=headers[1], timeout=20) as jurgen,
            httpx.Client(base_url=url, timeout=20) as anonymous,
        ):
            yield Service(path, process, amina, jurgen, anonymous, tokens)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("tasks")) as service:
        yield service


def create(client: httpx.Client, **columns: Any) -> dict[str, Any]:
    answer = client.post("/tasks", json={"title": "Call", **columns})
    assert answer.status_code == 201, answer.text
    task: dict[str, Any] = answer.json()
    return task


def test_a_created_task_is_where_location_says_with_what_was_sent(service: Service) -> None:
    sent = {
        "title": "Call the supplier",
        "description": "about May",
        "status": "doing",
        "priority": 1,
        "due_date": "2026-03-01",
        "estimate": 1.75,
    }
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    answer = service.amina.post("/tasks", json=sent)
    assert answer.status_code == 201
    task = service.amina.get(answer.headers["Location"]).json()
    assert task == answer.json()
    assert task == {**task, **sent, "completed": False}
    created_at = datetime.fromisoformat(task["created_at"])
    assert before <= created_at <= datetime.now(UTC)
    assert task["updated_at"] == task["created_at"]


def test_only_the_title_is_needed(service: Service) -> None:
    task = create(service.amina)
    assert task == {
        **task,
        "description": None,
        "status": "todo",
        "priority": 3,
        "due_date": None,
        "completed": False,
        "estimate": None,
    }


def test_text_arrives_exactly(service: Service) -> None:
    for title in AWKWARD_TITLES:
        number = create(service.amina, title=title)["id"]
        assert service.amina.get(f"/tasks/{number}").json()["title"] == title
    for description in (*AWKWARD_DESCRIPTIONS, ""):
        number = create(service.amina, description=description)["id"]
        assert service.amina.get(f"/tasks/{number}").json()["description"] == description


def test_a_change_touches_the_named_columns_only(service: Service) -> None:
    task = create(service.amina, description="old", estimate=2)
    changed = service.amina.patch(f"/tasks/{task['id']}", json={"status": "done", "description": None}).json()
    assert changed == {
        **task,
        "status": "done",
        "completed": True,
        "description": None,
        "updated_at": changed["updated_at"],
    }
    assert datetime.fromisoformat(changed["updated_at"]) >= datetime.fromisoformat(task["updated_at"])
    assert service.amina.get(f"/tasks/{task['id']}").json() == changed
    assert service.amina.patch(f"/tasks/{task['id']}", json={"status": "todo"}).json()["completed"] is False


def test_a_deleted_task_is_gone_and_its_number_is_not_used_again(service: Service) -> None:
    number = create(service.amina)["id"]
    assert service.amina.delete(f"/tasks/{number}").status_code == 204
    assert service.amina.get(f"/tasks/{number}").status_code == 404
    assert service.amina.delete(f"/tasks/{number}").status_code == 404
    assert create(service.amina)["id"] > number


def test_somebody_elses_task_looks_like_one_that_is_not_there(service: Service) -> None:
    task = create(service.amina, title="private")
    absent = service.jurgen.get("/tasks/999999999")
    assert absent.status_code == 404
    for answer in (
        service.jurgen.get(f"/tasks/{task['id']}"),
        service.jurgen.patch(f"/tasks/{task['id']}", json={"title": "mine"}),
        service.jurgen.delete(f"/tasks/{task['id']}"),
    ):
        assert (answer.status_code, answer.json()) == (absent.status_code, absent.json())
    assert service.amina.get(f"/tasks/{task['id']}").json() == task


def test_pages_give_each_task_once_though_one_in_between_is_deleted(service: Service) -> None:
    start = create(service.jurgen)["id"]
    numbers = [create(service.jurgen)["id"] for _ in range(5)]
    create(service.amina, title="not in this list")
    first = service.jurgen.get("/tasks", params={"after": start, "limit": 2}).json()
    assert [task["id"] for task in first["tasks"]] == numbers[:2]
    service.jurgen.delete(f"/tasks/{numbers[0]}")
    second = service.jurgen.get("/tasks", params={"after": first["next_after"], "limit": 2}).json()
    third = service.jurgen.get("/tasks", params={"after": second["next_after"], "limit": 2}).json()
    assert [task["id"] for page in (second, third) for task in page["tasks"]] == numbers[2:]
    assert third["next_after"] is None


def test_a_list_can_be_of_one_status(service: Service) -> None:
    number = create(service.jurgen, status="doing")["id"]
    create(service.jurgen, status="done")
    tasks = service.jurgen.get("/tasks", params={"status": "doing", "after": number - 1}).json()["tasks"]
    assert [task["id"] for task in tasks] == [number]


@pytest.mark.parametrize("authorization", [None, "Bearer nobody", "Bearer", "Basic YTpi", "Bearer \xff"])
def test_without_a_valid_token_nothing_is_served(service: Service, authorization: str | None) -> None:
    number = create(service.amina)["id"]
    headers = {b"Authorization": authorization.encode("latin-1")} if authorization else {}
    before = service.stored()
    for method, path in (
        ("GET", "/tasks"),
        ("POST", "/tasks"),
        ("GET", f"/tasks/{number}"),
        ("DELETE", f"/tasks/{number}"),
    ):
        body = {"title": "Call"} if method == "POST" else None
        answer = service.anonymous.request(method, path, headers=headers, json=body)
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert service.stored() == before


BAD_BODIES = {
    "not JSON": b"{",
    "not UTF-8": b'{"title": "\xff"}',
    "nothing": b"",
    "an array": b"[]",
    "no title": b"{}",
    "an empty title": b'{"title": ""}',
    "a missing title": b'{"title": null}',
    "a title too long": b'{"title": "%s"}' % (b"x" * 501),
    "a description too long": b'{"title": "Call", "description": "%s"}' % (b"x" * 20_001),
    "a lone surrogate": b'{"title": "\\ud800"}',
    "a name with a lone surrogate": b'{"title": "Call", "\\udfff": 1}',
    "NUL": b'{"title": "a\\u0000b"}',
    "an unknown column": b'{"title": "Call", "owner_id": 2}',
    "an unknown status": b'{"title": "Call", "status": "late"}',
    "a priority out of range": b'{"title": "Call", "priority": 6}',
    "an enormous priority": b'{"title": "Call", "priority": 1%s}' % (b"0" * 400),
    "more digits than an integer may have": b'{"title": "Call", "priority": 1%s}' % (b"0" * 5_000),
    "no number": b'{"title": "Call", "estimate": NaN}',
    "an infinite number": b'{"title": "Call", "estimate": 1e999}',
    "a negative estimate": b'{"title": "Call", "estimate": -1}',
    "a date that never was": b'{"title": "Call", "due_date": "2026-02-30"}',
    "deep nesting": b'{"title": %s%s}' % (b"[" * 50_000, b"]" * 50_000),
}


@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES.keys())
def test_a_bad_body_is_refused_clearly_and_changes_nothing(service: Service, body: bytes) -> None:
    number = create(service.amina)["id"]
    before = service.stored()
    headers = {"Content-Type": "application/json"}
    answers = [service.amina.post("/tasks", content=body, headers=headers)]
    if body != b"{}":
        answers.append(service.amina.patch(f"/tasks/{number}", content=body, headers=headers))
    for answer in answers:
        assert answer.status_code in {400, 422}
        assert answer.json()["detail"]
        assert b"xxxx" not in answer.content
    assert service.stored() == before


@pytest.mark.parametrize(
    "path",
    [
        *("/tasks/0", "/tasks/-1", "/tasks/x", f"/tasks/{2**63}"),
        *("/tasks?after=-1", f"/tasks?after={2**63}", "/tasks?after=%ff", "/tasks?limit=0", "/tasks?limit=201"),
        *("/tasks?status=late", "/tasks?status=%00"),
    ],
)
def test_a_bad_number_or_filter_is_refused(service: Service, path: str) -> None:
    assert service.amina.get(path).status_code == 422


def test_tokens_are_not_in_the_file(service: Service) -> None:
    for path in service.path.parent.glob("demo.db*"):
        content = path.read_bytes()
        assert not any(token.encode() in content for token in service.tokens)


def test_callers_at_once_each_get_a_task_of_their_own(service: Service) -> None:
    with ThreadPoolExecutor(16) as pool:
        tasks = list(pool.map(lambda index: create(service.amina, title=f"task {index}"), range(100)))
    assert len({task["id"] for task in tasks}) == 100
    for task in tasks:
        assert service.amina.get(f"/tasks/{task['id']}").json() == task


def test_behind_another_writer_reads_go_on_and_writes_are_told_to_come_again(service: Service) -> None:
    number = create(service.amina)["id"]
    path = f"/tasks/{number}"
    with closing(sqlite3.connect(service.path, isolation_level=None)) as other, ThreadPoolExecutor(2) as pool:
        other.execute("BEGIN IMMEDIATE")
        started = time.monotonic()
        waiting = [
            pool.submit(service.amina.post, "/tasks", json={"title": "Call"}),
            pool.submit(service.amina.patch, path, json={"title": "Call again"}),
        ]
        assert service.amina.get(path).json()["title"] == "Call"
        answers = [future.result() for future in waiting]
        waited_seconds = time.monotonic() - started
        other.execute("ROLLBACK")
    for answer in answers:
        assert answer.status_code == 503
        assert int(answer.headers["Retry-After"]) >= 1
    assert waited_seconds < BUSY_TIMEOUT_MILLISECONDS / 1000 + 5
    assert service.amina.patch(path, json={"title": "Call again"}).status_code == 200


def test_what_was_acknowledged_is_there_after_the_server_was_killed(tmp_path: Path) -> None:
    with serving(tmp_path, task_count=10) as service:
        number = create(service.amina, title="Remember me")["id"]
        service.process.kill()
        assert service.stored("SELECT title FROM tasks WHERE id = ?", number) == [("Remember me",)]
        assert service.stored("PRAGMA integrity_check") == [("ok",)]
