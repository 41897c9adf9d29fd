"""A second connection reads along with the first, in the same snapshot or not at all."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from outlast.extract import apsw_driver
from outlast.extract.apsw_driver import Connection


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[apsw.Connection]:
    with closing(apsw.Connection(str(tmp_path / "source.db"))) as connection:
        connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (v); INSERT INTO t VALUES (1)").fetchall()
        yield connection


def opened(writer: apsw.Connection) -> Connection:
    connection = Connection(f"file:{writer.filename}?mode=ro")
    connection.execute("BEGIN")
    return connection


def count(raw: apsw.Connection) -> object:
    return raw.execute("SELECT count(*) FROM t").get


def test_both_see_the_same_whatever_is_written_later(writer: apsw.Connection) -> None:
    with closing(opened(writer)) as connection:
        connection.fix_snapshot()
        writer.execute("INSERT INTO t VALUES (2)")
        assert connection.twin is not None
        assert (count(connection.raw), count(connection.twin)) == (1, 1)


def test_there_is_no_twin_when_somebody_commits_between_the_two(
    writer: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_ = apsw_driver._opened  # noqa: SLF001 - between its opening and its snapshot lies the gap

    def open_and_watch(address: str) -> apsw.Connection:
        def write_first(_: apsw.Cursor, sql: str, __: object) -> bool:
            if sql.startswith("BEGIN"):
                writer.execute("INSERT INTO t VALUES (2)")
            return True

        raw = open_(address)
        raw.exec_trace = write_first
        return raw

    with closing(opened(writer)) as connection:
        monkeypatch.setattr(apsw_driver, "_opened", open_and_watch)
        connection.fix_snapshot()
        assert connection.twin is None
        assert (count(connection.raw), count(writer)) == (1, 2)


def test_a_twin_waits_for_no_lock(writer: apsw.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that waits for readers to end lets no further one begin: the first would wait for itself."""
    writer.execute("PRAGMA journal_mode = DELETE").fetchall()
    open_ = apsw_driver._opened  # noqa: SLF001 - as above

    def open_and_watch(address: str) -> apsw.Connection:
        def commit_first(_: apsw.Cursor, sql: str, __: object) -> bool:
            if sql == "BEGIN":
                writer.execute("BEGIN; INSERT INTO t VALUES (2)").fetchall()
                with pytest.raises(apsw.BusyError):
                    writer.execute("COMMIT")
            return True

        raw = open_(address)
        raw.exec_trace = commit_first
        return raw

    with closing(opened(writer)) as connection:
        monkeypatch.setattr(apsw_driver, "_opened", open_and_watch)
        connection.fix_snapshot()
        assert connection.twin is None
        assert count(connection.raw) == 1
