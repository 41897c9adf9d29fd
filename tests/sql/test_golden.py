"""The compiled SQL that a reviewer reads is the one that runs."""

from pathlib import Path

import pytest

from tests.sql.compiled import GOLDEN, texts

TEXTS = texts()


@pytest.mark.parametrize("path", TEXTS, ids=str)
def test_the_committed_sql_is_what_runs(path: Path) -> None:
    golden = GOLDEN / path
    assert golden.exists(), "a new file: `make sql` writes it"
    assert golden.read_text() == TEXTS[path], "a statement has changed: `make sql`, and look at the difference"


def test_no_file_is_left_over() -> None:
    assert {path.relative_to(GOLDEN) for path in GOLDEN.rglob("*.sql")} == set(TEXTS)
