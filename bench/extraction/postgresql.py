r"""CSV out of PostgreSQL, beside `psql \copy` of the same select."""

from __future__ import annotations

from bench.extraction import programs, tables
from bench.extraction.contest import Contender, Contest
from bench.extraction.readback import check_csv
from bench.extraction.stage import Stage, postgresql_sql
from bench.extraction.tables import COLUMNS, JOINED_COLUMNS, POSTGRESQL
from bench.extraction.turns import Ours

SLOW_ROUNDS = 2
TOOL = "psql \\copy"


def measure(stage: Stage) -> None:
    """Whole tables, then statements that join and sort."""
    url, target = stage.postgresql, stage.directory / "other"
    queries = {
        "walk": tables.walk(POSTGRESQL), "join": tables.joined(POSTGRESQL), "in_order": tables.in_order(POSTGRESQL),
    }  # fmt: skip
    figures = {"walk": "csv_postgresql", "join": "csv_postgresql_join", "in_order": "csv_postgresql_sorted"}
    with stage.worker(("postgresql_first", "csv"), postgresql=True) as works:
        ours = Ours(works)
        for name, query in queries.items():
            statement = postgresql_sql(query)
            others = _others(stage, statement) if name == "walk" else []
            contest = Contest(
                f"PostgreSQL, {stage.rows:,} rows, {name.replace('_', ' ')}",
                [
                    Contender(TOOL, lambda statement=statement: programs.psql_copy(url, statement, target)),  # type: ignore[misc]
                    Contender("ours", ours(f"postgresql_{name}", "csv")),
                    *others,
                ],
            )
            contest.hold(stage.rounds)
            contest.show(stage.report)
            stage.report.note(figures[name], contest.ratio("ours", TOOL))
            columns = JOINED_COLUMNS if name == "join" else COLUMNS
            stage.read_back(ours.last(f"postgresql_{name}", "csv"), check_csv, url, statement, columns)


def _others(stage: Stage, statement: str) -> list[Contender]:
    target = stage.directory / "other"
    return [
        Contender(way, lambda way=way, sent=sent: programs.python(way, stage.postgresql, sent, target), SLOW_ROUNDS)  # type: ignore[misc]
        for way, sent in (
            ("cursor_csv", statement),
            ("sqlalchemy_csv", statement),
            ("adbc_csv", _as_text(statement)),
        )
    ]


def _as_text(statement: str) -> str:
    """Give the statement without types for which Arrow's CSV writer knows no text."""
    return statement.replace("people.uid", "people.uid::text").replace("people.amount", "people.amount::text")
