"""Text that a spreadsheet would run as a formula, and what disarms it."""

from __future__ import annotations

import re

from outlast.formats.options import FileOptions

FORMULA_STARTS = "=+-@\t\r\n\0\uff1d\uff0b\uff0d\uff20"
"""What begins a formula, spaces before it aside, or is dropped before one: CWE-1236, OWASP's "CSV Injection" and
ASVS 1.2.10; and the same characters in full width, which some spreadsheets take for them."""

FORMULA = re.compile(f" *[{re.escape(FORMULA_STARTS)}]")
"""Matches text that is to be guarded."""

GUARD = "'"


def guards_formulas(options: FileOptions) -> bool:
    """Whether CSV and TSV guard formulas: by choice, and in the dialect `excel` unless refused."""
    return options.formulas == "guard" or (options.formulas is None and options.csv_dialect == "excel")
