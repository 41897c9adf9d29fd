"""The documents say what the code's tables say."""

from __future__ import annotations

from tests.docs.generated import PARTS, SEMANTICS, render


def test_semantics_is_what_the_tables_say() -> None:
    text = SEMANTICS.read_text(encoding="utf-8")
    for name in PARTS:
        assert f"<!-- generated: {name} -->" in text
    assert text == render(text), "run `python -m tests.docs.generated`"
