"""What an exception means for an attempt, told without a word that may hold a value."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import TypeAdapter
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from outlast.errors import ExportFailedError, FailureCode
from outlast.extract import classify, snapshot
from outlast.extract.apsw_driver import APSW
from outlast.extract.sqlite_driver import STANDARD, use
from outlast.model import Failure

SECRET = "secret-value"


def caught(function: Callable[[], object]) -> BaseException:
    try:
        function()
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is judged
        return error
    pytest.fail("nothing was raised")


def raising(error: BaseException) -> Callable[[], object]:
    def function() -> object:
        raise error

    return function


class DriverError(Exception):
    """A driver's error, as psycopg has them."""

    def __init__(self, sqlstate: str | None) -> None:
        super().__init__(SECRET)
        self.sqlstate = sqlstate


def wrapped(error: Exception, *, disconnected: bool = False) -> DBAPIError:
    wrapping = OperationalError(f"SELECT '{SECRET}'", {"title": SECRET}, error, connection_invalidated=disconnected)
    wrapping.__cause__ = error
    return wrapping


def test_an_export_says_itself_why_it_failed() -> None:
    error = ExportFailedError(FailureCode.TEMPORARILY_UNAVAILABLE, "the ledger is closed", retry_after_seconds=7.5)

    assert classify(error) == Failure(FailureCode.TEMPORARILY_UNAVAILABLE, "the ledger is closed", 7.5)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MemoryError(SECRET), FailureCode.OUT_OF_MEMORY),
        (ConnectionResetError(SECRET), FailureCode.TEMPORARILY_UNAVAILABLE),
        (TimeoutError(SECRET), FailureCode.TEMPORARILY_UNAVAILABLE),
        (PoolTimeoutError(SECRET), FailureCode.TEMPORARILY_UNAVAILABLE),
        (DriverError("08006"), FailureCode.TEMPORARILY_UNAVAILABLE),
        (wrapped(DriverError("40001")), FailureCode.TEMPORARILY_UNAVAILABLE),
        (wrapped(DriverError("53300")), FailureCode.TEMPORARILY_UNAVAILABLE),
        (wrapped(DriverError("57P01")), FailureCode.TEMPORARILY_UNAVAILABLE),
        (wrapped(DriverError("55P03")), FailureCode.TEMPORARILY_UNAVAILABLE),
        (wrapped(DriverError("42P01")), FailureCode.INTERNAL_ERROR),
        (wrapped(DriverError("22P02")), FailureCode.INTERNAL_ERROR),
        (wrapped(DriverError("42P01"), disconnected=True), FailureCode.TEMPORARILY_UNAVAILABLE),
        (ValueError(SECRET), FailureCode.INTERNAL_ERROR),
        (KeyError(SECRET), FailureCode.INTERNAL_ERROR),
        (OSError(5, SECRET), FailureCode.INTERNAL_ERROR),
    ],
)
def test_every_kind_has_its_code_and_no_message(error: Exception, code: FailureCode) -> None:
    failure = classify(caught(raising(error)))

    assert failure.code is code
    assert SECRET not in failure.detail
    assert type(error).__name__ in failure.detail
    assert "unit/test_failure.py:" in failure.detail


def test_a_validation_error_of_the_exports_own_is_its_own_defect() -> None:
    """The parameters were valid before the export's code began; what it validates itself is not the caller's fault."""
    error = caught(lambda: TypeAdapter(int).validate_python(SECRET))

    assert classify(error).code is FailureCode.INTERNAL_ERROR
    assert SECRET not in classify(error).detail


def test_causes_are_named() -> None:
    def chained() -> None:
        try:
            raising(ConnectionRefusedError(SECRET))()
        except ConnectionRefusedError as error:
            raise RuntimeError(SECRET) from error

    failure = classify(caught(chained))

    assert failure.code is FailureCode.TEMPORARILY_UNAVAILABLE
    assert failure.detail.startswith("RuntimeError from ConnectionRefusedError at ")
    assert "in chained" in failure.detail


def test_an_exception_in_circles_is_judged_too() -> None:
    first, second = ValueError(SECRET), KeyError(SECRET)
    first.__cause__, second.__cause__ = second, first

    assert classify(first).code is FailureCode.INTERNAL_ERROR


@pytest.fixture(params=[STANDARD, APSW], ids=["sqlite3", "apsw"])
def driver(request: pytest.FixtureRequest) -> Iterator[None]:
    use(request.param)
    yield
    use(STANDARD)


@pytest.fixture
def path(driver: None, tmp_path: Path) -> Path:
    del driver
    path = tmp_path / "app.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE tasks (id INTEGER PRIMARY KEY)")
    return path


def select_from(path: Path, sql: str) -> Callable[[], object]:
    def function() -> object:
        with snapshot(f"sqlite:///{path}") as (connection, _):
            return connection.execute(text(sql)).all()

    return function


def test_a_locked_database_passes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outlast.extract.sqlite_driver.BUSY_SECONDS", 0.01)
    # In another process: two SQLite libraries in one don't see each other's locks.
    script = (
        "import sqlite3, sys; connection = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "connection.execute('BEGIN EXCLUSIVE'); print(flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", script, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        failure = classify(caught(select_from(path, "SELECT * FROM tasks")))

    assert failure.code is FailureCode.TEMPORARILY_UNAVAILABLE
    assert "SQLITE_BUSY" in failure.detail


@pytest.mark.usefixtures("driver")
def test_a_database_that_is_not_there_may_come_back(tmp_path: Path) -> None:
    failure = classify(caught(select_from(tmp_path / "nowhere.db", "SELECT 1")))

    assert failure.code is FailureCode.TEMPORARILY_UNAVAILABLE
    assert "SQLITE_CANTOPEN" in failure.detail


def test_a_journal_that_a_crash_left_behind_passes(path: Path) -> None:
    """Only a writer may roll it back, which the application's next connection does."""
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("PRAGMA cache_spill = 1")
        writer.execute("BEGIN IMMEDIATE")
        writer.executemany("INSERT INTO tasks VALUES (?)", ((n,) for n in range(50_000)))
        copy, journal = path.with_name("copy.db"), path.with_name(f"{path.name}-journal")
        copy.write_bytes(path.read_bytes())
        copy.with_name("copy.db-journal").write_bytes(journal.read_bytes())

    failure = classify(caught(select_from(copy, "SELECT count(*) FROM tasks")))
    with closing(create_engine(f"sqlite:///{copy}").connect()) as app:
        app.execute(text("SELECT 1 FROM tasks")).all()

    assert failure.code is FailureCode.TEMPORARILY_UNAVAILABLE
    assert "SQLITE_READONLY_ROLLBACK" in failure.detail
    assert select_from(copy, "SELECT count(*) FROM tasks")() == [(0,)]


@pytest.mark.parametrize("sql", ["SELECT * FROM nowhere", "SELECT", "DELETE FROM tasks"])
def test_wrong_sql_is_a_defect(path: Path, sql: str) -> None:
    assert classify(caught(select_from(path, sql))).code is FailureCode.INTERNAL_ERROR
