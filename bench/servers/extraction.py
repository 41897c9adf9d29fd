"""An app whose exports read the bench's databases.

Its worker is started as `outlast worker --app bench.servers.extraction:exports`; the jobs are in `BENCH_DATABASE_URL`,
the rows in `BENCH_STRICT_URL`, `BENCH_GUARDED_URL` and `BENCH_POSTGRESQL_URL`.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from sqlalchemy import Table

from bench.extraction import tables
from bench.extraction.tables import COLUMNS, JOINED_COLUMNS, POSTGRESQL, SQLITE, Query
from outlast import Exports
from outlast.formats import FORMATS, FileOptions

OFFERED = tuple(FORMATS)
EXCEL = FileOptions(csv_dialect="excel")
GUARDED = FileOptions(formulas="guard")


def declared(database_url: str, strict_url: str, guarded_url: str, postgresql_url: str) -> Exports:
    """The app's exports, on those databases."""
    exports = Exports(database_url=database_url)

    def declare(name: str, source: str, query: Callable[[], Query], options: FileOptions | None = None) -> None:
        columns = JOINED_COLUMNS if name.endswith("join") else COLUMNS
        made = exports.export(
            name, columns=list(columns), source=source, formats=OFFERED, owner_scoped=False,
            file_options=options or FileOptions(),
        )  # fmt: skip
        made(query)

    def declare_first(name: str, source: str, people: Table) -> None:
        def few(rows: int) -> Query:
            return tables.first(people, rows)

        exports.export(name, columns=list(COLUMNS), source=source, formats=OFFERED, owner_scoped=False)(few)

    declare("strict_walk", strict_url, lambda: tables.walk(SQLITE))
    declare("guarded_walk", guarded_url, lambda: tables.walk(SQLITE))
    declare("strict_join", strict_url, lambda: tables.joined(SQLITE))
    declare("strict_in_order", strict_url, lambda: tables.in_order(SQLITE))
    declare("strict_decorated", strict_url, lambda: tables.decorated(SQLITE))
    declare("strict_excel", strict_url, lambda: tables.walk(SQLITE), EXCEL)
    declare("strict_disarmed", strict_url, lambda: tables.walk(SQLITE), GUARDED)
    declare("postgresql_walk", postgresql_url, lambda: tables.walk(POSTGRESQL))
    declare("postgresql_join", postgresql_url, lambda: tables.joined(POSTGRESQL))
    declare("postgresql_in_order", postgresql_url, lambda: tables.in_order(POSTGRESQL))
    declare_first("strict_first", strict_url, SQLITE)
    declare_first("postgresql_first", postgresql_url, POSTGRESQL)
    return exports


def _url(name: str) -> str:
    return os.environ.get(f"BENCH_{name}_URL", f"sqlite:///{name.lower()}.db")


exports = declared(_url("DATABASE"), _url("STRICT"), _url("GUARDED"), _url("POSTGRESQL"))
