"""The fenced blocks of the documents, which are to be run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENTS = (
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
)
RUNNABLE = frozenset({"python", "toml", "sh"})

_BLOCK = re.compile(
    r"(?:<!-- not run: (?P<excuse>[^\n]+?) -->\n+)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of code in a document. `excuse` is what a comment just before it says of why it can't be run."""

    path: Path
    line: int
    language: str
    text: str
    excuse: str | None

    @property
    def name(self) -> str:
        """Where it stands."""
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def blocks_of(path: Path) -> Iterator[Block]:
    """The document's blocks that name a language, in their order."""
    text = path.read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("language")) + 1
        yield Block(path, line, match["language"], match["text"], match["excuse"])


def the_block(document: str, language: str, beginning: str) -> Block:
    """The one block of a document that begins like this."""
    found = [
        block for block in blocks_of(ROOT / document) if block.language == language and block.text.startswith(beginning)
    ]
    assert len(found) == 1, f"{document} has {len(found)} {language} blocks that begin with {beginning!r}"
    return found[0]
