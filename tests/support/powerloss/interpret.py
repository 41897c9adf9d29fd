"""System calls turned into operations on the files below one directory."""

import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable

from tests.support.powerloss.calls import FORKS, Call, Event, Exit, Mark, descriptor
from tests.support.powerloss.descriptors import OpenFile, TracedProcess
from tests.support.powerloss.namespace import Namespace
from tests.support.powerloss.operations import (
    Entries,
    Existing,
    Marker,
    Node,
    Operation,
    Sync,
    SyncAll,
    TraceError,
    Truncate,
    Write,
)

_CURRENT_OFFSET = -1


def interpret(events: Iterable[Event], *, root: str, marker_path: str, existing: Existing) -> list[Operation]:
    """The operations below `root`, a real path, and the lines written to `marker_path` as markers.

    Raises:
        TraceError: a file below root was changed in a way that can't be replayed.
    """
    every = list(events)
    interpreter = _Interpreter(root, marker_path, existing, [e for e in every if isinstance(e, Call)])
    for event in every:
        interpreter.take(event)
    return interpreter.operations


class _Interpreter:
    def __init__(self, root: str, marker_path: str, existing: Existing, calls: list[Call]) -> None:
        self.operations: list[Operation] = [existing]
        self._ended = [-1]  # of each operation's call
        self._names = Namespace(root, existing)
        self._marker_path = marker_path
        self._processes: dict[int, TracedProcess] = {}
        self._forks = {call.result: call for call in calls if call.name in FORKS and call.result > 0}
        self._handlers = self._handler_table()

    def _handler_table(self) -> dict[str, Callable[[Call, TracedProcess], None]]:
        return {
            **dict.fromkeys(("open", "openat", "openat2", "creat"), self._open),
            **dict.fromkeys(("dup", "dup2", "dup3", "fcntl"), self._duplicate),
            **dict.fromkeys(("write", "writev", "pwrite64", "pwritev", "pwritev2"), self._write),
            **dict.fromkeys(("read", "readv"), self._read),
            **dict.fromkeys(("rename", "renameat", "renameat2"), self._rename),
            **dict.fromkeys(("unlink", "unlinkat", "rmdir"), self._unlink),
            **dict.fromkeys(("mkdir", "mkdirat"), self._make_directory),
            **dict.fromkeys(("link", "linkat"), self._link),
            **dict.fromkeys(("symlink", "symlinkat"), self._refuse_symlink),
            **dict.fromkeys(("fsync", "fdatasync"), self._sync),
            **dict.fromkeys(("sync", "syncfs"), self._sync_all),
            **dict.fromkeys(("sendfile", "copy_file_range", "splice", "mmap"), self._refuse_unseen_data),
            **dict.fromkeys(("chdir", "fchdir"), self._change_directory),
            **dict.fromkeys(FORKS, self._fork),
            "close": lambda call, process: process.hold(_number(call), None, closed_on_exec=False),
            "execve": self._execute,
            "lseek": self._seek,
            "ftruncate": self._truncate_open,
            "truncate": self._truncate,
            "fallocate": self._allocate,
            "io_uring_setup": self._refuse_ring,
        }

    def take(self, event: Event) -> None:
        if isinstance(event, Mark):
            self._emit(Marker(event.text), event.ended)
        elif isinstance(event, Exit):
            self._processes.pop(event.pid, None)
        elif event.result >= 0:
            process = self._process(event.pid)
            first = event.arguments[0]
            if first.startswith("AT_FDCWD"):
                process.directory = descriptor(first)[1]
            self._handlers[event.name](event, process)

    def _emit(self, operation: Operation, ended: int) -> None:
        self._names.apply(operation)
        self.operations.append(operation)
        self._ended.append(ended)

    # Processes

    def _process(self, pid: int) -> TracedProcess:
        """A child's first call may stand before the return of the fork that made it."""
        if pid not in self._processes:
            fork = self._forks.get(pid)
            parent = self._process(fork.pid) if fork else TracedProcess()
            shares_files = bool(fork and "CLONE_FILES" in fork.text)
            self._processes[pid] = parent if shares_files else parent.forked()
        return self._processes[pid]

    def _fork(self, call: Call, _process: TracedProcess) -> None:
        self._process(call.result)

    def _execute(self, call: Call, process: TracedProcess) -> None:
        self._processes[call.pid] = process.executed()

    def _change_directory(self, call: Call, process: TracedProcess) -> None:
        paths = self._paths(call, process)
        process.directory = paths[0] if paths else descriptor(call.arguments[0])[1]

    def _paths(self, call: Call, process: TracedProcess) -> list[str]:
        """Each path argument, absolute, with the directory descriptor before it taken into account."""
        paths, directory = [], process.directory
        strings = iter(call.strings())
        for argument in call.arguments:
            if argument.startswith('"'):
                paths.append(os.path.join(directory, os.fsdecode(next(strings))))  # noqa: PTH118 - kept as text
                directory = process.directory
            else:
                directory = descriptor(argument)[1] or process.directory
        return paths

    # Descriptors

    def _file(self, argument: str, process: TracedProcess) -> OpenFile | None:
        number, path = descriptor(argument)
        file = process.files.get(number) if number is not None else None
        if not file and path and self._names.covers(path):
            raise TraceError(f"{path} is used through a descriptor whose opening was not traced")
        return file

    def _open(self, call: Call, process: TracedProcess) -> None:
        path = descriptor(call.outcome)[1]
        flags = set(re.findall(r"O_\w+", call.text)) | ({"O_CREAT", "O_TRUNC"} if call.name == "creat" else set())
        file = None
        if path and self._names.covers(path):
            if flags & {"O_SYNC", "O_DSYNC", "O_TMPFILE"}:
                raise TraceError(f"{path} is opened with flags that aren't modelled: {sorted(flags)}")
            file = OpenFile(self._opened(path, flags, call.ended), "O_APPEND" in flags)
        process.hold(call.result, file, closed_on_exec="O_CLOEXEC" in flags)

    def _opened(self, path: str, flags: set[str], ended: int) -> Node:
        node = self._names.find(path)
        if node is None and "O_CREAT" in flags:
            node = self._names.new_node(is_directory=False)
            self._enter(path, node, ended)
        elif node is None:
            raise TraceError(f"{path} was opened, but nothing in the trace made it")
        elif "O_TRUNC" in flags and self._names.sizes[node]:
            self._emit(Truncate(node, 0), ended)
        return node

    def _duplicate(self, call: Call, process: TracedProcess) -> None:
        if call.name == "fcntl" and not call.arguments[1].startswith("F_DUPFD"):
            return
        file = process.files.get(_number(call))
        process.hold(call.result, file, closed_on_exec="CLOEXEC" in call.text)

    def _seek(self, call: Call, process: TracedProcess) -> None:
        if file := process.files.get(_number(call)):
            file.offset = call.result

    def _read(self, call: Call, process: TracedProcess) -> None:
        if file := process.files.get(_number(call)):
            file.offset += call.result

    # Data

    def _write(self, call: Call, process: TracedProcess) -> None:
        if descriptor(call.arguments[0])[1] == self._marker_path:
            for text in b"".join(call.strings()).decode().splitlines():
                self._emit(Marker(text), call.ended)
        elif file := self._file(call.arguments[0], process):
            data = b"".join(call.strings())[: call.result]
            position = _explicit_offset(call)
            offset = file.offset if position == _CURRENT_OFFSET else position
            if file.appends:
                offset = self._names.sizes[file.node]
            if position == _CURRENT_OFFSET:
                file.offset = offset + len(data)
            self._emit(Write(file.node, offset, data), call.ended)

    def _truncate_open(self, call: Call, process: TracedProcess) -> None:
        if file := self._file(call.arguments[0], process):
            self._emit(Truncate(file.node, int(call.arguments[1])), call.ended)

    def _truncate(self, call: Call, process: TracedProcess) -> None:
        for path in self._covered(call, process):
            self._emit(Truncate(self._names.get(path), int(call.arguments[1])), call.ended)

    def _allocate(self, call: Call, process: TracedProcess) -> None:
        if file := self._file(call.arguments[0], process):
            _, mode, offset, length = call.arguments
            if mode not in {"0", "FALLOC_FL_KEEP_SIZE"}:
                raise TraceError(f"fallocate with {mode} isn't modelled")
            end = int(offset) + int(length)
            if mode == "0" and end > self._names.sizes[file.node]:
                self._emit(Truncate(file.node, end), call.ended)

    def _sync(self, call: Call, process: TracedProcess) -> None:
        if file := self._file(call.arguments[0], process):
            self._emit(Sync(file.node, bisect_left(self._ended, call.began)), call.ended)

    def _sync_all(self, call: Call, _process: TracedProcess) -> None:
        self._emit(SyncAll(bisect_left(self._ended, call.began)), call.ended)

    # Names

    def _covered(self, call: Call, process: TracedProcess) -> list[str]:
        return [path for path in self._paths(call, process) if self._names.covers(path)]

    def _enter(self, path: str, node: Node | None, ended: int) -> None:
        directory, name = self._names.place(path)
        self._emit(Entries(directory, ((name, node),)), ended)

    def _make_directory(self, call: Call, process: TracedProcess) -> None:
        for path in self._covered(call, process):
            self._enter(path, self._names.new_node(is_directory=True), call.ended)

    def _unlink(self, call: Call, process: TracedProcess) -> None:
        for path in self._covered(call, process):
            self._names.get(path)
            self._enter(path, None, call.ended)

    def _link(self, call: Call, process: TracedProcess) -> None:
        if self._covered(call, process):
            source, target = self._paths(call, process)
            self._enter(target, self._names.get(source), call.ended)

    def _rename(self, call: Call, process: TracedProcess) -> None:
        if not self._covered(call, process):
            return
        if "RENAME_EXCHANGE" in call.text:
            raise TraceError("an exchange of names isn't modelled")
        source, target = self._paths(call, process)
        node = self._names.get(source)
        (old_directory, old_name), (new_directory, new_name) = self._names.place(source), self._names.place(target)
        if self._names.find(target) == node:
            return
        if old_directory == new_directory:
            self._emit(Entries(new_directory, ((old_name, None), (new_name, node))), call.ended)
        else:
            self._emit(Entries(new_directory, ((new_name, node),)), call.ended)
            self._emit(Entries(old_directory, ((old_name, None),)), call.ended)

    # What can't be replayed must not go unseen

    def _refuse_symlink(self, call: Call, process: TracedProcess) -> None:
        if self._names.covers(self._paths(call, process)[-1]):
            raise TraceError("symbolic links aren't modelled")

    def _refuse_unseen_data(self, call: Call, process: TracedProcess) -> None:
        place = {"sendfile": 0, "copy_file_range": 2, "splice": 2, "mmap": 4}[call.name]
        writes = call.name != "mmap" or ("MAP_SHARED" in call.text and "PROT_WRITE" in call.text)
        if writes and self._file(call.arguments[place], process):
            raise TraceError(f"{call.name} changes {call.arguments[place]} without the data being seen")

    def _refuse_ring(self, _call: Call, _process: TracedProcess) -> None:
        raise TraceError("io_uring does its input and output out of sight")


def _number(call: Call) -> int:
    """The descriptor that is a call's first argument, decoded or raw."""
    return int(call.arguments[0].partition("<")[0], 0)


def _explicit_offset(call: Call) -> int:
    arguments = call.arguments
    if call.name == "pwritev2":
        if arguments[-1] != "0":
            raise TraceError(f"pwritev2 with {arguments[-1]} isn't modelled")
        return int(arguments[-2])
    return int(arguments[-1]) if call.name in {"pwrite64", "pwritev"} else _CURRENT_OFFSET
