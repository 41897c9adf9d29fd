"""What a disk would hold after the power was lost: what was synced, and as much of the rest as chance allows."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from tests.support.powerloss.operations import (
    ROOT,
    Entries,
    Existing,
    Marker,
    Node,
    Operation,
    Sync,
    SyncAll,
    Truncate,
    Write,
    is_dropped,
)


class Rule(Enum):
    """When the names in a directory are durable."""

    STRICT = "strict"
    """POSIX: when the directory itself was synced; unsynced changes survive or vanish one by one, in any mixture."""
    JOURNALLED = "journalled"
    """ext4, XFS, Btrfs: names are durable in the order of their changes; syncing a file makes its names durable too."""


class Survival(Enum):
    NONE = "none"
    ALL = "all"
    SOME = "some"


@dataclass(frozen=True, slots=True)
class Loss:
    """How the power was lost: what becomes of data and of names that were not synced.

    `share` is the chance of each part to survive where some do. `torn_bytes` splits writes at its multiples, each
    part surviving by itself; None keeps writes whole.
    """

    data: Survival
    names: Survival
    share: float = 0.5
    torn_bytes: int | None = None

    def __str__(self) -> str:
        torn = f" torn at {self.torn_bytes}" if self.torn_bytes else ""
        return f"unsynced data {self.data.value}{torn}, unsynced names {self.names.value}, share {self.share}"


NOTHING_SURVIVES = Loss(Survival.NONE, Survival.NONE)
EVERYTHING_SURVIVES = Loss(Survival.ALL, Survival.ALL)


@dataclass(slots=True)
class _File:
    durable: bytearray = field(default_factory=bytearray)
    unsynced: list[tuple[int, Write | Truncate]] = field(default_factory=list)

    def settle(self, began: int) -> None:
        for index, change in self.unsynced:
            if index < began:
                _change(self.durable, change)
        self.unsynced = [pending for pending in self.unsynced if pending[0] >= began]


class Disk:
    """Takes operations one after another; at any moment, writes what would be left of them."""

    def __init__(self, rule: Rule = Rule.STRICT) -> None:
        self._rule = rule
        self._taken = 0
        self._files: dict[Node, _File] = {}
        self._names: dict[tuple[Node, str], Node] = {}
        self._unsynced: list[tuple[int, Entries]] = []

    def apply(self, operation: Operation) -> None:
        match operation:
            case Existing(changes):
                for change in changes:
                    self._take(change)
                self._settle_all(self._taken + 1)
            case Entries() | Write() | Truncate():
                self._take(operation)
            case Sync(node, began):
                self._settle(node, began)
            case SyncAll(began):
                self._settle_all(began)
            case Marker():
                pass
        self._taken += 1

    def write_image(self, directory: Path, loss: Loss, chance: random.Random) -> None:
        """Lay out, in a new directory, what the disk holds if the power is lost now."""
        names = dict(self._names)
        for change in self._surviving_names(loss, chance):
            _enter(names, change)
        children: dict[Node, list[tuple[str, Node]]] = {}
        for (parent, name), node in sorted(names.items()):
            if not is_dropped(name):
                children.setdefault(parent, []).append((name, node))
        contents = {node: self._content(node, loss, chance) for node in sorted(set(names.values()))}
        directory.mkdir()
        _lay_out(directory, ROOT, children, contents)

    def _take(self, change: Entries | Write | Truncate) -> None:
        if isinstance(change, Entries):
            self._unsynced.append((self._taken, change))
        else:
            self._files.setdefault(change.node, _File()).unsynced.append((self._taken, change))

    def _settle_all(self, began: int) -> None:
        for file in self._files.values():
            file.settle(began)
        self._settle_names(lambda index, _: index < began)

    def _settle(self, node: Node, began: int) -> None:
        if node in self._files:
            self._files[node].settle(began)
        concerned = [index for index, change in self._unsynced if index < began and _concerns(change, node)]
        if self._rule is Rule.JOURNALLED:
            last = max(concerned, default=-1)
            self._settle_names(lambda index, _: index <= last)
        else:
            self._settle_names(lambda index, change: index < began and change.directory == node)

    def _settle_names(self, is_durable: Callable[[int, Entries], bool]) -> None:
        for index, change in self._unsynced:
            if is_durable(index, change):
                _enter(self._names, change)
        self._unsynced = [pending for pending in self._unsynced if not is_durable(*pending)]

    def _surviving_names(self, loss: Loss, chance: random.Random) -> list[Entries]:
        changes = [change for _, change in self._unsynced]
        if self._rule is Rule.JOURNALLED and loss.names is Survival.SOME:
            return changes[: chance.randint(0, len(changes))]
        return [change for change in changes if _survives(loss.names, loss.share, chance)]

    def _content(self, node: Node, loss: Loss, chance: random.Random) -> bytes:
        file = self._files.get(node, _File())
        content = bytearray(file.durable)
        for _, change in file.unsynced:
            for part in _parts(change, loss.torn_bytes):
                if _survives(loss.data, loss.share, chance):
                    _change(content, part)
        return bytes(content)


def _survives(survival: Survival, share: float, chance: random.Random) -> bool:
    return survival is Survival.ALL or (survival is Survival.SOME and chance.random() < share)


def _concerns(change: Entries, node: Node) -> bool:
    return change.directory == node or any(named == node for _, named in change.changes)


def _enter(names: dict[tuple[Node, str], Node], change: Entries) -> None:
    for name, node in change.changes:
        if node is None:
            names.pop((change.directory, name), None)
        else:
            names[change.directory, name] = node


def _change(content: bytearray, change: Write | Truncate) -> None:
    if isinstance(change, Truncate):
        del content[change.size_bytes :]
        content.extend(bytes(change.size_bytes - len(content)))
    else:
        content.extend(bytes(max(0, change.offset - len(content))))
        content[change.offset : change.offset + len(change.data)] = change.data


def _parts(change: Write | Truncate, torn_bytes: int | None) -> Iterator[Write | Truncate]:
    """The change itself, or a write cut where the file's offset is a multiple of `torn_bytes`."""
    if torn_bytes is None or isinstance(change, Truncate):
        yield change
        return
    start, end = change.offset, change.offset + len(change.data)
    while start < end:
        stop = min(end, start - start % torn_bytes + torn_bytes)
        yield Write(change.node, start, change.data[start - change.offset : stop - change.offset])
        start = stop


def _lay_out(
    directory: Path, node: Node, children: dict[Node, list[tuple[str, Node]]], contents: dict[Node, bytes]
) -> None:
    for name, child in children.get(node, []):
        if child.is_directory:
            (directory / name).mkdir()
            _lay_out(directory / name, child, children, contents)
        else:
            (directory / name).write_bytes(contents[child])
