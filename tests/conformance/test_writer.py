"""The writer's promises, line by line: together, apart, in order, bounded, and never guessed."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine

from outlast.boundary import arm
from outlast.database import writer as writer_module
from outlast.database.connection import Database
from outlast.database.writer import BATCH_LIMIT, Batch, Write, Writer
from outlast.errors import OutcomeUnknownError, OutlastError, ProblemCode, RequestRefusedError
from tests.conformance.writing import Gate, Puts
from tests.support.wait import wait_until

WAIT_SECONDS = 20.0


@pytest.fixture
def puts(database_path: Path) -> Puts:
    return Puts(database_path)


@pytest.fixture
def writer(database: Database) -> Iterator[Writer]:
    writer = Writer(database, queue_limit=200)
    yield writer
    writer.close()


@pytest.fixture
def trace(writer: Writer, puts: Puts) -> list[str]:
    """The statements that the writer's connection executes from now on."""
    statements: list[str] = []
    writer.run(puts.put("first", then=lambda driver: driver.set_trace_callback(statements.append)), wait_seconds=5)
    statements.clear()
    puts.performed.clear()
    return statements


def submit_all(writer: Writer, puts: Puts, writes: list[Write[Any]]) -> list[Future[Any]]:
    """Queue them all before the first can begin."""
    with puts.locked():
        return [writer.submit(write, wait_seconds=WAIT_SECONDS) for write in writes]


def refusal_of(future: Future[Any]) -> ProblemCode:
    error = future.exception(timeout=WAIT_SECONDS)
    assert isinstance(error, RequestRefusedError)
    return error.code


class TestTogether:
    def test_a_batch_is_one_transaction(self, writer: Writer, puts: Puts, trace: list[str]) -> None:
        names = [f"{number:03}" for number in range(BATCH_LIMIT + 10)]
        futures = submit_all(writer, puts, [puts.put(name) for name in names])
        assert [future.result(WAIT_SECONDS) for future in futures] == names
        assert trace.count("COMMIT") == 2
        assert sum(statement.startswith("SAVEPOINT") for statement in trace[: trace.index("COMMIT")]) == BATCH_LIMIT
        assert puts.names() == ["first", *names]

    def test_a_batch_is_made_in_the_order_of_its_keys(self, writer: Writer, puts: Puts, trace: list[str]) -> None:
        keys = ["m", "c", "z", "a", "c"]
        writes = [puts.put(f"{key}{number}", key=key) for number, key in enumerate(keys)]
        for future in submit_all(writer, puts, writes):
            future.result(WAIT_SECONDS)
        assert trace.count("COMMIT") == 1
        assert puts.performed == ["a3", "c1", "c4", "m0", "z2"]

    def test_nobody_hears_before_the_commit_that_holds_his_write(self, writer: Writer, puts: Puts) -> None:
        gate = Gate()
        early, late = submit_all(writer, puts, [puts.put("a"), puts.put("b", then=gate)])
        assert gate.reached.wait(WAIT_SECONDS)
        assert puts.performed == ["a", "b"]
        assert not early.done()
        gate.open()
        assert (early.result(WAIT_SECONDS), late.result(WAIT_SECONDS)) == ("a", "b")

    def test_what_fails_is_undone_alone(self, writer: Writer, puts: Puts, trace: list[str]) -> None:
        def fail(_driver: object) -> None:
            raise LookupError("mine alone")

        def breaks_a_rule(driver: sqlite3.Connection) -> None:
            driver.execute("INSERT INTO counters (name, value) VALUES ('live_result_bytes', 1)")

        writes = [puts.put("a"), puts.put("b", then=fail), puts.put("c", then=breaks_a_rule), puts.put("d")]
        a, b, c, d = submit_all(writer, puts, writes)
        assert (a.result(WAIT_SECONDS), d.result(WAIT_SECONDS)) == ("a", "d")
        assert isinstance(b.exception(WAIT_SECONDS), LookupError)
        assert isinstance(c.exception(WAIT_SECONDS), sqlite3.IntegrityError)
        assert puts.names() == ["first", "a", "d"]
        assert trace.count("COMMIT") == 1

    def test_what_is_withdrawn_before_it_begins_is_not_written(self, writer: Writer, puts: Puts) -> None:
        gate = Gate()
        begun, waiting = submit_all(writer, puts, [puts.put("a", then=gate), puts.put("b")])
        assert gate.reached.wait(WAIT_SECONDS)
        assert not begun.cancel()
        assert waiting.cancel()
        gate.open()
        assert begun.result(WAIT_SECONDS) == "a"
        assert puts.names() == ["a"]

    def test_neighbours_of_a_kind_are_made_at_once(self, writer: Writer, puts: Puts, trace: list[str]) -> None:
        def many(connection: Connection, _shared: Batch, names: Sequence[str]) -> list[str]:
            driver: Any = connection.connection.driver_connection
            driver.executemany("INSERT INTO puts VALUES (?, NULL)", [(name,) for name in names])
            return [f"{name} of {len(names)}" for name in names]

        alone = puts.put("m")
        of_a_kind = [
            Write("put", name, one.perform, one.recover, many, name) for name in "abcxyz" for one in [puts.put(name)]
        ]
        futures = submit_all(writer, puts, [*of_a_kind, alone])
        results = sorted(future.result(WAIT_SECONDS) for future in futures)
        assert results == ["a of 3", "b of 3", "c of 3", "m", "x of 3", "y of 3", "z of 3"]
        assert puts.performed == ["m"]
        assert trace.count("COMMIT") == 1

    def test_what_cannot_be_made_at_once_is_made_one_by_one(self, writer: Writer, puts: Puts, trace: list[str]) -> None:
        def many(connection: Connection, _shared: Batch, _names: Sequence[str]) -> list[str]:
            driver: Any = connection.connection.driver_connection
            driver.execute("INSERT INTO puts VALUES ('half of it', NULL)")
            raise LookupError

        of_a_kind = [
            Write("put", name, one.perform, one.recover, many, name) for name in "ab" for one in [puts.put(name)]
        ]
        futures = submit_all(writer, puts, of_a_kind)
        assert [future.result(WAIT_SECONDS) for future in futures] == ["a", "b"]
        assert puts.names() == ["first", "a", "b"]
        assert trace.count("COMMIT") == 1


