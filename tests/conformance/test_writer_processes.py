"""Writers in real processes: beside each other, forked, stopped, and on disks that are full or failing."""

import fcntl
import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from outlast.database import accept
from outlast.database.connection import Database
from outlast.database.turnstile import WAIT_LIMIT_SECONDS
from outlast.database.writer import Writer
from outlast.errors import RequestRefusedError
from outlast.testing.conformance.world import LIMITS, new_job
from tests.support.processes import Process, running
from tests.support.tools import require_tool
from tests.support.wait import wait_until

ROOT = Path(__file__).parents[2]
START_SECONDS = 30.0


@contextmanager
def script(directory: Path, mode: str, *arguments: object, before: Sequence[str | Path] = ()) -> Iterator[Process]:
    """A process in that mode of writer_script."""
    command = [*before, sys.executable, "-m", "tests.conformance.writer_script", mode, *map(str, arguments)]
    with running(command, directory, environment={"PYTHONPATH": str(ROOT)}, name=mode) as process:
        yield process


def facts(process: Process) -> list[dict[str, Any]]:
    """What it has said so far."""
    return [json.loads(line) for line in process.stdout.splitlines()]


def ended(process: Process) -> list[dict[str, Any]]:
    """What it has said, once it is done."""
    assert process.wait(START_SECONDS) == 0, process.transcript()
    return facts(process)


