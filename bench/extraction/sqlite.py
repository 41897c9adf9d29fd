"""CSV and JSON Lines out of SQLite, beside `sqlite3 -csv` of the same statement."""

from __future__ import annotations

from bench.extraction import programs, tables
from bench.extraction.contest import Contender, Contest
from bench.extraction.readback import check_csv, check_jsonl
from bench.extraction.stage import Stage, sqlite_sql
from bench.extraction.tables import COLUMNS, JOINED_COLUMNS, SQLITE
from bench.extraction.turns import Ours

SLOW_ROUNDS = 2
WARM = (("strict_first", "csv"), ("strict_first", "jsonl"))


def measure(stage: Stage) -> None:
    """Whole tables, then statements that join and sort."""
    _walks(stage)
    _statements(stage)


def _walks(stage: Stage) -> None:
    strict, guarded, target = stage.strict, stage.guarded, stage.directory / "other"
    statement = sqlite_sql(tables.walk(SQLITE))
    with stage.worker(*WARM) as works:
        ours = Ours(works)
        contest = Contest(
            f"SQLite, {stage.rows:,} rows, a whole table",
            [
                Contender("sqlite3 -csv", lambda: programs.sqlite_csv(strict, statement, target)),
                Contender("strict, csv", ours("strict_walk", "csv")),
                Contender("not strict, csv", ours("guarded_walk", "csv")),
                Contender("strict, jsonl", ours("strict_walk", "jsonl")),
                Contender("general path, csv", ours("strict_decorated", "csv")),
                _other("cursor_csv", stage, statement),
                *(
                    _other(way, stage, statement, SLOW_ROUNDS)
                    for way in ("dict_csv", "orm_csv", "sqlalchemy_csv", "adbc_csv", "orjson_jsonl")
                ),
            ],
        )
        contest.hold(stage.rounds)
        contest.show(stage.report)
        for name in ("strict_walk", "strict_decorated"):
            stage.read_back(ours.last(name, "csv"), check_csv, strict, statement, COLUMNS)
        stage.read_back(ours.last("guarded_walk", "csv"), check_csv, guarded, statement, COLUMNS)
        stage.read_back(ours.last("strict_walk", "jsonl"), check_jsonl, strict, statement, COLUMNS)
    note = stage.report.note
    note("csv_sqlite_strict_walk", contest.ratio("strict, csv", "sqlite3 -csv"))
    note("csv_sqlite_guarded_walk", contest.ratio("not strict, csv", "sqlite3 -csv"))
    note("jsonl_sqlite_strict", contest.ratio("strict, jsonl", "sqlite3 -csv"))
    note("general_vs_csv_writer", contest.ratio("general path, csv", "cursor_csv"))


def _other(way: str, stage: Stage, statement: str, rounds: int = 10**6) -> Contender:
    target = stage.directory / "other"
    return Contender(way, lambda: programs.python(way, str(stage.strict), statement, target), rounds)


def _statements(stage: Stage) -> None:
    strict, target = stage.strict, stage.directory / "other"
    join, order = sqlite_sql(tables.joined(SQLITE)), sqlite_sql(tables.in_order(SQLITE))
    with stage.worker(*WARM) as works:
        ours = Ours(works)
        joining = Contest(
            "SQLite, joined, filtered and computed",
            [
                Contender("sqlite3 -csv", lambda: programs.sqlite_csv(strict, join, target)),
                Contender("ours", ours("strict_join", "csv")),
            ],
        )
        sorting = Contest(
            "SQLite, sorted without an index",
            [
                Contender("sqlite3 -csv", lambda: programs.sqlite_csv(strict, order, target)),
                Contender("ours", ours("strict_in_order", "csv")),
            ],
        )
        for contest, name in ((joining, "csv_sqlite_select"), (sorting, "csv_sqlite_sorted")):
            contest.hold(stage.rounds)
            contest.show(stage.report)
            stage.report.note(name, contest.ratio("ours", "sqlite3 -csv"))
        stage.read_back(ours.last("strict_join", "csv"), check_csv, strict, join, JOINED_COLUMNS)
        stage.read_back(ours.last("strict_in_order", "csv"), check_csv, strict, order, COLUMNS)
