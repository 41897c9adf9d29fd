"""Processes with a writer, for tests that start, stop, fork and starve them: `MODE DATABASE [ARGUMENTS]`.

Each prints what it was told, one fact a line, as JSON.
"""

import json
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from outlast.database import accept
from outlast.database import writer as writer_module
from outlast.database.connection import Database
from outlast.database.turnstile import Turnstile
from outlast.database.writer import Writer
from outlast.errors import OutlastError
from outlast.testing.conformance.world import LIMITS, new_job
from tests.support.wait import wait_until

WAIT_SECONDS = 10.0


def say(**fact: object) -> None:
    print(json.dumps(fact), flush=True)  # noqa: T201 - this is how it answers


def open_writer(path: Path) -> Writer:
    return Writer(Database(f"sqlite:///{path}"), queue_limit=10_000)


def submit(writer: Writer, key: str, wait_seconds: float = WAIT_SECONDS) -> Future[accept.Accepted]:
    return writer.submit(accept.accept(new_job(key), LIMITS), wait_seconds=wait_seconds)


def told(future: Future[accept.Accepted]) -> str:
    try:
        return "replayed" if future.result().replayed else "accepted"
    except OutlastError as error:
        return type(error).__name__


def one_by_one(path: Path, count: str) -> None:
    """Accept so many jobs, each after the answer to the one before."""
    writer = open_writer(path)
    for number in range(int(count)):
        say(key=f"k{number}", told=told(submit(writer, f"k{number}")))


def together(path: Path, count: str) -> None:
    """Accept so many jobs at once, and look but for a moment for what was lost."""
    writer_module.RECOVERY_SECONDS = 0.5
    writer = open_writer(path)
    futures = {f"k{number}": submit(writer, f"k{number}", 0.5) for number in range(int(count))}
    for key, future in futures.items():
        say(key=key, told=told(future))


def until_full(path: Path, ballast: str) -> None:
    """Accept jobs until the disk is full, in batches and alone; then remove the ballast and accept again."""
    writer = open_writer(path)
    number, refused = 0, 0
    while refused < 3 and number < 10_000:
        futures = {f"k{number + offset}": submit(writer, f"k{number + offset}", 5) for offset in range(10)}
        number += 10
        for key, future in futures.items():
            answer = told(future)
            refused += answer != "accepted"
            say(key=key, told=answer)
    Path(ballast).unlink()
    say(key="after", told=told(submit(writer, "after")))
    with sqlite3.connect(path) as connection:
        keys = [key for (key,) in connection.execute("SELECT request_key FROM export_jobs")]
        say(keys=keys, check=connection.execute("PRAGMA integrity_check").fetchone()[0])


def hammer(path: Path, start: str, seconds: str) -> None:
    """Write one job after the other once the file `start` is there, and say how many and how slowly."""
    writer = open_writer(path)
    prefix = os.getpid()
    submit(writer, f"{prefix}-first").result()
    say(ready=True)
    wait_until(Path(start).exists, WAIT_SECONDS, "the start")
    end = time.monotonic() + float(seconds)
    waits: list[float] = []
    while time.monotonic() < end:
        began = time.monotonic()
        submit(writer, f"{prefix}-{len(waits)}").result()
        waits.append(time.monotonic() - began)
    say(count=len(waits), longest=max(waits))


def hold(path: Path) -> None:
    """Hold the write lock until killed."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    say(held=True)
    signal.pause()


def stop_in_turn(path: Path) -> None:
    """Stop in the turnstile."""
    with Turnstile(path).turn():
        say(in_turn=True)
        os.kill(os.getpid(), signal.SIGSTOP)
    say(left=True)
    signal.pause()


def die_in_turn(path: Path) -> None:
    """Die in the turnstile, survived by a child that was forked there and did what a fork does."""
    turnstile = Turnstile(path)
    with turnstile.turn():
        if os.fork() == 0:
            turnstile.close()
            say(child=os.getpid())
            signal.pause()
        time.sleep(0.2)  # not to wait for the child, but so that it says so first
        os.kill(os.getpid(), signal.SIGKILL)


def fork_after_use(path: Path) -> None:
    """Write, fork, and write on both sides; then close the parent's, and write again in the child."""
    database = Database(f"sqlite:///{path}")
    writer = Writer(database, queue_limit=10)
    signal_of_parent = database.change_signal()
    signal_of_parent.changed()
    told_here = [told(submit(writer, "before"))]
    with database.read() as connection:
        connection.exec_driver_sql("SELECT 1 FROM export_jobs").first()
    to_child, from_parent = os.pipe()
    from_child, to_parent = os.pipe()
    child = os.fork()
    if child == 0:
        say(child=told(submit(writer, "in the child")))
        os.write(to_parent, b".")
        os.read(to_child, 1)
        say(child=told(submit(writer, "in the child, alone")))
        os._exit(0)
    os.read(from_child, 1)
    told_here.append(told(submit(writer, "in the parent")))
    changed = signal_of_parent.changed()
    writer.close()
    database.close()
    os.write(from_parent, b".")
    os.waitpid(child, 0)
    say(parent=told_here, changed=changed)


def fork_while_open(path: Path) -> None:
    """Fork while somebody else here has the database open."""
    database = Database(f"sqlite:///{path}")
    hosts_own = sqlite3.connect(path)
    hosts_own.execute("SELECT 1 FROM export_jobs").fetchall()
    child = os.fork()
    if child == 0:
        say(child=told(submit(Writer(database, queue_limit=10), "in the child")))
        os._exit(0)
    os.waitpid(child, 0)
    say(parent=told(submit(Writer(database, queue_limit=10), "in the parent")))


MODES: dict[str, Callable[..., Any]] = {
    mode.__name__: mode
    for mode in (
        one_by_one, together, until_full, hammer, hold, stop_in_turn, die_in_turn, fork_after_use, fork_while_open,
    )
}  # fmt: skip

if __name__ == "__main__":
    MODES[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
