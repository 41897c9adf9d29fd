"""Real processes: started apart, stopped and killed by pid, their output kept and shown when a test fails."""

import os
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp

from tests.support.wait import wait_until

SHOWN_CHARACTERS = 8_000


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on at the moment."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@dataclass(frozen=True, slots=True)
class Process:
    """A program that leads a session and process group of its own; `running` makes one."""

    name: str
    handle: subprocess.Popen[bytes]
    stdout_path: Path
    stderr_path: Path

    @property
    def pid(self) -> int:
        return self.handle.pid

    @property
    def exit_status(self) -> int | None:
        """None while it runs (paused too); negative: the number of the signal that ended it."""
        return self.handle.poll()

    @property
    def stdout(self) -> str:
        return self.stdout_path.read_text(errors="replace")

    @property
    def stderr(self) -> str:
        return self.stderr_path.read_text(errors="replace")

    def send(self, number: signal.Signals) -> None:
        """Signal this process alone, not its children; nothing happens when it has ended."""
        self.handle.send_signal(number)

    def send_to_group(self, number: signal.Signals) -> None:
        """Signal this process and every child that stayed in its group; nothing happens when none is left."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def pause(self) -> None:
        self.send(signal.SIGSTOP)

    def resume(self) -> None:
        self.send(signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL this process alone, and wait until it is gone."""
        self.send(signal.SIGKILL)
        self.handle.wait()

    def wait(self, seconds: float) -> int:
        """The exit status, once it has ended by itself.

        Raises:
            AssertionError: it still runs when the limit is reached.
        """
        wait_until(lambda: self.exit_status is not None, seconds, f"{self.name} to end")
        return self.handle.returncode

    def stop(self, seconds: float = 10) -> int:
        """SIGTERM, then as `wait`."""
        self.send(signal.SIGTERM)
        return self.wait(seconds)

    def wait_for_output(self, text: str, seconds: float) -> None:
        """Return once standard output or error contains `text`.

        Raises:
            AssertionError: the limit was reached, or the process ended without it.
        """

        def printed() -> bool:
            ended = self.exit_status is not None  # asked first: nothing is written after it
            found = text in self.stdout or text in self.stderr
            assert found or not ended, f"{self.name} ended without printing {text!r}"
            return found

        wait_until(printed, seconds, f"{self.name} to print {text!r}")

    def transcript(self) -> str:
        """The end of what it wrote, for a failure's report."""
        status = "still runs" if self.exit_status is None else f"exit status {self.exit_status}"
        return (
            f"--- {self.name} (pid {self.pid}, {status}), standard output:\n{self.stdout[-SHOWN_CHARACTERS:]}\n"
            f"--- {self.name}, standard error:\n{self.stderr[-SHOWN_CHARACTERS:]}"
        )


@contextmanager
def running(
    command: Sequence[str | Path],
    directory: Path,
    *,
    environment: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Iterator[Process]:
    """Run `command` until the block ends, however it ends; then it and what is left of its group are killed.

    An error that leaves the block carries the process's output as a note.

    Args:
        command: the program and its arguments; no shell.
        directory: its working directory, where its output is kept too: a test's `tmp_path`.
        environment: variables set on top of this process's own.
        name: what messages call it; else the program's file name.
    """
    process = _start(command, directory, {**os.environ, **(environment or {})}, name or Path(command[0]).name)
    try:
        yield process
    except BaseException as error:
        error.add_note(process.transcript())
        raise
    finally:
        process.send_to_group(signal.SIGKILL)
        process.handle.wait()


def _start(command: Sequence[str | Path], directory: Path, environment: Mapping[str, str], name: str) -> Process:
    stdout, stdout_path = mkstemp(dir=directory, prefix=f"{name}-", suffix=".stdout")
    stderr, stderr_path = mkstemp(dir=directory, prefix=f"{name}-", suffix=".stderr")
    try:
        handle = subprocess.Popen(
            command,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
    finally:
        os.close(stdout)
        os.close(stderr)
    return Process(name, handle, Path(stdout_path), Path(stderr_path))
