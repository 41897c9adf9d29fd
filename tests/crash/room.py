"""A small file system that really fills up: a tmpfs that only this thread and what it starts can see."""

import ctypes
import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.tools import require_tool

CLONE_FS = 0x00000200
CLONE_NEWNS = 0x00020000
FILLER = "filler"
LEAST_BYTES = 4096


@dataclass(frozen=True)
class Room:
    place: Path

    def free_bytes(self) -> int:
        figures = os.statvfs(self.place)
        return figures.f_bavail * figures.f_frsize

    def fill(self, *, leaving_bytes: int) -> None:
        """Take all of the room but so much."""
        self.give_back()
        with (self.place / FILLER).open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(LEAST_BYTES, self.free_bytes() - leaving_bytes))

    def give_back(self) -> None:
        (self.place / FILLER).unlink(missing_ok=True)


@contextmanager
def room(place: Path, size_bytes: int) -> Iterator[Room]:
    """A room at `place`, an empty directory. This thread leaves the system's view of mounts until the block ends.

    Nothing has to be unmounted: the room is gone with the last process that sees it, however they end.
    """
    mount = require_tool("mount")
    with _own_mounts():
        subprocess.run([mount, "--make-rprivate", "/"], check=True)
        subprocess.run([mount, "-t", "tmpfs", "-o", f"size={size_bytes}", "tmpfs", place], check=True)
        yield Room(place)


@contextmanager
def _own_mounts() -> Iterator[None]:
    libc = ctypes.CDLL(None, use_errno=True)
    before, directory = os.open("/proc/thread-self/ns/mnt", os.O_RDONLY), Path.cwd()
    try:
        if libc.unshare(CLONE_NEWNS):
            _refuse(ctypes.get_errno())
        try:
            yield
        finally:
            # Threads that were started meanwhile share this one's root, and setns refuses whoever shares it.
            assert libc.unshare(CLONE_FS) == 0, os.strerror(ctypes.get_errno())
            assert libc.setns(before, CLONE_NEWNS) == 0, os.strerror(ctypes.get_errno())
            os.chdir(directory)
    finally:
        os.close(before)


def _refuse(number: int) -> None:
    assert number == errno.EPERM, os.strerror(number)
    reason = "a file system of its own can only be mounted by root"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
