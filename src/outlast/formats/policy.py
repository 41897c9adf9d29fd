"""Values that a format can't carry: found, judged by the export's policy, counted."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Protocol

from outlast.errors import ExportFailedError, FailureCode
from outlast.formats.numbers import not_finite
from outlast.formats.options import FileOptions
from outlast.formats.report import Report

LONE_SURROGATES = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
NO_SPREADSHEET = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What a spreadsheet can't hold: what XML 1.0 has no way to write (section 2.2)."""


class Judge(Protocol):
    """Decides about what a format can't carry."""

    def text(self, value: str) -> str:
        """Give `value` as text that UTF-8 can carry."""
        ...

    def stand_in(self, why: str, instead: str = REPLACEMENT) -> str:
        """Give the text that is written for a value that can't be; `why` says what is wrong without showing it."""
        ...

    def not_finite(self, value: float | Decimal) -> str | None:
        """Give the text that is written for NaN or an infinity; None is null."""
        ...


class CellJudge(Judge, Protocol):
    """Decides about the text of a whole cell, too."""

    def held(self, value: str) -> str:
        """Give `value` as text that a spreadsheet can hold."""
        ...

    def note(self, code: str) -> None:
        """Count a value that was changed."""
        ...


class UnencodableError(ValueError):
    """Somewhere in a batch is a value that the format can't carry, or one that must be counted where it stands."""


class Strict:
    """Lets nothing pass, at no cost: text is not looked at, since encoding it will fail."""

    def text(self, value: str) -> str:
        """Give `value` as it is."""
        return value

    def held(self, value: str) -> str:
        """Give `value` as it is, if a spreadsheet can hold it."""
        return self.stand_in("") if NO_SPREADSHEET.search(value) else value

    def stand_in(self, why: str, instead: str = REPLACEMENT) -> str:  # noqa: ARG002 - as Judge has it
        """Raise UnencodableError."""
        raise UnencodableError(why)

    def not_finite(self, value: float | Decimal) -> str | None:  # noqa: ARG002 - as Judge has it
        """Raise UnencodableError."""
        return self.stand_in("a number that is not finite")

    def note(self, code: str) -> None:
        """Raise UnencodableError."""
        self.stand_in(code)


class Policy:
    """Applies an export's policies at the current `row` (counted from 1; 0 is the header) and `column`."""

    def __init__(self, options: FileOptions, report: Report) -> None:
        """Count in that report."""
        self.row = 0
        self.column = ""
        self._options = options
        self._report = report

    def text(self, value: str) -> str:
        """Give `value` as text that UTF-8 can carry. Raises ExportFailedError under the policy "fail"."""
        return self._without(LONE_SURROGATES, value, "text that is not Unicode")

    def held(self, value: str) -> str:
        """Give `value` as text that a spreadsheet can hold. Raises ExportFailedError under the policy "fail"."""
        why = (
            "text that is not Unicode" if LONE_SURROGATES.search(value) else "a character that a spreadsheet can't hold"
        )
        return self._without(NO_SPREADSHEET, value, why)

    def stand_in(self, why: str, instead: str = REPLACEMENT) -> str:
        """Give `instead`, and note it. Raises ExportFailedError UNENCODABLE_VALUE under the policy "fail"."""
        if self._options.unencodable == "fail":
            self._fail(why)
        self.note("replaced")
        return instead

    def not_finite(self, value: float | Decimal) -> str | None:
        """Give its name, or None for null, by the policy `non_finite`. Raises ExportFailedError under "fail"."""
        if self._options.non_finite == "fail":
            self._fail("a number that is not finite")
        self.note(f"non_finite_{self._options.non_finite}")
        return None if self._options.non_finite == "null" else not_finite(value)

    def note(self, code: str) -> None:
        """Count a value that was changed."""
        self._report.note(code, self.column, self.row)

    def _without(self, forbidden: re.Pattern[str], value: str, why: str) -> str:
        if not forbidden.search(value):
            return value
        if self._options.unencodable == "hex":
            self.note("hex")
            return _bytes_of(value).hex()
        return self.stand_in(why, forbidden.sub(REPLACEMENT, value))

    def _fail(self, why: str) -> None:
        place = f"row {self.row}" if self.row else "the header"
        raise ExportFailedError(FailureCode.UNENCODABLE_VALUE, f"{place}, column {self.column!r}: {why}")


def _bytes_of(text: str) -> bytes:
    """Give back the bytes that were no UTF-8 when `text` was read; other lone surrogates as UTF-8 would write them."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