class TestBounds:
    def test_a_full_queue_refuses_at_once(self, database: Database, puts: Puts) -> None:
        writer = Writer(database, queue_limit=2)
        with puts.locked():
            futures = [writer.submit(puts.put(name), wait_seconds=WAIT_SECONDS) for name in "ab"]
            with pytest.raises(RequestRefusedError) as refused:
                writer.submit(puts.put("c"), wait_seconds=WAIT_SECONDS)
            assert refused.value.code is ProblemCode.UNAVAILABLE
            assert refused.value.retry_after_seconds
        assert [future.result(WAIT_SECONDS) for future in futures] == ["a", "b"]
        writer.close()

    def test_whoever_waits_too_long_for_the_lock_is_refused_and_the_patient_lands(
        self, writer: Writer, puts: Puts
    ) -> None:
        with puts.locked():
            patient = writer.submit(puts.put("patient"), wait_seconds=WAIT_SECONDS)
            began = time.monotonic()
            impatient = [writer.submit(puts.put(f"i{number}"), wait_seconds=0.1) for number in range(100)]
            assert {refusal_of(future) for future in impatient} == {ProblemCode.UNAVAILABLE}
            assert time.monotonic() - began < 5
            assert not patient.done()
        assert patient.result(WAIT_SECONDS) == "patient"
        assert puts.names() == ["patient"]

    def test_closing_ends_what_waits_and_refuses_the_rest(self, writer: Writer, puts: Puts) -> None:
        futures = submit_all(writer, puts, [puts.put("a"), puts.put("b")])
        writer.close()
        assert [future.result(0) for future in futures] == ["a", "b"]
        with pytest.raises(RequestRefusedError) as refused:
            writer.submit(puts.put("c"), wait_seconds=1)
        assert refused.value.code is ProblemCode.STOPPING

    def test_a_database_that_never_will_be_usable_says_why(self, tmp_path: Path, puts: Puts) -> None:
        missing = Database(f"sqlite:///{tmp_path / 'missing' / 'jobs.db'}")
        writer = Writer(missing, queue_limit=10)
        assert refusal_of(writer.submit(puts.put("a"), wait_seconds=0.1)) is ProblemCode.UNAVAILABLE
        writer.close()
        inherited = Database(f"sqlite:///{puts.path}")
        with puts.raw() as connection:
            connection.execute("SELECT 1 FROM puts").fetchall()
            inherited.after_fork_in_child()  # as if our parent had the file open
        writer = Writer(inherited, queue_limit=10)
        error = writer.submit(puts.put("a"), wait_seconds=WAIT_SECONDS).exception(WAIT_SECONDS)
        assert isinstance(error, OutlastError)
        assert "before forking" in str(error)
        writer.close()
        assert puts.names() == []


