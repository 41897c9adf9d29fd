"""Each file of the corpus is, to the byte, the one that is kept in `expected/`; on each way, from each driver."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.corpus.cases import OPTIONS, PLANS, Case, cases, failures
from tests.corpus.expected import EXPECTED, REMAKE, expected_failures, expected_warnings, name_of
from tests.corpus.exporting import Database, Made, made, ordered, reading_by_apsw
from tests.corpus.readable import readable

FILES = [case for database, plans in PLANS.items() for case in cases(database, plans)]
FAILURES = [case for database, plans in PLANS.items() for case in failures(database, plans)]


def on_each_way(case: Case, database: Database) -> dict[str, Made]:
    """Make the file as a child does, with values alone, and, on SQLite, by another driver and another plan."""
    with reading_by_apsw():
        found = {way: made(case, database, by_database=way == "database") for way in ("database", "values")}
        if database.name == "sqlite":
            found["row by row"] = made(case, replace(database, select=ordered), by_database=True)
    if database.name == "sqlite":
        found["standard library"] = made(case, database, by_database=True)
    return found


@pytest.mark.parametrize("case", FILES, ids=lambda case: f"{case.database}-{case.stem}")
def test_the_file_is_the_expected_one_on_each_way(case: Case, databases: dict[str, Database]) -> None:
    ways = on_each_way(case, databases[case.database])
    path = EXPECTED / case.database / name_of(case)
    assert path.exists(), REMAKE
    warnings = expected_warnings(case.database).get(path.name, [])
    for way, file in ways.items():
        assert file.failure is None, way
        assert list(file.warnings) == warnings, f"{way}: {REMAKE}"
        assert file.data == ways["database"].data, f"{way} gives other bytes than the way of children"
    assert readable(case.format, ways["database"].data) == path.read_bytes(), REMAKE


@pytest.mark.parametrize("case", FAILURES, ids=lambda case: f"{case.database}-{case.stem}")
def test_what_no_policy_allows_fails_and_says_where(case: Case, databases: dict[str, Database]) -> None:
    ways = on_each_way(case, databases[case.database])
    assert {way: file.failure for way, file in ways.items()} == dict.fromkeys(
        ways, expected_failures(case.database)[case.stem]
    )


def test_every_option_is_used() -> None:
    assert {case.policy for case in FILES} >= set(OPTIONS)


@pytest.mark.parametrize("database", PLANS)
def test_nothing_is_left_over(database: str) -> None:
    kept = {path.name for path in (EXPECTED / database).iterdir()} - {"warnings.json", "failures.json"}
    assert kept == {name_of(case) for case in FILES if case.database == database}
    assert set(expected_warnings(database)) <= kept
    assert set(expected_failures(database)) == {case.stem for case in FAILURES if case.database == database}


VALUES_ALONE = {"sqlite": {"documents", "empty", "scraps"}, "postgresql": set[str]()}
"""Tables that hold kinds which only Python writes."""


@pytest.mark.parametrize("format_", ["csv", "tsv", "jsonl", "json"])
@pytest.mark.parametrize("database", PLANS)
def test_the_database_writes_what_it_can(database: str, format_: str, databases: dict[str, Database]) -> None:
    with reading_by_apsw():
        found = {
            table: made(Case(database, table, format_), databases[database], by_database=True)
            for table in PLANS[database]
        }
    by_values = {table for table, file in found.items() if file.failure is None and file.path != "database"}
    assert by_values <= VALUES_ALONE[database]
