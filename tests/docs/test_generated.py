"""The documents say what the code's tables say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.generated import PARTS, render


@pytest.mark.parametrize("document", PARTS, ids=lambda document: document.name)
def test_a_document_is_what_the_tables_say(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for name in PARTS[document]:
        assert f"<!-- generated: {name} -->" in text
    assert text == render(document), "run `python -m tests.docs.generated`"