def keys_in(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [key for (key,) in connection.execute("SELECT request_key FROM export_jobs ORDER BY rowid")]


@pytest.fixture
def writer(database_path: Path) -> Iterator[Writer]:
    database = Database(f"sqlite:///{database_path}")
    writer = Writer(database, queue_limit=100)
    yield writer
    writer.close()
    database.close()


def test_a_database_locked_by_another_process_refuses_in_bounded_time_and_serves_the_patient(
    database_path: Path, tmp_path: Path, writer: Writer
) -> None:
    with script(tmp_path, "hold", database_path) as holder:
        holder.wait_for_output("held", START_SECONDS)
        patient = writer.submit(accept.accept(new_job("patient"), LIMITS), wait_seconds=60)
        began = time.monotonic()
        impatient = writer.submit(accept.accept(new_job("impatient"), LIMITS), wait_seconds=0.3)
        assert isinstance(impatient.exception(timeout=10), RequestRefusedError)
        assert time.monotonic() - began < 3
        assert not patient.done()
        holder.kill()
        assert not patient.result(timeout=10).replayed
    assert keys_in(database_path) == ["patient"]


def test_two_processes_that_write_all_the_time_take_turns(database_path: Path, tmp_path: Path) -> None:
    start, seconds = tmp_path / "start", 1.5
    with ExitStack() as stack:
        writers = [stack.enter_context(script(tmp_path, "hammer", database_path, start, seconds)) for _ in range(2)]
        for process in writers:
            process.wait_for_output("ready", START_SECONDS)
        start.touch()
        said = [ended(process)[-1] for process in writers]
    counts = [fact["count"] for fact in said]
    assert min(counts) > sum(counts) / 4, said
    assert max(fact["longest"] for fact in said) < 1, said
    assert len(keys_in(database_path)) == sum(counts) + 2


def test_a_stopped_holder_of_the_turn_is_passed_by(database_path: Path, tmp_path: Path, writer: Writer) -> None:
    def write(key: str) -> float:
        began = time.monotonic()
        writer.run(accept.accept(new_job(key), LIMITS), wait_seconds=20)
        return time.monotonic() - began

    with script(tmp_path, "stop_in_turn", database_path) as holder:
        holder.wait_for_output("in_turn", START_SECONDS)
        wait_until(lambda: _state(holder.pid) == "T", 10, "the holder to stop")
        assert write("a") < WAIT_LIMIT_SECONDS + 1
        assert write("b") < 0.5  # one wait is enough: who waits for us now goes on doing so
        holder.resume()
        holder.wait_for_output("left", 10)
        wait_until(lambda: _turn_is_free(database_path), 10, "the turn to be free again")
        assert write("c") < 0.5


def test_a_child_keeps_no_turn_of_a_parent_that_died(database_path: Path, tmp_path: Path) -> None:
    with script(tmp_path, "die_in_turn", database_path) as parent:
        parent.wait_for_output("child", START_SECONDS)
        child = facts(parent)[0]["child"]
        parent.wait(10)
        assert Path(f"/proc/{child}").exists()
        assert _turn_is_free(database_path)


def test_after_a_fork_both_sides_write_and_nothing_is_lost(database_path: Path, tmp_path: Path) -> None:
    with script(tmp_path, "fork_after_use", database_path) as process:
        said = ended(process)
    assert said == [
        {"child": "accepted"},
        {"child": "accepted"},
        {"parent": ["accepted", "accepted"], "changed": True},
    ]
    assert keys_in(database_path) == ["before", "in the child", "in the parent", "in the child, alone"]


def test_a_child_of_an_unsafe_fork_refuses_to_write(database_path: Path, tmp_path: Path) -> None:
    with script(tmp_path, "fork_while_open", database_path) as process:
        said = ended(process)
    assert said == [{"child": "OutlastError"}, {"parent": "accepted"}]
    assert keys_in(database_path) == ["in the parent"]


@pytest.mark.parametrize(("calls", "when"), [("fdatasync,fsync", "4+5"), ("pwrite64", "30+101")])
def test_a_disk_that_fails_now_and_then_costs_no_acknowledged_job(
    database_path: Path, tmp_path: Path, calls: str, when: str
) -> None:
    with script(tmp_path, "one_by_one", database_path, 40, before=failing(tmp_path, calls, when)) as process:
        said = ended(process)
    assert (tmp_path / "strace").read_text().count("EIO (Input/output error) (INJECTED)") > 3
    told = {fact["key"]: fact["told"] for fact in said}
    kept = keys_in(database_path)
    assert {key for key, answer in told.items() if answer in {"accepted", "replayed"}} <= set(kept)
    assert len(kept) == len(set(kept))
    assert list(told.values()).count("accepted") > 20, told


def test_a_disk_that_fails_for_good_is_said_and_the_same_keys_may_be_sent_again(
    database_path: Path, tmp_path: Path
) -> None:
    with script(tmp_path, "together", database_path, 100, before=failing(tmp_path, "fdatasync,fsync", "2+")) as process:
        told = {fact["key"]: fact["told"] for fact in ended(process)}
    acknowledged = {key for key, answer in told.items() if answer == "accepted"}
    assert len(acknowledged) < 100
    assert acknowledged <= set(keys_in(database_path))
    with script(tmp_path, "together", database_path, 100) as process:
        again = {fact["key"]: fact["told"] for fact in ended(process)}
    assert all(again[key] == "replayed" for key in acknowledged)
    assert set(again.values()) <= {"accepted", "replayed"}
    assert sorted(keys_in(database_path)) == sorted(told)


def test_a_full_disk_refuses_and_recovers(upgraded_file: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = (
        f"mount -t tmpfs -o size=1m none {disk} && cp {upgraded_file} {disk}/jobs.db"
        f' && head -c 300000 /dev/zero > {disk}/ballast && exec "$@"'
    )
    unshare: list[str | Path] = [require_tool("unshare"), "--map-root-user", "--mount", "sh", "-c", mounted, "sh"]
    with script(tmp_path, "until_full", disk / "jobs.db", disk / "ballast", before=unshare) as process:
        *told, after, found = ended(process)
    refused = {fact["key"] for fact in told if fact["told"] != "accepted"}
    accepted = {fact["key"] for fact in told} - refused
    assert len(refused) >= 3
    assert len(accepted) >= 10
    assert after == {"key": "after", "told": "accepted"}
    assert found["check"] == "ok"
    assert set(found["keys"]) == accepted | {"after"}


def failing(directory: Path, calls: str, when: str) -> list[str | Path]:
    """Run under strace, which lets these calls fail with EIO at these times."""
    strace = require_tool("strace")
    inject = ["-e", f"trace={calls}", "-e", f"inject={calls}:error=EIO:when={when}"]
    return [strace, "-f", "--seccomp-bpf", "-qq", "-o", directory / "strace", *inject]


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def _turn_is_free(database_path: Path) -> bool:
    descriptor = os.open(f"{database_path}-turnstile", os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True
