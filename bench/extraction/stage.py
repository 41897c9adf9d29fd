"""What the sections share: the report, how much is measured, and databases and workers that are made when needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from bench.extraction import rows
from bench.extraction.attempts import Whole, Works, working_at
from bench.extraction.tables import POSTGRESQL, SQLITE, Query, sql
from bench.figures import Report
from outlast.formats import FORMATS
from tests.support.postgres import serving

WARM_ROWS = 200
Check: TypeAlias = Callable[[Path, str, str, Sequence[str]], None]
POSTGRESQL_SETTINGS = {"shared_buffers": "512MB", "max_wal_size": "4GB", "work_mem": "64MB"}


@dataclass
class Stage:
    """One run of the bench."""

    report: Report
    rows: int
    rounds: int
    directory: Path
    stack: ExitStack = field(default_factory=ExitStack)
    _workers: int = 0

    @cached_property
    def _files(self) -> tuple[Path, Path]:
        self.report.say(f"Making {self.rows:,} rows in SQLite …")
        return rows.make_sqlite(self.directory, self.rows)

    @property
    def strict(self) -> Path:
        """The SQLite file whose table is STRICT."""
        return self._files[0]

    @property
    def guarded(self) -> Path:
        """The same rows in a table that isn't."""
        return self._files[1]

    @cached_property
    def postgresql(self) -> str:
        """The URL, as libpq wants it, of the same rows in PostgreSQL."""
        server = self.stack.enter_context(serving(settings=POSTGRESQL_SETTINGS))
        self.report.say(f"Making {self.rows:,} rows in PostgreSQL …")
        url = server.url.replace("+psycopg", "")
        rows.make_postgresql(url, self.rows)
        return url

    @contextmanager
    def worker(self, *warm: tuple[str, str], postgresql: bool = False, **settings: Any) -> Iterator[Works]:
        """Run a worker whose child is warm: it has done a few rows of each `(export, format)`."""
        self._workers += 1
        sources = {
            "BENCH_STRICT_URL": f"sqlite:///{self.strict}",
            "BENCH_GUARDED_URL": f"sqlite:///{self.guarded}",
            "BENCH_POSTGRESQL_URL": self.postgresql.replace("://", "+psycopg://") if postgresql else "sqlite:///none",
        }
        with working_at(self.directory / f"worker-{self._workers}", sources, **settings) as works:
            for export, format_ in warm:
                works.run(export, format_, rows=min(self.rows, WARM_ROWS))
            yield works

    def read_back(self, made: Whole, check: Check, source: object, statement: str, columns: Sequence[str]) -> None:
        """Compare a file with its source, and tell and count one that differs."""
        self.report.figures.setdefault("files_that_differ", 0)
        try:
            check(made.path, str(source), statement, columns)
        except AssertionError as error:
            self.report.figures["files_that_differ"] += 1
            self.report.say(f"{made.path.name} of {made.way} differs from its source: {error}")

    def has(self, *formats: str) -> bool:
        """Whether these formats are there; else says so."""
        missing = [name for name in formats if name not in FORMATS]
        if missing:
            self.report.say(f"Left out, since the formats aren't there: {', '.join(missing)}")
        return not missing


def sqlite_sql(query: Query) -> str:
    """Give a statement's SQL for SQLite."""
    return sql(query, SQLITE)


def postgresql_sql(query: Query) -> str:
    """Give a statement's SQL for PostgreSQL."""
    return sql(query, POSTGRESQL)
