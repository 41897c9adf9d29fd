"""Other people's readers find, value by value, what lies in the tables."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import pytest

from tests.corpus.cases import PLANS, Case
from tests.corpus.exporting import Database, made, reading_by_apsw
from tests.corpus.readable import by_duckdb, by_pyarrow
from tests.corpus.readers import (
    csv_by_duckdb,
    csv_by_python,
    json_by_orjson,
    json_by_python,
    lines_by_duckdb,
    same,
    same_cell,
    same_member,
    same_rounded,
    workbook_readings,
)
from tests.corpus.values import Document, Rows, values_of

CLEAN = [
    Case(database, table, name)
    for database, plans in PLANS.items()
    for table, plan in plans.items()
    for name in plan.plain
    if table != "empty"
]


def of_formats(*names: str) -> pytest.MarkDecorator:
    """Let a test take the clean files of these formats."""
    chosen = [case for case in CLEAN if case.format in names]
    return pytest.mark.parametrize("case", chosen, ids=lambda case: f"{case.database}-{case.stem}")


def written(case: Case, databases: dict[str, Database]) -> tuple[bytes, list[str], Rows]:
    """Give the file, and what lies in its table."""
    database = databases[case.database]
    with reading_by_apsw():
        file = made(case, database, by_database=True)
    assert file.failure is None
    return file.data, *values_of(database, case.table)


def compare(names: list[str], rows: Rows, found: Rows, equal: Callable[[Any, Any], bool] = same) -> None:
    """Compare every value, and the names in the first row of what was found."""
    assert found[0] == names
    nothing: list[Any] = []
    for row, read in zip_longest(rows, found[1:], fillvalue=nothing):
        for name, value, cell in zip_longest(names, row, read):
            assert equal(value, cell), (row[0], name, value, cell)


@of_formats("csv", "tsv")
def test_csv(case: Case, databases: dict[str, Database]) -> None:
    data, names, rows = written(case, databases)

    delimiter = "," if case.format == "csv" else "\t"
    compare(names, rows, csv_by_duckdb(data, delimiter))
    without_null: Rows = [["" if value is None else value for value in row] for row in rows]
    compare(names, without_null, csv_by_python(data, delimiter))


@of_formats("jsonl", "json")
def test_json(case: Case, databases: dict[str, Database]) -> None:
    data, names, rows = written(case, databases)

    compare(names, rows, json_by_python(case.format, data), same_member)
    if case.table == "documents":  # other parsers round the numbers in them
        return
    compare(names, rows, json_by_orjson(case.format, data), same_rounded)
    if case.format == "jsonl":
        compare(names, rows, lines_by_duckdb(data, names, rows), same_rounded)


@of_formats("parquet", "arrow")
def test_columns(case: Case, databases: dict[str, Database]) -> None:
    data, names, rows = written(case, databases)

    columns, found = by_duckdb(data) if case.format == "parquet" else by_pyarrow(data)
    compare(names, rows, [[name for name, _ in columns], *found])


@of_formats("xlsx")
def test_workbooks(case: Case, databases: dict[str, Database]) -> None:
    data, names, rows = written(case, databases)

    for found in workbook_readings(data):
        compare(names, rows, found, same_cell)


def test_the_comparison_can_fail() -> None:
    for value, wrong in [
        (1, "2"), (1, "01"), (0.0, "-0.0"), (0.1, 0.1000001), ("", None), (None, ""), (True, 1), (b"\1", "1"),
        (Document.of("[1]"), "[1.5]"), (Document.of("0.1"), 0.1),
    ]:  # fmt: skip
        assert not same(value, wrong), (value, wrong)
