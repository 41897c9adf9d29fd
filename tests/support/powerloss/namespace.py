"""The names and sizes below the root as the processes see them, whatever of it is durable."""

import os
from itertools import count
from pathlib import PurePath

from tests.support.powerloss.operations import (
    ROOT,
    Entries,
    Existing,
    Node,
    Operation,
    TraceError,
    Truncate,
    Write,
    is_dropped,
)


class Namespace:
    def __init__(self, root: str, existing: Existing) -> None:
        """`root` is a real path (no symbolic links in it)."""
        self.sizes: dict[Node, int] = {}
        self._root = root
        self._entries: dict[tuple[Node, str], Node] = {}
        self._real_directories: dict[str, str] = {}
        self.apply(existing)
        self._numbers = count(1 + max((node.number for node in self._entries.values()), default=ROOT.number))

    def new_node(self, *, is_directory: bool) -> Node:
        return Node(next(self._numbers), is_directory)

    def covers(self, path: str) -> bool:
        real = self._real(path)
        return (real == self._root or real.startswith(f"{self._root}/")) and not is_dropped(real)

    def find(self, path: str) -> Node | None:
        node: Node | None = ROOT
        for name in PurePath(self._real(path)).relative_to(self._root).parts:
            node = self._entries.get((node, name)) if node else None
        return node

    def get(self, path: str) -> Node:
        """As find.

        Raises:
            TraceError: nothing is known at this path, though a call used it.
        """
        node = self.find(path) if self.covers(path) else None
        if node is None:
            raise TraceError(f"{path} was used, but nothing in the trace made it")
        return node

    def place(self, path: str) -> tuple[Node, str]:
        """The directory and the name in it."""
        real = PurePath(self._real(path))
        return self.get(str(real.parent)), real.name

    def apply(self, operation: Operation) -> None:
        match operation:
            case Existing(changes):
                for change in changes:
                    self.apply(change)
            case Entries(directory, changes):
                for name, node in changes:
                    self._enter(directory, name, node)
            case Write(node, offset, data):
                self.sizes[node] = max(self.sizes[node], offset + len(data))
            case Truncate(node, size_bytes):
                self.sizes[node] = size_bytes
            case _:
                pass

    def _enter(self, directory: Node, name: str, node: Node | None) -> None:
        if node is None:
            self._entries.pop((directory, name), None)
        else:
            self._entries[directory, name] = node
            self.sizes.setdefault(node, 0)

    def _real(self, path: str) -> str:
        """With the symbolic links of its directory resolved, and not those of the name itself."""
        if path == self._root:
            return path
        normal = os.path.normpath(path)
        directory, name = os.path.split(normal)
        if directory not in self._real_directories:
            self._real_directories[directory] = os.path.realpath(directory)
        return f"{self._real_directories[directory].rstrip('/')}/{name}"
