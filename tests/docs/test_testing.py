"""What docs/testing.md says of the whole worker, beyond its examples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from outlast import DefinitionError, Principal, RequestRefusedError, Status
from outlast.testing import LiveWorker, running_worker
from tests.docs.blocks import the_block
from tests.docs.example import create_database

StartWorker = Callable[..., LiveWorker]


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The README's app without code, with a setting of its own."""
    create_database(tmp_path / "app.db")
    monkeypatch.setenv("APP_DATABASE_URL", f"sqlite:///{tmp_path / 'app.db'}")
    path = tmp_path / "outlast.toml"
    path.write_text("owner_pending_limit = 1\n" + the_block("README.md", "toml", "# outlast.toml").text)
    return str(path)


def test_an_app_without_code_is_named_by_its_file(outlast_worker: StartWorker, app: str) -> None:
    worker = outlast_worker(app)
    job = worker.wait(worker.accept("tasks", owner="4", columns=["title"], format="jsonl"))
    assert job.status is Status.SUCCEEDED
    assert worker.read(job) == b'{"title":"Somebody else\'s"}\n'
    with pytest.raises(RequestRefusedError, match="status"):
        worker.accept("tasks", owner="4", parameters={"status": "late"})


def test_each_worker_has_a_jobs_database_of_its_own(outlast_worker: StartWorker, app: str) -> None:
    one, other = outlast_worker(app), outlast_worker(app)
    one.stop()
    waiting, served = one.accept("tasks", owner="3"), other.accept("tasks", owner="3")
    assert other.wait(served).status is Status.SUCCEEDED
    assert one.service.get(Principal("3"), waiting.id).job.status is Status.QUEUED
    with pytest.raises(RequestRefusedError, match="unfinished"):  # the app's own settings hold
        one.accept("tasks", owner="3")


def test_settings_of_a_test_go_before_the_environments(
    outlast_worker: StartWorker, app: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OUTLAST_DATABASE_URL", f"sqlite:///{tmp_path / 'production.db'}")
    worker = outlast_worker(app, result_limit_rows=1)
    job = worker.wait(worker.accept("tasks", owner="3"))
    assert (job.status, job.error_code) == (Status.FAILED, "result_too_large")
    assert not (tmp_path / "production.db").exists()


def test_waiting_for_a_worker_that_has_ended_fails_with_its_words(outlast_worker: StartWorker, app: str) -> None:
    worker = outlast_worker(app)
    worker.wait(worker.accept("tasks", owner="3"))
    worker.kill()
    with pytest.raises(AssertionError, match=r"status -9: .*started"):
        worker.wait(worker.accept("tasks", owner="3"))


def test_waiting_has_a_limit(outlast_worker: StartWorker, app: str) -> None:
    worker = outlast_worker(app)
    job = worker.accept("tasks", owner="3")
    with pytest.raises(AssertionError, match="still queued"):
        worker.wait(job, seconds=0)


def test_an_app_that_is_wrong_is_named_at_once(app: str, tmp_path: Path) -> None:
    Path(app).write_text("nonsense = 1\n")
    with pytest.raises(DefinitionError, match="nonsense"), running_worker(app, tmp_path / "worker"):
        pass
