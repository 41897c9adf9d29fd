"""What descriptors lead to, per process."""

from dataclasses import dataclass, field

from tests.support.powerloss.operations import Node


@dataclass(slots=True)
class OpenFile:
    """An open file description: shared by dup and fork, with its one offset."""

    node: Node
    appends: bool
    offset: int = 0


@dataclass(slots=True)
class TracedProcess:
    """A process's descriptors of files below the root, and its working directory."""

    files: dict[int, OpenFile] = field(default_factory=dict)
    closed_on_exec: set[int] = field(default_factory=set)
    directory: str = ""

    def forked(self) -> "TracedProcess":
        return TracedProcess(dict(self.files), set(self.closed_on_exec), self.directory)

    def executed(self) -> "TracedProcess":
        kept = {number: file for number, file in self.files.items() if number not in self.closed_on_exec}
        return TracedProcess(kept, set(), self.directory)

    def hold(self, number: int, file: OpenFile | None, *, closed_on_exec: bool) -> None:
        self.files.pop(number, None)
        self.closed_on_exec.discard(number)
        if file:
            self.files[number] = file
        if closed_on_exec:
            self.closed_on_exec.add(number)
