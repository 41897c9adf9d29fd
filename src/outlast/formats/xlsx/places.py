"""What a cell can't hold: judged by the export's policies where it stands, and counted."""

from __future__ import annotations

from decimal import Decimal

from outlast.errors import ExportFailedError, FailureCode
from outlast.formats.cells import not_finite
from outlast.formats.options import FileOptions
from outlast.formats.policy import REPLACEMENT
from outlast.formats.report import Report
from outlast.formats.xlsx.escaping import CELL_UNITS, FORBIDDEN, cut, length


class Place:
    """Judges at the current `row` (counted from 1, 0 is the header) and `column`. Its methods raise under "fail"."""

    def __init__(self, options: FileOptions, report: Report) -> None:
        """Begin at the header."""
        self.row = 0
        self.column = ""
        self._options = options
        self._report = report

    def note(self, code: str) -> None:
        """Count a value that was changed."""
        self._report.note(code, self.column, self.row)

    def header(self, name: str) -> str:
        """Give a column's name as a cell holds it."""
        self.column = name
        return self.fitting(self.text(name))

    def stand_in(self, why: str, instead: str = REPLACEMENT) -> str:
        """Give `instead` for a value that can't be written; `why` says what is wrong without showing it."""
        if self._options.unencodable == "fail":
            self._fail(why)
        self.note("replaced")
        return instead

    def text(self, value: str) -> str:
        """Give it as text of which XML can write every character."""
        if not FORBIDDEN.search(value):
            return value
        if self._options.unencodable == "hex":
            self.note("hex")
            return _bytes_of(value).hex()
        return self.stand_in("a character that XML can't hold", FORBIDDEN.sub(REPLACEMENT, value))

    def fitting(self, value: str) -> str:
        """Give as much of it as a cell holds."""
        if len(value) <= CELL_UNITS // 2 or length(value) <= CELL_UNITS:
            return value
        if self._options.unencodable == "fail":
            self._fail(f"text of more than {CELL_UNITS} characters")
        self.note("cut")
        return cut(value)

    def not_finite(self, value: float | Decimal) -> str | None:
        """Give the text that stands for NaN or an infinity; None is an empty cell."""
        policy = self._options.non_finite
        if policy == "fail":
            self._fail("a number that is not finite")
        self.note("non_finite")
        return None if policy == "null" else not_finite(value)

    def _fail(self, why: str) -> None:
        place = f"row {self.row}" if self.row else "the header"
        raise ExportFailedError(FailureCode.UNENCODABLE_VALUE, f"{place}, column {self.column!r}: {why}")


def _bytes_of(text: str) -> bytes:
    """Give back the bytes that were no UTF-8 when `text` was read; other lone surrogates as UTF-8 would write them."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
