"""The PostgreSQL that tests run on: empty databases, apart from each other, on a server that ends with its user."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import NullPool, create_engine, text
from sqlalchemy.exc import OperationalError

from tests.conftest import Postgres
from tests.support.postgres import ProgramsMissingError, Server, fresh_database, programs, serving
from tests.support.processes import running
from tests.support.tools import unavailable
from tests.support.wait import wait_until

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 30.0
OWN_TABLES = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
SERVE = """
import signal
from tests.support.postgres import serving

with serving(fsync=False) as server:
    print(server.url, flush=True)
    signal.pause()
"""


def ask(url: str, *statements: str) -> object:
    """Commit the statements; give the last one's first value, if it has one."""
    with create_engine(url, poolclass=NullPool).begin() as connection:
        results = [connection.execute(text(statement)) for statement in statements]
        return results[-1].scalar() if results[-1].returns_rows else None


def reachable(url: str) -> bool:
    try:
        ask(url, "SELECT 1")
    except OperationalError:
        return False
    return True


@pytest.fixture
def directory() -> Iterator[Path]:
    """Give a directory of short name, for sockets, that only its owner enters."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Give a server that may be stopped."""
    try:
        programs()
    except ProgramsMissingError as error:
        unavailable(str(error))
    with serving() as server:
        yield server


def test_a_fresh_database_is_empty_and_keeps_what_is_written(postgresql_url: str) -> None:
    assert ask(postgresql_url, OWN_TABLES) == 0
    ask(postgresql_url, "CREATE TABLE notes (body text NOT NULL)", "INSERT INTO notes VALUES ('naïve ☃')")
    assert ask(postgresql_url, "SELECT body FROM notes") == "naïve ☃"


def test_databases_see_nothing_of_each_other_and_are_gone_afterwards(postgres: Postgres, postgresql_url: str) -> None:
    ask(postgresql_url, "CREATE TABLE notes (body text)")
    with fresh_database(postgres.url) as other_url:
        assert ask(other_url, OWN_TABLES) == 0
        left = create_engine(other_url, poolclass=NullPool).connect()  # who forgets to leave holds nothing up
    left.invalidate()
    assert not reachable(other_url)
    assert ask(postgresql_url, OWN_TABLES) == 1


def test_a_database_is_copied_from_a_template(postgres: Postgres, postgresql_url: str) -> None:
    ask(postgresql_url, "CREATE TABLE notes AS SELECT 'copied' AS body")
    name = postgresql_url.rpartition("/")[2]
    with fresh_database(postgres.url, template=name) as url:
        assert ask(url, "SELECT body FROM notes") == "copied"


def test_the_server_is_postgresql_18_in_utf_8(server: Server) -> None:
    assert ask(server.url, "SELECT current_setting('server_version_num')::int / 10000") == 18
    assert ask(server.url, "SHOW server_encoding") == "UTF8"
    assert ask(server.url, "SHOW fsync") == "on"


@pytest.mark.parametrize("end", [Server.stop, Server.kill])
def test_an_ended_server_comes_back_with_what_was_committed(server: Server, end: Callable[[Server], None]) -> None:
    with fresh_database(server.url) as url:
        ask(url, "CREATE TABLE notes AS SELECT 1 AS n")
        with create_engine(url, poolclass=NullPool).connect() as connection:  # a backend to take along
            connection.execute(text("SELECT 1"))
            end(server)
            assert not reachable(url)
            connection.invalidate()
        server.start()
        assert ask(url, "SELECT n FROM notes") == 1


@pytest.mark.usefixtures("server")  # for its wheel
def test_a_server_ends_with_its_killed_owner(tmp_path: Path, directory: Path) -> None:
    directory.chmod(0o711)
    environment = {"PYTHONPATH": str(ROOT), "TMPDIR": str(directory)}
    with running([sys.executable, "-c", SERVE], tmp_path, environment=environment, name="owner") as owner:
        owner.wait_for_output("\n", PATIENCE_SECONDS)
        url = owner.stdout.strip()
        assert reachable(url)
        owner.kill()
        wait_until(lambda: not reachable(url), PATIENCE_SECONDS, "the server to end")
        wait_until(lambda: not [*directory.glob("*/data/postmaster.pid")], PATIENCE_SECONDS, "all of it to end")


@pytest.mark.usefixtures("server")
def test_root_serves_where_only_root_may_enter(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() != 0 or subprocess.run(["unshare", "--user", "true"], check=False).returncode:
        pytest.skip("only root needs it, where namespaces of users may be made")
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    with serving(fsync=False) as private:
        assert reachable(private.url)
        private.kill()
        private.start()
        assert reachable(private.url)
    assert not [*directory.iterdir()]
