"""Two SQLite libraries on one file in one process drop each other's locks: no process ever has both on its sources."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from outlast.model import ExportSpec
from outlast.settings import load
from outlast.worker.frames import Kind
from outlast.worker.handle import Child
from tests.support.exports_app import DIRECTORY_VARIABLE
from tests.support.wait import wait_until
from tests.support.workshop import await_child, workshop_at

APP = "tests.support.sqlite_app:exports"
MIB = 1024 * 1024


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path))
    with closing(sqlite3.connect(tmp_path / "source.db")) as connection, connection:
        connection.execute("CREATE TABLE numbers (n INTEGER)")
        connection.executemany("INSERT INTO numbers VALUES (?)", [(1,), (2,)])
    return tmp_path


@pytest.fixture
def child() -> Iterator[Child]:
    child = Child(APP, load(attempt_memory_limit_bytes=100 * MIB))
    try:
        child.await_ready()
        yield child
    finally:
        child.close()


def has_apsw(pid: int) -> bool:
    return "/apsw/" in Path(f"/proc/{pid}/maps").read_text()


def exported(child: Child, export: str) -> tuple[list[str], dict[str, object]]:
    """Give the file's lines and what the child says at its end."""
    child.begin(ExportSpec(export, "1", "default", "{}", "csv", ("n",), row_limit=100, byte_limit=MIB))
    data = b""
    while (frame := child.receive(30.0)) is not None:
        kind, payload = frame
        if kind is Kind.DATA:
            data += payload
        elif kind is Kind.END:
            return data.decode().splitlines(), json.loads(payload)
        else:
            assert kind is Kind.PROGRESS, payload
    pytest.fail("the child said nothing")


IMPORTS = "import outlast.bootstrap, outlast.web.app, outlast.cli.root, outlast.worker.loop, outlast.testing"
CHECK = f"""
from outlast.cli import main
sys.argv = ['outlast', 'check', '--app', {APP!r}]
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
"""


@pytest.mark.parametrize("code", [IMPORTS, CHECK], ids=["imports", "outlast check"])
def test_nobody_but_a_child_loads_apsw(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nassert 'apsw' not in sys.modules"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
def test_a_workers_child_has_it_and_the_worker_has_not(directory: Path) -> None:
    with workshop_at(directory) as workshop:
        worker = workshop.worker()
        child = await_child(worker)

        wait_until(lambda: has_apsw(child), 20, "the child to load its driver")
        assert not has_apsw(worker.pid)


def test_a_child_reads_by_apsw_also_for_an_exports_own_statements(child: Child) -> None:
    lines, end = exported(child, "libraries")

    assert apsw.sqlite_lib_version() != sqlite3.sqlite_version, "this test can't tell them apart"
    assert lines == ['"n"', f'"{apsw.sqlite_lib_version()}"', '"1"', '"2"']
    assert end["as_of"] is None


def test_a_child_lets_sqlite_write_the_text(child: Child) -> None:
    lines, end = exported(child, "numbers")

    assert lines == ['"n"', "1", "2"]
    details = end["details"]
    assert isinstance(details, dict)
    assert details["extraction"] == "database"
    assert details["columns"] == [{"name": "n", "type": "integer"}]
