"""The expected files of a database: their names and contents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.corpus.cases import Case, cases, failures
from tests.corpus.exporting import HERE, Database, made
from tests.corpus.readable import readable, suffix

EXPECTED = HERE / "expected"
REMAKE = "`python -m tests.corpus.write` writes it; then look at the difference: the files are the promise"


def name_of(case: Case) -> str:
    """Give the file's name."""
    return f"{case.stem}.{suffix(case.format)}"


def contents(database: Database) -> Iterator[tuple[Path, bytes]]:
    """Give every file of a database, below `expected/`, as it is made now."""
    folder = Path(database.name)
    warnings: dict[str, Any] = {}
    for case in cases(database.name, database.plans):
        file = made(case, database, by_database=True)
        assert file.failure is None, f"{case.stem}: {file.failure}"
        yield folder / name_of(case), readable(case.format, file.data)
        if file.warnings:
            warnings[name_of(case)] = list(file.warnings)
    failed = {
        case.stem: made(case, database, by_database=True).failure for case in failures(database.name, database.plans)
    }
    yield folder / "warnings.json", _document(warnings)
    yield folder / "failures.json", _document(failed)


def expected_warnings(database: str) -> dict[str, list[dict[str, Any]]]:
    """Read what each file is expected to warn of."""
    found: dict[str, list[dict[str, Any]]] = json.loads((EXPECTED / database / "warnings.json").read_text())
    return found


def expected_failures(database: str) -> dict[str, str]:
    """Read how each failing case is expected to fail."""
    found: dict[str, str] = json.loads((EXPECTED / database / "failures.json").read_text())
    return found


def _document(values: dict[str, Any]) -> bytes:
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in values.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()
