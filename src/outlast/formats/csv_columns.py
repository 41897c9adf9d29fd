"""Whole columns of a batch as CSV."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from outlast.formats.cells import Cells
from outlast.formats.columns import BARE, QUOTED, Columns, WriteColumn, Written, common_columns
from outlast.formats.csv_cells import quoting
from outlast.formats.formulas import FORMULA, GUARD
from outlast.formats.policy import NO_SPREADSHEET, UnencodableError
from outlast.formats.rowtext import CsvText
from outlast.formats.shape import FloatSpelling

# Stands between texts that are looked at together. Printable, one byte wide in memory, and rare: where it does occur,
# each text is looked at singly.
_BETWEEN = "\N{BROKEN BAR}"
_NEXT_FORMULA = re.compile(_BETWEEN + FORMULA.pattern)


class CsvColumns(Columns):
    """Writes columns of CSV."""

    def __init__(self, cells: Cells, text: CsvText, floats: FloatSpelling) -> None:
        """Write as that text has it."""
        self._text = text
        self._quote = quoting(text)
        self._excel = text.options.csv_dialect == "excel"
        self._cut = (_BETWEEN * 2, f"{_BETWEEN} ", f" {_BETWEEN}", f"{_BETWEEN}\t", f"\t{_BETWEEN}", '"', "\r", "\n")
        plain = QUOTED if text.quoting == "all" else BARE
        super().__init__(cells, _known(text, floats, plain) | {str: self._texts}, "")

    def _texts(self, texts: Sequence[str]) -> Written:
        together = _BETWEEN.join(texts)
        if self._text.guard_formulas and (FORMULA.match(together) or _NEXT_FORMULA.search(together)):
            texts = [GUARD + text if FORMULA.match(text) else text for text in texts]
            return self._guarded(texts, _BETWEEN.join(texts))._replace(guarded=True)
        return self._guarded(texts, together)

    def _guarded(self, texts: Sequence[str], together: str) -> Written:
        apart = together.count(_BETWEEN) == len(texts) - 1
        if self._excel and not together.isprintable() and NO_SPREADSHEET.search(together):
            raise UnencodableError
        if self._text.quoting == "minimal":
            return Written(BARE, texts if self._stand_bare(together) else list(map(self._quote, texts)))
        if '"' not in together:
            return Written(QUOTED, texts)
        if apart:
            return Written(QUOTED, together.replace('"', '""').split(_BETWEEN))
        return Written(QUOTED, [text.replace('"', '""') for text in texts])

    def _stand_bare(self, together: str) -> bool:
        framed = f"{_BETWEEN}{together}{_BETWEEN}"
        return self._text.delimiter not in framed and not any(cut in framed for cut in self._cut)


def _known(text: CsvText, floats: FloatSpelling, plain: str) -> dict[type, WriteColumn]:
    known = common_columns(text.options, floats, "sql", plain)
    if bytes in known and plain == BARE:
        spelled = known[bytes]
        known[bytes] = lambda values: spelled(values) if all(values) else None  # bare, no bytes would be NULL
    if text.decimal_mark != ".":
        for kind in (float, Decimal):
            known[kind] = _marked(known[kind], text.decimal_mark)
    return known


def _marked(write: WriteColumn, decimal_mark: str) -> WriteColumn:
    def marked(values: Sequence[object]) -> Written | None:
        written = write(values)
        if written is None:
            return None
        together = " ".join(map(str, written.values))
        return written._replace(values=together.replace(".", decimal_mark).split(" "))

    return marked
