"""`outlast demo` is what a newcomer runs first: it must verify what it shows, and say so by its exit status."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from outlast.demo.verify import differences
from tests.support.processes import running
from tests.support.shell import OUTLAST

TASKS = 3_000
FIRST_USERS_TASKS = 1_800


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    directory = tmp_path_factory.mktemp("demo")
    command: list[str | Path] = [OUTLAST, "demo", "--json", "--tasks", str(TASKS), "--directory", directory / "kept"]
    with running(command, directory) as process:
        assert process.wait(110) == 0
        [line] = process.stdout.splitlines()
    return directory / "kept", json.loads(line)


@pytest.mark.timeout(150)
def test_the_summary_says_what_was_verified(played: tuple[Path, dict[str, Any]]) -> None:
    directory, summary = played
    assert summary["verified"]
    undisturbed, through_a_kill = summary["exports"]
    assert (undisturbed["attempts"], undisturbed["outcomes"]) == (1, ["succeeded"])
    assert (through_a_kill["attempts"], through_a_kill["outcomes"]) == (2, ["lost", "succeeded"])
    assert undisturbed["job_id"] != through_a_kill["job_id"]
    for export in (undisturbed, through_a_kill):
        assert export["verified"]
        assert export["problems"] == []
        assert export["rows"] == FIRST_USERS_TASKS
        assert export["result_count"] == 1
        assert export["bytes"] == (directory / f"{export['job_id']}.csv").stat().st_size
    # Nobody changed a task in between.
    assert undisturbed["sha256"] == through_a_kill["sha256"]
    digest = subprocess.run(
        ["sha256sum", directory / f"{through_a_kill['job_id']}.csv"], capture_output=True, text=True, check=True
    )
    assert digest.stdout.split()[0] == through_a_kill["sha256"]


def test_a_file_that_differs_is_told_from_one_that_does_not(
    played: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    directory, summary = played
    database = directory / "demo.db"
    whole = (directory / f"{summary['exports'][0]['job_id']}.csv").read_bytes()

    def found(content: bytes, owner: int = 1) -> list[str]:
        path = tmp_path / "changed.csv"
        path.write_bytes(content)
        return differences(path, database, owner)

    lines = whole.split(b"\n")
    assert found(whole) == []
    assert found(whole.replace(b',"",', b",,", 1)) != []
    assert found(whole.replace(b",,", b',"",', 1)) != []
    assert found(whole.replace(b'"todo"', b'"done"', 1)) != []
    assert found(b"\n".join(lines[:2] + lines[2:3] + lines[2:])) != []
    assert found(whole[:-3]) != []
    assert found(b"\n".join(lines[1:])) != []
    assert found(whole, owner=2) != []


def test_a_demo_that_can_not_verify_fails(tmp_path: Path) -> None:
    environment = {"OUTLAST_RESULT_LIMIT_ROWS": "10"}
    with running([OUTLAST, "demo", "--json", "--tasks", "100"], tmp_path, environment=environment) as process:
        assert process.wait(60) == 1
        summary = json.loads(process.stdout)
        assert (summary["verified"], summary["exports"]) == (False, [])
        assert "result_too_large" in process.stderr
