"""Real processes under strace, and what they did to the files below one directory."""

import itertools
import time
from collections.abc import Sequence
from pathlib import Path

from tests.support.powerloss.calls import FORKS, MARK_PID, Call, Event, Exit, Line, join, read_lines, strace_command
from tests.support.powerloss.interpret import interpret
from tests.support.powerloss.operations import ROOT, Entries, Existing, Node, Operation, Write, is_dropped
from tests.support.tools import require_tool
from tests.support.wait import wait_until


class Trace:
    """A recording of everything that happens to the files below `root`.

    What stands there when the trace is made counts as durable. From then on only traced processes, run by the words
    of `command`, may write there. A traced process marks what it acknowledged by appending a line to `marker_path`
    with one write(2); anybody else calls `mark`.
    """

    def __init__(self, root: Path, logs: Path) -> None:
        """`logs` is a directory outside root that is made for this trace alone."""
        logs.mkdir()
        self.root = root.resolve(strict=True)
        self.marker_path = logs.resolve() / "markers"
        self._strace = require_tool("strace")
        self._logs: list[Path] = []
        self._marks: list[Line] = []
        self._existing = _existing(self.root)

    def command(self, argv: Sequence[str | Path]) -> list[str]:
        """The words that run `argv`, traced, once. Their process is the command itself: signals and status pass."""
        log = self.marker_path.with_name(f"{len(self._logs)}.strace")
        self._logs.append(log)
        return strace_command(self._strace, log, argv)

    def mark(self, text: str) -> None:
        """Note, from a process that isn't traced, that `text` was acknowledged to it before now."""
        self._marks.append(Line(time.time_ns(), MARK_PID, text))

    def operations(self, limit_seconds: float = 10) -> list[Operation]:
        """What happened, once every traced process has ended.

        Raises:
            AssertionError: some command was never run, or some process still runs after `limit_seconds`.
            TraceError: something can't be replayed.
        """
        events = wait_until(self._ended_events, limit_seconds, "every traced process to end")
        return interpret(events, root=str(self.root), marker_path=str(self.marker_path), existing=self._existing)

    def _ended_events(self) -> list[Event]:
        """Every event, or none as long as some process's end is missing: the tracer outlives the command a little."""
        if not all(log.exists() and log.stat().st_size for log in self._logs):
            return []
        events = list(join(*map(read_lines, self._logs), self._marks))
        return [] if _running(events) else events


def _running(events: list[Event]) -> set[int]:
    """A child may end before the fork that made it returns, so the order of events says nothing here."""
    ended = {event.pid for event in events if isinstance(event, Exit)}
    calls = [event for event in events if isinstance(event, Call)]
    started = {call.pid for call in calls} | {call.result for call in calls if call.name in FORKS and call.result > 0}
    return started - ended


def _existing(root: Path) -> Existing:
    numbers = itertools.count(1)
    nodes: dict[Path, Node] = {root: ROOT}
    changes: list[Entries | Write] = []
    for path in sorted(root.rglob("*")):
        if not is_dropped(path.name):
            node = nodes[path] = Node(next(numbers), path.is_dir())
            changes.append(Entries(nodes[path.parent], ((path.name, node),)))
            if not node.is_directory:
                changes.append(Write(node, 0, path.read_bytes()))
    return Existing(tuple(changes))
