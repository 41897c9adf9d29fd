"""A deploy between a POST and its retry makes no error of the retry."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.web.served import post, problem, served

ASKED = {"export": "tasks", "parameters": {"status": "done"}, "columns": ["id", "status"]}


@pytest.mark.parametrize(
    ("variant", "code"),
    [
        ("default", None),  # a parameter was added, with a default
        ("renamed", "invalid_request"),  # the column `status` is now `state`
        ("dropped", "invalid_request"),  # there is no such export any more
        ("authorized", "forbidden"),  # this owner may not have it any more
    ],
)
def test_the_retry_gets_its_job(tmp_path: Path, variant: str, code: str | None) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(served(tmp_path))
        client = stack.enter_context(server.client("7"))
        first = post(client, ASKED, "before").json()
    with (
        served(tmp_path, environment={"EXPORTS_VARIANT": variant}) as server,
        server.client("7") as client,
    ):
        again = post(client, ASKED, "before")
        assert (again.status_code, again.headers["idempotency-replayed"]) == (202, "true")
        assert again.json() == first
        fresh = post(client, ASKED, "after")
        if code is None:
            assert fresh.status_code == 202
        else:
            problem(fresh, fresh.status_code, code)
        assert server.job_count() == (2 if code is None else 1)
