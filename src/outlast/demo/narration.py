"""What the demo tells people while it plays: numbered steps, and progress that never claims more than is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from outlast.demo.client import JobDocument

NEARLY = 0.99  # a job that isn't committed is not done, whatever was written


class Narration:
    """Speaks to people on standard output, or keeps quiet."""

    def __init__(self, *, quiet: bool) -> None:
        """Begin at step 1."""
        self._console = Console(quiet=quiet, highlight=False)
        self._step = 0

    def step(self, text: str) -> None:
        """Tell what happens next."""
        self._step += 1
        self._print(f"\n[bold cyan]{self._step}[/] [bold]{escape(text)}[/]")

    def say(self, text: str) -> None:
        """Tell what happened."""
        self._print(f"  {escape(text)}")

    def quote(self, text: str) -> None:
        """Show the output of a command."""
        for line in text.rstrip().splitlines():
            self.say(f"│ {line}")

    def verdict(self, text: str, *, passed: bool) -> None:
        """Tell what was checked, and whether it holds."""
        self._print(f"  {'[bold green]✔[/]' if passed else '[bold red]✘[/]'} {escape(text)}")

    def _print(self, marked_up: str) -> None:
        self._console.print(marked_up, soft_wrap=True)

    @contextmanager
    def counting(self, what: str, total: int) -> Iterator[Callable[[int], None]]:
        """Show how many of `total` there are."""
        with self._progress() as progress:
            bar = progress.add_task(what, total=total)
            yield lambda count: progress.update(bar, completed=count)

    @contextmanager
    def following(self) -> Iterator[Callable[[JobDocument], None]]:
        """Show a job's status, attempt and rows each time it is read."""
        with self._progress() as progress:
            bar = progress.add_task("accepted", total=None)

            def show(job: JobDocument) -> None:
                rows, estimate = job["progress"]["rows"], job["progress"]["estimated_rows"]
                if job["status"] == "succeeded":
                    progress.update(bar, completed=1, total=1, description=f"succeeded: {job['result']['rows']:,} rows")
                    return
                about = f" of about {estimate:,}" if estimate else ""
                text = f"{job['status']}, attempt {job['attempt_count']}: {rows:,}{about} rows"
                share = min(rows / estimate, NEARLY) if estimate else 0
                progress.update(bar, completed=share, total=1 if estimate else None, description=text)

            yield show

    def _progress(self) -> Progress:
        return Progress(TextColumn("  {task.description}"), BarColumn(), TimeElapsedColumn(), console=self._console)
