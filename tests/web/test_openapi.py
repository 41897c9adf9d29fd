"""The OpenAPI document: complete enough that a fuzzer finds nothing that it doesn't say."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from outlast import Principal
from outlast.database import tokens
from tests.support.processes import running
from tests.web.served import post, problem, served

EXAMPLES = 8
SECONDS = 100.0


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    from tests.web.exports_app import app  # noqa: PLC0415 - it reads the environment

    return app.openapi()


def test_every_endpoint_of_the_contract_is_described(document: dict[str, Any]) -> None:
    operations = {(method, path) for path, item in document["paths"].items() for method in item} - {("get", "/empty")}
    assert operations == {
        ("post", "/exports"),
        ("get", "/exports"),
        ("get", "/exports/definitions"),
        ("get", "/exports/{job_id}"),
        ("delete", "/exports/{job_id}"),
        ("post", "/exports/{job_id}/cancel"),
        ("post", "/exports/{job_id}/regenerate"),
        ("get", "/exports/{job_id}/result"),
        ("head", "/exports/{job_id}/result"),
        ("get", "/exports/{job_id}/manifest"),
        ("head", "/exports/{job_id}/manifest"),
    }
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if path.startswith("/exports"):
                assert operation["summary"], (method, path)
                for status, answer in operation["responses"].items():
                    if int(status) >= 400 and status != "401":  # which the host may answer
                        assert list(answer["content"]) == ["application/problem+json"], (method, path, status)


def test_operation_ids_are_unique(document: dict[str, Any]) -> None:
    ids = [operation["operationId"] for item in document["paths"].values() for operation in item.values()]
    assert len(set(ids)) == len(ids)


def test_a_fuzzer_finds_nothing(tmp_path: Path) -> None:
    environment = {"OUTLAST_WAIT_LIMIT_SECONDS": "0.2"}
    with served(tmp_path, app="tests.web.token_app:app", path="/livez", environment=environment) as server:
        token = tokens.new_token()
        server.exports.writer.run(tokens.issue(token, Principal("7")), wait_seconds=5)
        authorization = f"Bearer {token}"
        with httpx.Client(base_url=server.url, headers={"Authorization": authorization}) as client:
            assert post(client, {"export": "tasks"}).status_code == 202
            problem(client.get("/exports/unknown"), 404, "not_found")
        command = [
            sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json",
            "--header", f"Authorization: {authorization}", "--checks", "all", "--max-examples", str(EXAMPLES),
            "--phases", "examples,coverage,fuzzing", "--seed", "7", "--no-color", "--suppress-health-check", "all",
        ]  # fmt: skip
        with running(command, tmp_path, name="schemathesis") as fuzzer:
            status = fuzzer.wait(SECONDS)
            assert status == 0, fuzzer.transcript()
        assert "Traceback" not in server.process.stderr
        answered = re.findall(r'" (\d{3}) ', server.process.stdout)
        assert answered
        assert not [code for code in answered if code.startswith("5")]
        assert json.loads(httpx.get(f"{server.url}/openapi.json").text)["openapi"].startswith("3.1")
