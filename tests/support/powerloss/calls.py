"""The lines of strace logs, joined into system calls in order of completion."""

import heapq
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.support.powerloss.operations import TraceError

# open(2) and its kin, everything that moves or copies descriptors, everything that changes files, and what isn't
# modelled but must not go unseen (mmap, sendfile, io_uring…). "?" passes over what an architecture doesn't have.
_TRACED = (
    "?open,openat,?openat2,?creat,close,dup,?dup2,dup3,fcntl,read,readv,lseek,execve,clone,?clone3,?fork,?vfork,"
    "chdir,fchdir,write,writev,pwrite64,pwritev,?pwritev2,truncate,ftruncate,fallocate,?rename,?renameat,renameat2,"
    "?unlink,unlinkat,?mkdir,mkdirat,?rmdir,?link,linkat,?symlink,symlinkat,fsync,fdatasync,sync,syncfs,"
    "mmap,sendfile,?copy_file_range,splice,?io_uring_setup"
)
_WRITE_LIMIT_BYTES = 16 * 1024 * 1024
# -DD makes the command itself the child, so that whoever started it signals and waits for the real process, and the
# tracer the leader of another group, so that killing the command's group leaves the log whole.
_OPTIONS = (
    *("-DD", "-f", "--seccomp-bpf", "-yy", "-xx", "-s", str(_WRITE_LIMIT_BYTES), "-e", f"trace={_TRACED}"),
    # Their data isn't needed, only how far they move a file's offset.
    *("-e", "raw=read,readv"),
    # A ring's input and output can't be seen; event loops do without where there is none.
    *("-e", "inject=?io_uring_setup:error=ENOSYS"),
    *("--absolute-timestamps=format:unix,precision:ns", "--syscall-times=ns"),
)
_LINE = re.compile(r"(\d+) +(\d+)\.(\d{9}) (.*)", re.DOTALL)
_DURATION = re.compile(r" <(\d+)\.(\d{9})>$")
_RESUMED = re.compile(r"<\.\.\. \w+ resumed>")
_UNFINISHED = " <unfinished ...>"
_STRING = re.compile(r'"([\\x0-9a-f]*)"(\.\.\.)?')
_DESCRIPTOR = re.compile(r"(-?\d+|AT_FDCWD)(?:<([\\x0-9a-f]*)>)?")


class Line(NamedTuple):
    """One line of a log. `at_ns` is when what it tells had happened, by the wall clock."""

    at_ns: int
    pid: int
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A system call that returned. `began` and `ended` are places in the order of all lines."""

    pid: int
    name: str
    text: str  # its arguments, as strace wrote them
    outcome: str
    began: int
    ended: int

    @property
    def arguments(self) -> list[str]:
        return self.text.split(", ")

    @property
    def result(self) -> int:
        """What it returned; -1 for every failure."""
        token = re.match(r"-?\w+", self.outcome)
        return int(token[0], 0) if token else -1

    def strings(self) -> list[bytes]:
        """Every quoted string.

        Raises:
            TraceError: strace cut one short.
        """
        found = _STRING.findall(self.text)
        if any(cut for _, cut in found):
            raise TraceError(f"{self.name} carried more than the {_WRITE_LIMIT_BYTES} bytes that are recorded")
        return [_unquoted(text) for text, _ in found]


@dataclass(frozen=True, slots=True)
class Exit:
    pid: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A marker set by a process that isn't traced."""

    text: str
    ended: int


FORKS = frozenset({"clone", "clone3", "fork", "vfork"})
MARK_PID = 0
Event = Call | Exit | Mark


def strace_command(strace: Path, log: Path, argv: Iterable[str | Path]) -> list[str]:
    return [str(strace), *_OPTIONS, "-o", str(log), "--", *map(str, argv)]


def descriptor(argument: str) -> tuple[int | None, str]:
    """The number (None for AT_FDCWD or no descriptor) and the path, if any, that strace shows for it."""
    found = _DESCRIPTOR.match(argument)
    if not found:
        return None, ""
    number = None if found[1] == "AT_FDCWD" else int(found[1])
    return number, os.fsdecode(_unquoted(found[2] or ""))


def read_lines(log: Path) -> Iterator[Line]:
    """A log's complete lines. Their times never go back, so that merging logs keeps the order within each."""
    latest_ns = 0
    with log.open(encoding="ascii", errors="replace") as lines:
        for raw in lines:
            found = _LINE.match(raw)
            if not found or not raw.endswith("\n"):
                continue
            text = found[4].removesuffix("\n")
            latest_ns = max(latest_ns, int(found[2] + found[3]) + _duration_ns(text))
            yield Line(latest_ns, int(found[1]), text)


def join(*logs: Iterable[Line]) -> Iterator[Event]:
    """Every call of all logs, in order of completion.

    Within a log the order is strace's own. Between logs it is the wall clock's, good to some microseconds. What a
    call does takes effect a little before it returns, so only who was told of it afterwards surely comes later.
    A call that SIGKILL cut off is taken as not done, though the kernel may have done it. close counts from its
    beginning: another thread may get the same number before it returns.
    """
    unfinished: dict[int, tuple[int, str]] = {}
    for position, line in enumerate(heapq.merge(*logs, key=lambda line: line.at_ns)):
        if line.pid == MARK_PID:
            yield Mark(line.text, position)
        elif line.text.startswith("+++ "):
            unfinished.pop(line.pid, None)
            yield Exit(line.pid)
        elif line.text.endswith(_UNFINISHED):
            text = line.text.removesuffix(_UNFINISHED)
            unfinished[line.pid] = position, text
            if text.startswith("close("):
                yield _call(line.pid, f"{text}) = 0", position, position)
        elif line.text.startswith("<... close "):
            del unfinished[line.pid]
        elif resumed := _RESUMED.match(line.text):
            began, text = unfinished.pop(line.pid)
            yield _call(line.pid, text + line.text[resumed.end() :], began, position)
        elif not line.text.startswith("--- "):
            yield _call(line.pid, line.text, position, position)


def _call(pid: int, line: str, began: int, ended: int) -> Call:
    head, _, outcome = line.rpartition(" = ")
    name, _, text = head.rstrip().removesuffix(")").partition("(")
    return Call(pid, name, text, outcome, began, ended)


def _duration_ns(text: str) -> int:
    """How long after its own time a line's call returned; a resumed line's time is its end already."""
    found = None if text.startswith("<... ") else _DURATION.search(text, max(0, len(text) - 40))
    return int(found[1] + found[2]) if found else 0


def _unquoted(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))
