"""A file of columns out of pieces, which are made to columns in a thread while the next ones are read.

Arrow parses, compresses and writes without Python's lock. All judging is done in that thread, in the rows' order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from outlast.formats.base import Piece
from outlast.formats.columnar.files import FILES
from outlast.formats.columnar.gathering import first_rows, gathered
from outlast.formats.columnar.groups import Groups
from outlast.formats.columnar.inference import known
from outlast.formats.options import FileOptions
from outlast.formats.report import Report
from outlast.formats.shape import Kind, Shape

_AHEAD = 1
"""So many pieces wait, beside the one that is being made to columns, while the next is read."""


class ColumnarEncoder:
    """Writes rows as columns of types.

    A column's type is its kind's. What doesn't fit is judged by the policies; where they let it pass, NULL stands in
    its place, counted as "nulled", since a column of numbers or times keeps no text. Decimals whose precision isn't
    declared, or is past 38 digits, are text with every digit. A column of unknown kind takes the kind of the first
    rows' values, and is text where these are of several: later ones are judged as if it were declared.
    """

    def __init__(self, name: str, shape: Shape, options: FileOptions) -> None:
        """Write rows of that shape into a file of that kind."""
        self._kind = FILES[name]
        self.content_type = self._kind.content_type
        self.extension = self._kind.extension
        self._shape = shape
        self._options = options
        self._report = Report()

    def stream(self, pieces: Iterable[Piece]) -> Iterator[bytes]:
        """Give the file's bytes, once.

        Raises ExportFailedError UNENCODABLE_VALUE, naming row and column, under "fail".
        """
        shape = self._shape
        if any(column.kind is Kind.UNKNOWN for column in shape.columns):
            sample, pieces = first_rows(pieces)
            shape = replace(shape, columns=known(shape.columns, sample))
            del sample
        groups = Groups(self._kind, shape, self._options, self._report)
        steps: Iterator[Callable[[], bytes]] = (partial(groups.add, piece) for piece in gathered(pieces))
        yield from _beside(chain(steps, [groups.end]))

    @property
    def warnings(self) -> tuple[dict[str, Any], ...]:
        """What was changed so far: `code`, `column`, `count`, and `first_rows`; in the order of the first rows."""
        names = self._shape.names
        return tuple(
            sorted(self._report.warnings, key=lambda found: (found["first_rows"][0], names.index(found["column"])))
        )


def _beside(steps: Iterable[Callable[[], bytes]]) -> Iterator[bytes]:
    """Take the steps in a thread, one by one, and give their results in order; what a step raises is raised here.

    An error in finding the next step is raised after those of the steps before it.
    """
    with ThreadPoolExecutor(1, "outlast-columns") as worker:
        waiting: deque[Future[bytes]] = deque()
        try:
            for step in _failing_last(steps):
                waiting.append(worker.submit(step))
                if len(waiting) > _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for step_ahead in waiting:
                step_ahead.cancel()


def _failing_last(steps: Iterable[Callable[[], bytes]]) -> Iterator[Callable[[], bytes]]:
    """Give the steps, and a last one that raises what was raised in finding them."""
    try:
        yield from steps
    except Exception as error:  # noqa: BLE001 - raised again, in its turn
        yield partial(_raise, error)


def _raise(error: Exception) -> bytes:
    raise error
