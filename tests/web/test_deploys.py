"""A deploy between a POST and its retry makes no error of the retry."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.web.served import Served, post, problem, served

ASKED = {"export": "tasks", "parameters": {"status": "done"}, "columns": ["id", "status"]}


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The database after the POST, and what was answered."""
    directory = tmp_path_factory.mktemp("before")
    with served(directory) as server, server.client("7") as client:
        document = post(client, ASKED, "before").json()
        assert server.process.stop() is not None
    return server.path, document


@pytest.mark.parametrize(
    ("variant", "code"),
    [
        ("default", None),  # a parameter was added, with a default
        ("renamed", "invalid_request"),  # the column `status` is now `state`
        ("dropped", "invalid_request"),  # there is no such export any more
        ("authorized", "forbidden"),  # this owner may not have it any more
    ],
)
def test_the_retry_gets_its_job(
    tmp_path: Path, before: tuple[Path, dict[str, Any]], variant: str, code: str | None
) -> None:
    for path in before[0].parent.glob("jobs.db*"):
        shutil.copy(path, tmp_path)
    with served(tmp_path, environment={"EXPORTS_VARIANT": variant}) as server:
        _retry(server, before[1], code)


def _retry(server: Served, first: dict[str, Any], code: str | None) -> None:
    with server.client("7") as client:
        again = post(client, ASKED, "before")
        assert (again.status_code, again.headers["idempotency-replayed"]) == (202, "true")
        assert again.json() == first
        fresh = post(client, ASKED, "after")
        if code is None:
            assert fresh.status_code == 202
        else:
            problem(fresh, fresh.status_code, code)
        assert server.job_count() == (2 if code is None else 1)
