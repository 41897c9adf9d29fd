"""What processes did to the files below one directory, in the order in which it took effect."""

from dataclasses import dataclass
from typing import NamedTuple


class TraceError(Exception):
    """The trace can't be replayed exactly: something in it isn't modelled, cut short or unaccounted for."""


class Node(NamedTuple):
    """A file or directory itself, whatever names it has or no longer has."""

    number: int
    is_directory: bool


ROOT = Node(0, is_directory=True)


@dataclass(frozen=True, slots=True)
class Entries:
    """Names in one directory that now lead elsewhere (None: nowhere), changed together."""

    directory: Node
    changes: tuple[tuple[str, Node | None], ...]


@dataclass(frozen=True, slots=True)
class Write:
    node: Node
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    node: Node
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Sync:
    """A successful fsync or fdatasync; it vouches for the first `began` operations, not for those during it."""

    node: Node
    began: int


@dataclass(frozen=True, slots=True)
class SyncAll:
    """sync or syncfs."""

    began: int


@dataclass(frozen=True, slots=True)
class Marker:
    """Something was acknowledged to somebody."""

    text: str


@dataclass(frozen=True, slots=True)
class Existing:
    """What was there, and durable, before the first process started. Always the first operation, and only there."""

    changes: tuple[Entries | Write, ...]


Operation = Existing | Entries | Write | Truncate | Sync | SyncAll | Marker


def is_dropped(path: str) -> bool:
    """SQLite's -shm lives in shared memory and is rebuilt after a crash: neither replayed nor put into images."""
    return path.endswith("-shm")
