"""What the text formats share: a quick way for batches without trouble, and a careful one that finds the culprit."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, TypeAlias

from outlast.formats.base import PieceEncoder, Row
from outlast.formats.cells import Cells
from outlast.formats.columns import BARE, Columns
from outlast.formats.formulas import FORMULA
from outlast.formats.options import FileOptions
from outlast.formats.policy import CellJudge, Policy, Strict
from outlast.formats.report import Report
from outlast.formats.rowtext import Page
from outlast.formats.shape import Shape

WriteLine: TypeAlias = Callable[..., str]

_HOLE = "\0"  # no template has it: names are escaped in JSON, and in CSV they stand in the header only


def line_writer(template: str, values: int) -> WriteLine:
    """Compile a template with %s to a function of so many values: the fastest way to join text of known places.

    The source holds made names only; what stands between the values is given to it as globals.
    """
    between = (template % ((_HOLE,) * values)).split(_HOLE)
    arguments = [f"value{number}" for number in range(values)]
    body = "".join([f"{{{value}}}{{between{number}}}" for number, value in enumerate(arguments, 1)])
    source = f"lambda {','.join(arguments)}: f'{{between0}}{body}'"
    names = {f"between{number}": text for number, text in enumerate(between)}
    write: WriteLine = eval(source, names)  # noqa: S307
    return write


class TextEncoder(PieceEncoder):
    """Writes each row as one line of UTF-8."""

    content_type: ClassVar[str]
    extension: ClassVar[str]

    def __init__(self, shape: Shape, options: FileOptions) -> None:
        """Write rows of that shape."""
        self.shape = shape
        self.options = options
        self.columns = shape.names
        self._rows = 0
        self._report = Report()
        self._policy = Policy(options, self._report)
        self._quick_cells = self.cells(Strict())
        self._careful_cells = self.cells(self._policy)
        self._columns = self.quick_columns(self._quick_cells)
        self._lines: dict[tuple[str, ...], WriteLine] = {}
        self._line = self.line([BARE] * len(self.columns))

    @abstractmethod
    def cells(self, judge: CellJudge) -> Cells:
        """Give the writers of each type; `judge` decides about what they can't write."""

    @abstractmethod
    def quick_columns(self, cells: Cells) -> Columns:
        """Give the writer of whole columns, which writes by those cells what it doesn't know."""

    @abstractmethod
    def line(self, patterns: Sequence[str]) -> str:
        """Give a row's template out of its cells'."""

    def begin(self) -> bytes:
        """Nothing stands before the first row."""
        return b""

    def encode(self, batch: Sequence[Row]) -> bytes:
        """Give the rows' bytes. Raises ExportFailedError UNENCODABLE_VALUE, naming row and column, under "fail"."""
        try:
            data = self._encode_quickly(batch)
        except ValueError:  # UnencodableError, UnicodeEncodeError, and an integer of too many digits
            data = b"".join([self._encode_carefully(row, number) for number, row in enumerate(batch, self._rows + 1)])
        self._rows += len(batch)
        return data

    def take(self, page: Page) -> bytes:
        """Give the page as it is: who read it knows it to be UTF-8."""
        self._rows += page.rows
        return page.data

    def end(self) -> Iterable[bytes]:
        """Nothing stands after the last row."""
        return ()

    @property
    def warnings(self) -> tuple[dict[str, Any], ...]:
        """What was changed so far: `code`, `column`, `count`, and `first_rows`, the numbers of the first of them."""
        return self._report.warnings

    def _encode_quickly(self, batch: Sequence[Row]) -> bytes:
        if not batch:
            return b""
        columns = [self._columns.write(values) for values in zip(*batch, strict=True)]
        patterns = tuple([column.pattern for column in columns])
        write = self._lines.get(patterns) or self._lines.setdefault(
            patterns, line_writer(self.line(patterns), len(patterns))
        )
        data = "".join(map(write, *[column.values for column in columns])).encode()
        self._note_guarded(batch, [number for number, column in enumerate(columns) if column.guarded])
        return data

    def _note_guarded(self, batch: Sequence[Row], columns: Sequence[int]) -> None:
        for number, row in enumerate(batch if columns else (), self._rows + 1):
            for column in columns:
                if row[column] is not None and FORMULA.match(row[column]):
                    self._report.note("guarded", self.columns[column], number)

    def _encode_carefully(self, row: Row, number: int) -> bytes:
        self._policy.row = number
        written: list[str] = []
        for column, value in zip(self.columns, row, strict=True):
            self._policy.column = column
            written.append(self._careful_cells[type(value)](value))
        return (self._line % tuple(written)).encode()
