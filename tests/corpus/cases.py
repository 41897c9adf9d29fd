"""Which files are made of the corpus: for each table the formats, under the options that make a difference there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from outlast.formats import FileOptions

EVERY_FORMAT = ("csv", "tsv", "jsonl", "json", "parquet", "arrow", "xlsx")

OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "": {},
    "excel": {"csv_dialect": "excel"},
    "excel-keep": {"csv_dialect": "excel", "formulas": "keep"},
    "excel-semicolon": {"csv_dialect": "excel", "csv_delimiter": ";", "csv_decimal_mark": ","},
    "excel-replace": {"csv_dialect": "excel", "unencodable": "replace"},
    "excel-hex": {"csv_dialect": "excel", "unencodable": "hex"},
    "minimal": {"csv_quoting": "minimal"},
    "minimal-pipe": {"csv_quoting": "minimal", "csv_delimiter": "|"},
    "guard": {"formulas": "guard"},
    "guard-base64": {"formulas": "guard", "binary": "base64"},
    "base64": {"binary": "base64"},
    "comma": {"csv_delimiter": "\t", "csv_decimal_mark": ","},
    "berlin": {"time_zone": "Europe/Berlin"},
    "kolkata": {"time_zone": "Asia/Kolkata"},
    "numbers-as-text": {"json_numbers": "text"},
    "replace": {"unencodable": "replace"},
    "hex": {"unencodable": "hex"},
    "not-finite-text": {"non_finite": "text"},
    "not-finite-null": {"non_finite": "null"},
    "mismatch-text": {"mismatch": "text"},
    "mismatch-cast": {"mismatch": "cast"},
    "parts": {"part_rows": 4},
}
"""Options of files by the name that stands in a file's name."""

SHEET_ROWS = 8
"""A sheet's rows, the header one of them, in the case that is called "sheets"."""


@dataclass(frozen=True, slots=True)
class Case:
    """One file: a table in a format, under options by their name."""

    database: str
    table: str
    format: str
    policy: str = ""

    @property
    def stem(self) -> str:
        """The name that tells it from the others of its database."""
        return "-".join(filter(None, (self.table, self.format, self.policy)))

    @property
    def options(self) -> FileOptions:
        """How it is written."""
        return FileOptions(**OPTIONS.get(self.policy, {}))


@dataclass(frozen=True, slots=True)
class Plan:
    """What is made of a table; `fails` are cases that say where they fail, in place of a file."""

    plain: Sequence[str] = EVERY_FORMAT
    more: Mapping[str, Sequence[str]] = field(default_factory=dict)
    fails: Mapping[str, Sequence[str]] = field(default_factory=dict)


_NEEDS_TEXT_POLICY = Plan(
    plain=(),
    more={
        "csv": ("replace", "hex", "excel-hex"),
        **dict.fromkeys(("jsonl", "parquet", "xlsx"), ("replace", "hex")),
    },
    fails=dict.fromkeys(EVERY_FORMAT, ("",)),
)  # fmt: skip

