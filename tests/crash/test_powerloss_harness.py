"""The power-loss harness itself: it replays what processes did, accepts what is safe and catches what isn't."""

import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.crash.powerloss_writer import ROWS, content
from tests.support.powerloss import (
    Image,
    Operation,
    Rule,
    Trace,
    TraceError,
    images,
    verify_replay,
)
from tests.support.powerloss.calls import Call
from tests.support.powerloss.operations import Entries, Marker, Sync, Write
from tests.support.processes import running
from tests.support.wait import wait_until

SEED = 20_240_611
WRITER = Path(__file__).with_name("powerloss_writer.py")


# The writer, which does it right, and its variants, which don't


def traced(tmp_path: Path, *options: str) -> list[Operation]:
    root = tmp_path / "data"
    root.mkdir()
    trace = Trace(root, tmp_path / "logs")
    command = [sys.executable, "-m", "tests.crash.powerloss_writer", str(root), str(trace.marker_path), *options]
    with running(trace.command(command), tmp_path, environment={"PYTHONPATH": str(WRITER.parents[2])}) as writer:
        assert writer.wait(seconds=20) == 0
    operations = trace.operations()
    verify_replay(operations, root, tmp_path)
    return operations


def losses(image: Image) -> list[str]:
    """What was promised and isn't there."""
    if not (image.directory / "jobs.db").exists():
        return ["rows"] if image.acknowledged else []
    with closing(sqlite3.connect(image.directory / "jobs.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)], image.description
        has_table = database.execute("SELECT 1 FROM sqlite_schema WHERE name = 'results'").fetchone()
        rows = dict(database.execute("SELECT number, name FROM results")) if has_table else {}
    lost = ["rows"] if {int(text) for text in image.acknowledged} - rows.keys() else []
    for number, name in rows.items():
        path = image.directory / "results" / name
        if not path.exists():
            lost.append("names")
        elif path.read_bytes() != content(number):
            lost.append("bytes")
    return lost


def lost(operations: Sequence[Operation], tmp_path: Path, count: int = 60, rule: Rule = Rule.STRICT) -> Counter[str]:
    found: Counter[str] = Counter()
    for image in images(operations, tmp_path, seed=SEED, count=count, rule=rule):
        found.update(set(losses(image)))
    return found


def test_what_was_acknowledged_after_its_syncs_survives_every_power_loss(tmp_path: Path) -> None:
    operations = traced(tmp_path)
    acknowledged = set()
    for image in images(operations, tmp_path, seed=SEED, count=120):
        assert not losses(image), image.description
        acknowledged.add(len(image.acknowledged))
    assert {0, ROWS} < acknowledged
    assert len(acknowledged) > ROWS / 2  # losses all along, not only at the ends


def test_commits_of_a_wal_without_full_synchronous_are_lost(tmp_path: Path) -> None:
    found = lost(traced(tmp_path, "--synchronous=NORMAL"), tmp_path)
    assert found["rows"] > 5
    assert found.keys() == {"rows"}  # the results themselves were synced


def test_results_that_were_not_synced_are_lost_or_torn(tmp_path: Path) -> None:
    found = lost(traced(tmp_path, "--skip-file-sync"), tmp_path)
    assert found["bytes"] > 5
    assert found.keys() == {"bytes"}


def test_results_whose_directory_was_not_synced_vanish_unless_a_journal_keeps_them(tmp_path: Path) -> None:
    operations = traced(tmp_path, "--skip-directory-sync")
    found = lost(operations, tmp_path)
    assert found["names"] > 5
    assert found.keys() == {"names"}
    assert not lost(operations, tmp_path, rule=Rule.JOURNALLED)


# What a trace tells


def run(tmp_path: Path, program: str) -> list[Operation]:
    """Trace a Python program in a directory that holds the file `old`, and compare the replay with reality."""
    root = tmp_path / "data"
    root.mkdir()
    (root / "old").write_bytes(b"from before")
    trace = Trace(root, tmp_path / "logs")
    command = trace.command([sys.executable, "-c", f"import os, sys\nos.chdir({str(root)!r})\n{program}"])
    with running(command, tmp_path, environment={"MARKERS": str(trace.marker_path)}) as process:
        assert process.wait(seconds=10) == 0
    operations = trace.operations()
    verify_replay(operations, root, tmp_path)
    return operations


def test_offsets_are_followed_through_seeks_reads_appends_and_copies_of_descriptors(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
file = os.open("a", os.O_CREAT | os.O_RDWR)
os.write(file, b"0123456789")
os.lseek(file, 2, os.SEEK_SET)
os.read(file, 3)
os.writev(file, [b"ab", b"c"])
copy = os.dup(file)
os.write(copy, b"d")
os.dup2(file, 50)
os.write(50, b"e")
os.pwritev(file, [b"x", b"", b"yz"], 20)
os.pwrite(file, b'"quoted", \\\\ and \\0', 40)
if os.fork() == 0:
    os.write(file, b"child")
    os._exit(0)
os.wait()
os.write(file, b"parent")
os.close(copy)
appending = os.open("old", os.O_WRONLY | os.O_APPEND)
os.write(appending, b" and after")
os.pwrite(appending, b"!", 0)
with open("buffered", "w+") as text:
    text.write("first\\nsecond\\n")
    text.seek(0)
    text.readline()
    text.seek(0, 1)
    text.write("third")
""",
    )


def test_names_and_sizes_are_followed(tmp_path: Path) -> None:
    run(
        tmp_path,
        """
os.makedirs("d/e")
with open("d/e/n\\u00e9w \\"line\\"\\n", "wb") as file:
    file.write(b"deep")
os.rename("d/e", "f")
os.link("old", "d/linked")
os.truncate("old", 4)
os.rename("d/linked", "f/moved")
with open("f/moved", "ab") as file:
    file.truncate(9)
    os.posix_fallocate(file.fileno(), 0, 20)
os.mkdir("empty")
os.rmdir("d")
held = os.open("gone", os.O_CREAT | os.O_WRONLY)
os.unlink("gone")
os.write(held, b"without a name")
os.write(os.open("gone", os.O_CREAT | os.O_WRONLY), b"another")
os.write(os.open("gone", os.O_TRUNC | os.O_WRONLY), b"short")
directory = os.open("f", os.O_RDONLY)
os.close(os.open("relative", os.O_CREAT | os.O_WRONLY, dir_fd=directory))
os.replace("relative", "replaced", src_dir_fd=directory, dst_dir_fd=directory)
os.fchdir(directory)
os.rename("replaced", "again")
""",
    )


def test_threads_and_children_that_write_at_once_are_put_in_order(tmp_path: Path) -> None:
    operations = run(
        tmp_path,
        """
import subprocess, threading
def write(name):
    for number in range(30):
        with open(f"{name}-{number}", "wb") as file:
            file.write(name.encode() * 500)
            os.fsync(file.fileno())
threads = [threading.Thread(target=write, args=(f"t{n}",)) for n in range(3)]
child = subprocess.Popen([sys.executable, "-c", "open('child', 'w').write('x' * 9000)"])
for thread in threads: thread.start()
for thread in threads: thread.join()
sys.exit(child.wait())
""",
    )
    syncs = [operation for operation in operations if isinstance(operation, Sync)]
    assert len(syncs) == 90


def test_markers_stand_where_they_were_written(tmp_path: Path) -> None:
    operations = run(
        tmp_path,
        """
markers = os.open(os.environ["MARKERS"], os.O_CREAT | os.O_APPEND | os.O_WRONLY)
file = os.open("a", os.O_CREAT | os.O_WRONLY)
os.write(file, b"1")
os.fsync(file)
os.write(markers, b"one\\n")
os.write(file, b"2")
os.write(markers, b"two\\n")
""",
    )
    _, created, *rest = operations
    assert isinstance(created, Entries)
    node = created.changes[0][1]
    assert node is not None
    assert rest == [Write(node, 0, b"1"), Sync(node, 3), Marker("one"), Write(node, 1, b"2"), Marker("two")]


# A turn is told outside the root once the call is over: a new name can be seen before the call that makes it returns.
TAKE_TURNS = """
import pathlib, sys, time
root, told = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
for turn in range(int(sys.argv[3]), 20, 2):
    while not (told / str(turn)).exists():
        time.sleep(0.001)
    (root / str(turn)).touch()
    (told / ("half-time" if turn == 9 else str(turn + 1))).touch()
"""


def test_processes_in_separate_logs_and_markers_of_untraced_ones_are_put_in_order(tmp_path: Path) -> None:
    root, told = tmp_path / "data", tmp_path / "told"
    root.mkdir()
    told.mkdir()
    trace = Trace(root, tmp_path / "logs")
    even, odd = (trace.command([sys.executable, "-c", TAKE_TURNS, root, told, first]) for first in ("0", "1"))
    with running(even, tmp_path) as one, running(odd, tmp_path) as other:
        (told / "0").touch()
        wait_until((told / "half-time").exists, 10, "the first ten turns")
        trace.mark("half-time")
        (told / "10").touch()
        assert (one.wait(seconds=10), other.wait(seconds=10)) == (0, 0)
    seen = [
        operation.text if isinstance(operation, Marker) else operation.changes[0][0]
        for operation in trace.operations()
        if isinstance(operation, Marker | Entries)
    ]
    assert seen == [*map(str, range(10)), "half-time", *map(str, range(10, 20))]


def test_a_killed_process_keeps_its_trace(tmp_path: Path) -> None:
    root = tmp_path / "data"
    root.mkdir()
    trace = Trace(root, tmp_path / "logs")
    program = "import os, signal, sys; open(sys.argv[1], 'wb').write(b'x' * 100_000); os.kill(os.getpid(), 9)"
    with running(trace.command([sys.executable, "-c", program, root / "a"]), tmp_path) as process:
        assert process.wait(seconds=10) == -signal.SIGKILL
    verify_replay(trace.operations(), root, tmp_path)


@pytest.mark.parametrize(
    "program",
    [
        "import shutil; shutil.copyfile('old', 'copy')",
        "import mmap; file = open('old', 'r+b'); mmap.mmap(file.fileno(), 0)[:1] = b'x'",
        "os.symlink('old', 'link')",
        "os.write(os.open('old', os.O_WRONLY | os.O_DSYNC), b'x')",
    ],
    ids=["sendfile", "mmap", "symlink", "synchronous open"],
)
def test_what_cannot_be_replayed_is_refused(tmp_path: Path, program: str) -> None:
    with pytest.raises(TraceError):
        run(tmp_path, program)


def test_data_that_strace_cut_short_is_refused() -> None:
    call = Call(pid=1, name="write", text='3</a>, "\\x61\\x62"..., 20000000', outcome="20000000", began=0, ended=0)
    with pytest.raises(TraceError, match="write carried more"):
        call.strings()


def test_a_writer_that_was_not_traced_is_noticed(tmp_path: Path) -> None:
    operations = run(tmp_path, "os.unlink('old')")
    (tmp_path / "data" / "sly").write_bytes(b"")
    with pytest.raises(TraceError, match="sly"):
        verify_replay(operations, tmp_path / "data", tmp_path)
