"""Parquet and XLSX: beside the databases' own CSV tools and what others write them with."""

from __future__ import annotations

from bench.extraction import programs, tables
from bench.extraction.contest import Contender, Contest
from bench.extraction.readback import check_parquet, check_xlsx
from bench.extraction.stage import Stage, postgresql_sql, sqlite_sql
from bench.extraction.tables import COLUMNS, POSTGRESQL, SQLITE
from bench.extraction.turns import Ours

SLOW_ROUNDS = 2
SHEET_ROWS = 100_000


def parquet(stage: Stage) -> None:
    """Out of both databases."""
    if not stage.has("parquet"):
        return
    url, strict, target = stage.postgresql, stage.strict, stage.directory / "other"
    statement, select = sqlite_sql(tables.walk(SQLITE)), postgresql_sql(tables.walk(POSTGRESQL))
    with stage.worker(("strict_first", "parquet"), ("postgresql_first", "parquet"), postgresql=True) as works:
        ours = Ours(works)
        contest = Contest(
            f"SQLite to Parquet, {stage.rows:,} rows",
            [
                Contender("sqlite3 -csv", lambda: programs.sqlite_csv(strict, statement, target)),
                Contender("ours", ours("strict_walk", "parquet")),
                Contender("ours, not strict", ours("guarded_walk", "parquet")),
                *(
                    Contender(way, lambda way=way: programs.python(way, str(strict), statement, target), SLOW_ROUNDS)  # type: ignore[misc]
                    for way in ("adbc_parquet", "cursor_parquet")
                ),
            ],
        )
        contest.hold(stage.rounds)
        contest.show(stage.report)
        stage.report.note("parquet_sqlite", contest.ratio("ours", "sqlite3 -csv"))
        stage.read_back(ours.last("strict_walk", "parquet"), check_parquet, strict, statement, COLUMNS)
        contest = Contest(
            f"PostgreSQL to Parquet, {stage.rows:,} rows",
            [
                Contender("psql \\copy", lambda: programs.psql_copy(url, select, target)),
                Contender("ours", ours("postgresql_walk", "parquet")),
                Contender("adbc_parquet", lambda: programs.python("adbc_parquet", url, select, target), SLOW_ROUNDS),
            ],
        )
        contest.hold(stage.rounds)
        contest.show(stage.report)
        stage.report.note("parquet_postgresql", contest.ratio("ours", "psql \\copy"))
        stage.read_back(ours.last("postgresql_walk", "parquet"), check_parquet, url, select, COLUMNS)


def xlsx(stage: Stage) -> None:
    """A tenth of the rows at most: a sheet holds a million."""
    if not stage.has("xlsx"):
        return
    count, strict, target = min(stage.rows, SHEET_ROWS), str(stage.strict), stage.directory / "other"
    statement = sqlite_sql(tables.first(SQLITE, count))
    with stage.worker(("strict_first", "xlsx")) as works:
        ours = Ours(works)
        contest = Contest(
            f"SQLite to XLSX, {count:,} rows",
            [
                Contender(
                    "XlsxWriter, constant memory",
                    lambda: programs.python("xlsxwriter_constant", strict, statement, target),
                ),
                Contender("ours", ours("strict_first", "xlsx", rows=count)),
            ],
        )
        contest.hold(stage.rounds)
        contest.show(stage.report)
        stage.report.note("xlsx_vs_xlsxwriter", contest.ratio("ours", "XlsxWriter, constant memory"))
        stage.read_back(ours.last("strict_first", "xlsx"), check_xlsx, strict, statement, COLUMNS)