class TestLostTransactions:
    """Whatever ended the transaction: each write is looked up, and made only if it isn't there."""

    @pytest.fixture
    def lose(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
        """Let the next COMMIT fail: after it was done, or instead of it."""
        original = Connection.commit

        def lose(moment: str) -> None:
            def commit(connection: Connection) -> None:
                monkeypatch.setattr(Connection, "commit", original)
                if moment == "committed":
                    original(connection)
                raise sqlite3.OperationalError("disk I/O error")

            monkeypatch.setattr(Connection, "commit", commit)

        return lose

    def test_a_commit_that_did_happen_is_found(self, writer: Writer, puts: Puts, lose: Callable[[str], None]) -> None:
        lose("committed")
        futures = submit_all(writer, puts, [puts.put("a"), puts.put("b")])
        assert [future.result(WAIT_SECONDS) for future in futures] == ["found a", "found b"]
        assert puts.names() == ["a", "b"]

    def test_a_commit_that_did_not_happen_is_made_up_for(
        self, writer: Writer, puts: Puts, lose: Callable[[str], None]
    ) -> None:
        lose("not committed")
        futures = submit_all(writer, puts, [puts.put("a"), puts.put("b")])
        assert [future.result(WAIT_SECONDS) for future in futures] == ["a", "b"]
        assert puts.names() == ["a", "b"]

    def test_an_error_beside_the_commit_counts_as_lost(
        self, writer: Writer, puts: Puts, raise_once: Callable[[str], None]
    ) -> None:
        """A `raise` at a boundary, which is how tests of other processes reach in here."""
        raise_once("cancel.before_commit")
        write = puts.put("a")
        named = Write("cancel", "a", write.perform, write.recover)
        assert writer.run(named, wait_seconds=WAIT_SECONDS) == "a"
        raise_once("cancel.after_commit")
        write = puts.put("b")
        named = Write("cancel", "b", write.perform, write.recover)
        assert writer.run(named, wait_seconds=WAIT_SECONDS) == "found b"
        assert puts.names() == ["a", "b"]

    @pytest.fixture
    def raise_once(self) -> Iterator[Callable[[str], None]]:
        def arm_once(name: str) -> None:
            def fault(passed: str) -> None:
                if passed == name:
                    arm(None)
                    raise OSError("injected")

            arm(fault)

        yield arm_once
        arm(None)

    def test_a_transaction_that_the_database_ended_commits_nothing_one_by_one(
        self, writer: Writer, puts: Puts, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A write that overlooks an error which rolled everything back: what follows must not commit by itself."""
        monkeypatch.setattr(writer_module, "RECOVERY_SECONDS", 0.3)
        committed: list[list[str]] = []

        def end(driver: sqlite3.Connection) -> None:
            driver.execute("ROLLBACK")
            committed.append(puts.names())

        with puts.locked():
            a = writer.submit(puts.put("a"), wait_seconds=WAIT_SECONDS)
            b = writer.submit(puts.put("b", then=end), wait_seconds=1)
            late = writer.submit(puts.put("c"), wait_seconds=WAIT_SECONDS)
        assert (a.result(WAIT_SECONDS), late.result(WAIT_SECONDS)) == ("a", "c")
        assert isinstance(b.exception(WAIT_SECONDS), OutcomeUnknownError)
        assert committed[0] == []
        assert puts.names() == ["a", "c"]

    def test_a_full_database_undoes_all_and_only_what_fits_is_made(
        self, writer: Writer, puts: Puts, page_limit: Callable[[int], None]
    ) -> None:
        page_limit(200)
        held: list[bool] = []
        big = puts.put("b", size=1_000_000)
        watch = puts.put("c", then=lambda driver: held.append(driver.in_transaction))
        a, b, c = submit_all(writer, puts, [puts.put("a"), big, watch])
        assert (a.result(WAIT_SECONDS), c.result(WAIT_SECONDS)) == ("a", "c")
        assert refusal_of(b) is ProblemCode.UNAVAILABLE
        assert puts.performed == ["a", "b", "a", "b", "c"]
        assert held == [True]
        assert puts.names() == ["a", "c"]

    def test_a_full_database_refuses_all_of_a_batch_quickly_and_recovers(
        self, writer: Writer, puts: Puts, page_limit: Callable[[int], None]
    ) -> None:
        page_limit(200)
        began = time.monotonic()
        futures = submit_all(writer, puts, [puts.put(f"{number}", size=1_000_000) for number in range(20)])
        assert {refusal_of(future) for future in futures} == {ProblemCode.UNAVAILABLE}
        assert time.monotonic() - began < 5
        assert puts.names() == []
        assert writer.run(puts.put("small"), wait_seconds=5) == "small"

    @pytest.fixture
    def page_limit(self) -> Iterator[Callable[[int], None]]:
        """How large the database may grow, said to every connection from now on."""
        limits: list[int] = []

        def say(connection: sqlite3.Connection, _record: object) -> None:
            for limit in limits:
                connection.execute(f"PRAGMA max_page_count = {limit}")

        event.listen(Engine, "connect", say)
        yield limits.append
        event.remove(Engine, "connect", say)

    def test_an_outcome_that_cannot_be_looked_up_is_said_to_be_unknown(
        self, writer: Writer, puts: Puts, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(writer_module, "RECOVERY_SECONDS", 0.3)
        commit = Connection.commit
        with closing(sqlite3.connect(puts.path, isolation_level=None, check_same_thread=False)) as holder:

            def lose_and_lock(connection: Connection) -> None:
                monkeypatch.setattr(Connection, "commit", commit)
                commit(connection)
                holder.execute("BEGIN IMMEDIATE")
                raise sqlite3.OperationalError("disk I/O error")

            monkeypatch.setattr(Connection, "commit", lose_and_lock)
            with puts.locked():
                lost = [writer.submit(puts.put(f"{number:02}"), wait_seconds=0.5) for number in range(BATCH_LIMIT)]
                behind = writer.submit(puts.put("behind"), wait_seconds=0.5)
            began = time.monotonic()
            assert all(isinstance(future.exception(WAIT_SECONDS), OutcomeUnknownError) for future in lost)
            assert refusal_of(behind) is ProblemCode.UNAVAILABLE
            assert time.monotonic() - began < 5
            holder.execute("ROLLBACK")
        assert writer.run(puts.put("after"), wait_seconds=WAIT_SECONDS) == "after"
        assert len(puts.names()) == BATCH_LIMIT + 1

    def test_who_has_not_begun_is_not_lost(self, writer: Writer, puts: Puts) -> None:
        """An error in the middle of a batch: those behind it are put back and written as if nothing had been."""

        def end(driver: sqlite3.Connection) -> None:
            if puts.performed.count("b") == 1:
                driver.execute("ROLLBACK")

        futures = submit_all(writer, puts, [puts.put("a"), puts.put("b", then=end), puts.put("c"), puts.put("d")])
        assert [future.result(WAIT_SECONDS) for future in futures] == ["a", "b", "c", "d"]
        assert sorted(puts.names()) == ["a", "b", "c", "d"]
        assert puts.performed.count("c") == puts.performed.count("d") == 1

    def test_the_writer_survives_whatever_a_write_raises(self, writer: Writer, puts: Puts) -> None:
        def odd(_driver: object) -> None:
            raise MemoryError

        with pytest.raises(MemoryError):
            writer.run(puts.put("a", then=odd), wait_seconds=5)
        wait_until(lambda: writer.run(puts.put("b"), wait_seconds=5) == "b", 5, "the next write")
