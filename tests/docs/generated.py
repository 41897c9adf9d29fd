"""The parts of docs/semantics.md that are made from the code. `python -m tests.docs.generated` writes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from outlast.errors import FailureCode
from outlast.lifecycle import TRANSITIONS

SEMANTICS = Path(__file__).parents[2] / "docs" / "semantics.md"


def diagram() -> str:
    """The transitions as a Mermaid state diagram."""
    lines = ["```mermaid", "stateDiagram-v2", "    [*] --> queued: accept"]
    lines += [f"    {source} --> {t.target}: {t.name}" for t in TRANSITIONS for source in t.sources]
    return "\n".join([*lines, "```"])


def transitions() -> str:
    """The transitions as a table."""
    lines = ["| transition | from → to | condition | what it is |", "|---|---|---|---|"]
    for t in TRANSITIONS:
        conditions = "; ".join(guard.value for guard in t.guards) or "none"
        lines.append(f"| {t.name} | {', '.join(t.sources)} → {t.target} | {conditions} | {t.specification} |")
    return "\n".join(lines)


def failures() -> str:
    """The failure codes as a table."""
    lines = ["| code | what clients read | another attempt? |", "|---|---|---|"]
    lines += [f"| `{code}` | {code.title} | {'yes' if code.retryable else 'no'} |" for code in FailureCode]
    return "\n".join(lines)


PARTS: dict[str, Callable[[], str]] = {"diagram": diagram, "transitions": transitions, "failures": failures}


def render(text: str) -> str:
    """The document with every generated part made anew."""
    for name, part in PARTS.items():
        pattern = rf"(<!-- generated: {name} -->\n).*?(<!-- end -->)"
        text = re.sub(pattern, lambda match, part=part: f"{match[1]}{part()}\n{match[2]}", text, flags=re.DOTALL)  # type: ignore[misc]
    return text


if __name__ == "__main__":
    SEMANTICS.write_text(render(SEMANTICS.read_text(encoding="utf-8")), encoding="utf-8")
