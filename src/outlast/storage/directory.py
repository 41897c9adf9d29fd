"""Results in a directory: the key is the path, `<directory>/<job>/<attempt>-<random>`, and nothing else is.

A file is created once, never reopened for writing, and durable once its own bytes and every directory above it are.
Nothing outside of the directory is ever touched: a key is two plain names, and links are not followed.
"""

from __future__ import annotations

import heapq
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from outlast.storage.key import is_key, parts

READ_BYTES = 256 * 1024
WRITEBACK_BYTES = 8 * 1024 * 1024
"""After so many bytes the kernel is asked to begin to write them to the disk: else all waits for the end's fsync."""
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CREATION_TRIES = 10


class DirectoryFile:
    """One attempt's bytes on their way into its file."""

    def __init__(self, root: Path, key: str) -> None:
        """Create the file. Raises OSError, also when it exists already."""
        self._root = root
        job, self._name = parts(key)
        self._folder = root / job
        self._descriptor = self._create()
        self._written_bytes = 0
        self._on_its_way_bytes = 0

    def append(self, piece: bytes) -> None:
        """Add the next bytes. Raises OSError."""
        view = memoryview(piece)
        while view:
            view = view[os.write(self._descriptor, view) :]
        self._written_bytes += len(piece)
        if self._written_bytes - self._on_its_way_bytes >= WRITEBACK_BYTES:
            self._begin_writeback()

    def finish(self) -> None:
        """Make the bytes and the way to them durable. Raises OSError; then nothing is known to be durable."""
        os.fsync(self._descriptor)
        _sync(self._folder)
        _sync(self._root)
        self.close()

    def close(self) -> None:
        """Give the descriptor back."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _begin_writeback(self) -> None:
        """Have the kernel write what is new, and wait for nothing; what isn't on the disk yet also stays cached."""
        if sys.platform == "linux":
            length = self._written_bytes - self._on_its_way_bytes
            with suppress(OSError):  # it is advice
                os.posix_fadvise(self._descriptor, self._on_its_way_bytes, length, os.POSIX_FADV_DONTNEED)
        self._on_its_way_bytes = self._written_bytes

    def _create(self) -> int:
        for _ in range(_CREATION_TRIES):
            # The sweep may remove an empty folder at any moment.
            with suppress(FileExistsError):
                self._folder.mkdir(mode=0o700)
            with suppress(FileNotFoundError), _opened(self._folder) as folder:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                return os.open(self._name, flags, 0o600, dir_fd=folder)
        raise FileNotFoundError("the result's folder is removed again and again")


class DirectoryResults:
    """Reads and deletes what lies in the directory."""

    name = "directory"

    def __init__(self, root: Path) -> None:
        """Keep results below `root`, which is made with the first of them."""
        self._root = root.absolute()
        self._way_is_durable = False

    def open(self, key: str) -> DirectoryFile:
        """Begin to write under a key. Raises OSError."""
        if not self._way_is_durable or not self._root.is_dir():
            _make_durably(self._root)
            self._way_is_durable = True
        return DirectoryFile(self._root, key)

    def read(self, key: str, start: int, length: int) -> Iterator[bytes]:
        """Yield the bytes [start, start + length) in pieces. Raises FileNotFoundError when they are gone."""
        job, name = parts(key)
        with _opened(self._root / job) as folder:
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            end = start + length
            while start < end:
                piece = os.pread(descriptor, min(READ_BYTES, end - start), start)
                if not piece:
                    raise FileNotFoundError("the result ends early")
                yield piece
                start += len(piece)
        finally:
            os.close(descriptor)

    def delete(self, key: str) -> None:
        """Delete a key's file, durably; one that isn't there is no error."""
        job, name = parts(key)
        with suppress(FileNotFoundError), _opened(self._root / job) as folder:
            os.unlink(name, dir_fd=folder)
            os.fsync(folder)
        with suppress(OSError):  # other attempts' files may be in it
            (self._root / job).rmdir()

    def keys(self, after: str, limit: int) -> list[str]:
        """Up to `limit` keys, in order, beyond `after`; what doesn't look like one of ours isn't listed."""
        first = after.partition("/")[0]
        while folders := self._folders(first, limit):
            keys = [key for folder in folders for key in self._keys_in(folder) if key > after]
            if keys:
                return keys[:limit]
            first = folders[-1] + "\0"  # the next name of all
        return []

    def _folders(self, first: str, limit: int) -> list[str]:
        with suppress(FileNotFoundError), os.scandir(self._root) as entries:
            names = (entry.name for entry in entries if entry.name >= first and entry.is_dir(follow_symlinks=False))
            return heapq.nsmallest(limit, names)
        return []

    def _keys_in(self, folder: str) -> list[str]:
        try:
            keys = (f"{folder}/{path.name}" for path in (self._root / folder).iterdir())
            return sorted(key for key in keys if is_key(key))
        except FileNotFoundError:
            return []


def _make_durably(directory: Path) -> None:
    """Make the directory; then all above it durable, for whoever made them may have crashed before he had."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    for above in directory.parents:
        with suppress(PermissionError):  # whoever may not open it hasn't made anything in it
            _sync(above)


def _sync(directory: Path) -> None:
    with _opened(directory, follow=True) as descriptor:
        os.fsync(descriptor)


@contextmanager
def _opened(directory: Path, *, follow: bool = False) -> Iterator[int]:
    descriptor = os.open(directory, _DIRECTORY & ~os.O_NOFOLLOW if follow else _DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