SQLITE: Mapping[str, Plan] = {
    "texts": Plan(
        more={
            "csv": ("excel", "excel-keep", "excel-semicolon", "minimal", "minimal-pipe", "guard", "parts"),
            "tsv": ("minimal",),
            "xlsx": ("sheets",),
        }
    ),
    "controls": Plan(
        plain=("csv", "tsv", "jsonl", "json", "parquet", "arrow"),
        more={"csv": ("excel-replace", "excel-hex", "guard"), "xlsx": ("replace", "hex")},
        fails={"csv": ("excel",), "xlsx": ("",)},
    ),
    "broken": _NEEDS_TEXT_POLICY,
    "numbers": Plan(more={"csv": ("excel-semicolon", "comma", "minimal"), "jsonl": ("numbers-as-text",)}),
    "infinite": Plan(
        plain=("csv", "tsv", "parquet", "arrow"),
        more=dict.fromkeys(("jsonl", "xlsx"), ("not-finite-text", "not-finite-null")),
        fails={"jsonl": ("",), "json": ("",), "xlsx": ("",)},
    ),
    "decimals": Plan(more={"csv": ("excel-semicolon",), "jsonl": ("numbers-as-text",)}),
    "days": Plan(more={"csv": ("minimal",)}),
    "moments": Plan(
        more={"csv": ("berlin", "kolkata"), "jsonl": ("berlin", "kolkata"), "xlsx": ("berlin",), "parquet": ("berlin",)}
    ),
    "documents": Plan(
        more={"csv": ("base64", "guard-base64", "excel", "minimal"), "jsonl": ("base64",), "xlsx": ("base64",)}
    ),
    "anything": Plan(more={"csv": ("base64", "minimal")}),
    "scraps": Plan(
        plain=(),
        more=dict.fromkeys(("csv", "jsonl", "parquet", "xlsx"), ("replace", "hex")),
        fails=dict.fromkeys(EVERY_FORMAT, ("",)),
    ),
    "mixed": Plan(
        plain=(),
        more=dict.fromkeys(("csv", "jsonl", "parquet", "xlsx"), ("mismatch-text", "mismatch-cast")),
        fails=dict.fromkeys(EVERY_FORMAT, ("",)),
    ),
    "empty": Plan(more={"csv": ("excel", "parts")}),
    "single": Plan(more={"csv": ("minimal",)}),
    "names": Plan(more={"csv": ("excel", "minimal")}),
}
"""What is made of each table of sqlite.sql."""

_ZONES = ("berlin", "kolkata")

POSTGRESQL: Mapping[str, Plan] = {
    "texts": Plan(more={"csv": ("excel", "minimal", "guard"), "tsv": ("minimal",)}),
    "controls": Plan(
        plain=("csv", "tsv", "jsonl", "json", "parquet", "arrow"),
        more={"csv": ("excel-replace", "guard"), "xlsx": ("replace", "hex")},
        fails={"csv": ("excel",), "xlsx": ("",)},
    ),
    "kinds_of_text": Plan(more={"csv": ("excel", "guard", "minimal")}),
    "numbers": Plan(more={"csv": ("excel-semicolon", "comma"), "jsonl": ("numbers-as-text",)}),
    "infinite": Plan(
        plain=("csv", "tsv"),
        more=dict.fromkeys(("jsonl", "json", "xlsx"), ("not-finite-text", "not-finite-null")),
        fails={"jsonl": ("",), "json": ("",), "xlsx": ("",)},
    ),
    "decimals": Plan(more={"csv": ("excel-semicolon", "comma"), "jsonl": ("numbers-as-text",)}),
    "days": Plan(),
    "moments": Plan(more={"csv": _ZONES, "jsonl": _ZONES, "xlsx": ("berlin",), "parquet": ("berlin",)}),
    "beyond": Plan(
        plain=("csv", "tsv", "jsonl", "json", "xlsx"),
        more={
            "csv": ("excel", "berlin", "guard"),
            "jsonl": ("berlin",),
            "parquet": ("replace",),
            "arrow": ("replace",),
        },
        fails={"parquet": ("",), "arrow": ("",)},
    ),
    "documents": Plan(
        more={"csv": ("base64", "guard-base64", "excel", "minimal"), "jsonl": ("base64",), "xlsx": ("base64",)}
    ),
    "empty": Plan(),
    "single": Plan(more={"csv": ("minimal",)}),
    "names": Plan(more={"csv": ("excel",)}),
}
"""What is made of each table of postgresql.sql."""

PLANS = {"sqlite": SQLITE, "postgresql": POSTGRESQL}


def cases(database: str, plans: Mapping[str, Plan]) -> Iterator[Case]:
    """Give the cases that become files."""
    for table, plan in plans.items():
        yield from (Case(database, table, name) for name in plan.plain)
        yield from (Case(database, table, name, policy) for name, policies in plan.more.items() for policy in policies)


def failures(database: str, plans: Mapping[str, Plan]) -> Iterator[Case]:
    """Give the cases that fail."""
    for table, plan in plans.items():
        yield from (Case(database, table, name, policy) for name, policies in plan.fails.items() for policy in policies)
