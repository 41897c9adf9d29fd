"""Values that a format can't carry: found, judged by the export's policy, counted."""

from __future__ import annotations

import re
from typing import Any, Protocol

from outlast.errors import ExportFailedError, FailureCode
from outlast.formats.options import Unencodable

LONE_SURROGATES = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_FIRST_ROWS = 5


class Judge(Protocol):
    """Decides about what a format can't carry."""

    def text(self, value: str) -> str:
        """Give `value` as text that UTF-8 can carry."""
        ...

    def stand_in(self, why: str, instead: str = REPLACEMENT) -> str:
        """Give the text that is written for a value that can't be; `why` says what is wrong without showing it."""
        ...


class UnencodableError(ValueError):
    """Somewhere in a batch is a value that the format can't carry."""


class Strict:
    """Lets nothing pass, at no cost: text is not looked at, since encoding it will fail."""

    def text(self, value: str) -> str:
        """Give `value` as it is."""
        return value

    def stand_in(self, why: str, instead: str = REPLACEMENT) -> str:  # noqa: ARG002 - as Judge has it
        """Raise UnencodableError."""
        raise UnencodableError(why)


class Policy:
    """Applies an export's policy at the current `row` (counted from 1) and `column`."""

    def __init__(self, unencodable: Unencodable) -> None:
        """Begin with nothing to report."""
        self.row = 0
        self.column = ""
        self._unencodable = unencodable
        self._counts: dict[tuple[str, str], int] = {}
        self._first_rows: dict[tuple[str, str], list[int]] = {}

    def text(self, value: str) -> str:
        """Give `value` as text that UTF-8 can carry. Raises ExportFailedError under the policy "fail"."""
        if not LONE_SURROGATES.search(value):
            return value
        if self._unencodable == "hex":
            self._note("hex")
            return _bytes_of(value).hex()
        return self.stand_in("text that is not Unicode", LONE_SURROGATES.sub(REPLACEMENT, value))

    def stand_in(self, why: str, instead: str = REPLACEMENT) -> str:
        """Give `instead`, and note it. Raises ExportFailedError UNENCODABLE_VALUE under the policy "fail"."""
        if self._unencodable == "fail":
            detail = f"row {self.row}, column {self.column!r}: {why}"
            raise ExportFailedError(FailureCode.UNENCODABLE_VALUE, detail)
        self._note("replaced")
        return instead

    def _note(self, code: str) -> None:
        place = (code, self.column)
        self._counts[place] = self._counts.get(place, 0) + 1
        rows = self._first_rows.setdefault(place, [])
        if len(rows) < _FIRST_ROWS and self.row not in rows:
            rows.append(self.row)

    @property
    def warnings(self) -> tuple[dict[str, Any], ...]:
        """What was changed so far, one entry for each code and column."""
        return tuple(
            {"code": code, "column": column, "count": count, "first_rows": self._first_rows[code, column]}
            for (code, column), count in self._counts.items()
        )


def _bytes_of(text: str) -> bytes:
    """Give back the bytes that were no UTF-8 when `text` was read; other lone surrogates as UTF-8 would write them."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
