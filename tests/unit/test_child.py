"""A child process is what it is meant to be: warm, low in priority, bounded, and holding nothing but its socket."""

import json
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest

from outlast.model import ExportSpec
from outlast.settings import Settings, load
from outlast.worker.child import load_definitions
from outlast.worker.frames import Kind
from outlast.worker.handle import Child, ChildFailedError
from tests.support import exports_app
from tests.support.desk import desk_at
from tests.support.wait import wait_until

APP = "tests.support.exports_app:exports"
MIB = 1024 * 1024
WAIT_SECONDS = 30.0


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(exports_app.DIRECTORY_VARIABLE, str(tmp_path))
    return tmp_path


@contextmanager
def child_of(app: str = APP, settings: Settings | None = None) -> Iterator[Child]:
    child = Child(app, settings or load(attempt_memory_limit_bytes=100 * MIB))
    try:
        child.await_ready()
        yield child
    finally:
        child.close()


def spec(export: str, **parameters: object) -> ExportSpec:
    return ExportSpec(export, "1", "default", json.dumps(parameters), "csv", ("n",), row_limit=10_000, byte_limit=MIB)


def frames(child: Child, export: str, **parameters: object) -> list[tuple[Kind, bytes]]:
    """Everything that a child says of one attempt."""
    child.begin(spec(export, **parameters))
    found: list[tuple[Kind, bytes]] = []
    while not found or found[-1][0] not in {Kind.END, Kind.ERROR}:
        frame = child.receive(WAIT_SECONDS)
        assert frame is not None
        found.append(frame)
    return found


def data(found: list[tuple[Kind, bytes]]) -> bytes:
    return b"".join(payload for kind, payload in found if kind is Kind.DATA)


def test_one_child_runs_attempt_after_attempt() -> None:
    with child_of() as child:
        for count in (3, 0, 2000):
            found = frames(child, "numbers", count=count)
            assert data(found).decode().splitlines() == ['"n"', *map(str, range(count))]
            end = json.loads(found[-1][1])
            assert (end["rows"], end["bytes"], end["warnings"], end["as_of"]) == (count, len(data(found)), [], None)
        assert child.attempt_count == 3


def test_a_child_stands_behind_ordinary_work_in_its_parents_session() -> None:
    with child_of(settings=load(child_nice=19)) as child:
        assert os.getpriority(os.PRIO_PROCESS, child.pid) == 19
        assert os.getsid(child.pid) == os.getsid(0)


def test_a_child_may_grow_by_its_limit_and_not_more() -> None:
    with child_of() as child:
        soft, _hard = resource.prlimit(child.pid, resource.RLIMIT_DATA)
        status = Path(f"/proc/{child.pid}/status").read_text().splitlines()
        held = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmData:"))
        assert held <= soft <= held + 100 * MIB
        assert json.loads(frames(child, "hungry", mib=300)[-1][1])["code"] == "out_of_memory"
        assert resource.prlimit(child.pid, resource.RLIMIT_AS) == resource.getrlimit(resource.RLIMIT_AS)


def test_a_child_inherits_no_connection(directory: Path) -> None:
    with desk_at(directory) as desk:
        desk.accept()
        with desk.exports.database.read(), child_of() as child:
            opened = [path.readlink() for path in Path(f"/proc/{child.pid}/fd").iterdir() if int(path.name) > 2]
            assert opened
            assert all(str(path).startswith("socket:") for path in opened)


def test_a_child_ends_when_its_parents_end_of_the_socket_does() -> None:
    with child_of() as child:
        child._connection.close()  # noqa: SLF001 - as a parent's death closes it
        wait_until(lambda: not child.alive, 10, "the child to end")


def test_errors_tell_their_kind_and_nothing_of_the_data() -> None:
    with child_of() as child:
        found = frames(child, "broken", secret="hunter2")
        assert found[-1][0] is Kind.ERROR
        error = json.loads(found[-1][1])
        assert error["code"] == "internal_error"
        assert error["detail"].startswith("ValueError at ")
        assert "hunter2" not in json.dumps(error)


@pytest.mark.parametrize(
    ("app", "reason"),
    [
        ("tests.support.exports_app:authorize", "is a function, not an Exports"),
        ("tests.support.no_such_module:exports", "ModuleNotFoundError"),
        ("tests.support.exports_app:no_such_name", "AttributeError"),
    ],
)
def test_an_app_that_can_not_be_loaded_is_named(app: str, reason: str) -> None:
    with pytest.raises(ChildFailedError, match=reason), child_of(app):
        pass


def test_a_child_that_is_killed_says_so() -> None:
    with child_of() as child:
        child.kill()
        with pytest.raises(ChildFailedError, match=r"ended by signal 9 \(SIGKILL\)"):
            child.receive(WAIT_SECONDS)


def test_definitions_come_from_a_file_too(directory: Path) -> None:
    path = directory / "outlast.toml"
    path.write_text(
        '[sources.app]\nurl = "sqlite:///app.db"\n'
        '[exports.tasks]\nsource = "app"\ndescription = "d"\ncolumns = ["id"]\n'
        'sql = "SELECT id FROM tasks WHERE owner = :owner"\n'
    )
    assert load_definitions(str(path)).names == ("tasks",)
    with child_of(str(path)) as child:
        assert child.alive


def test_a_spec_is_whole_after_its_journey() -> None:
    original = spec("numbers", count=3)
    assert ExportSpec(**json.loads(json.dumps(asdict(original))) | {"columns": original.columns}) == original
