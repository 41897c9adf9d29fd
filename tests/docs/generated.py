"""The parts of the documents that are made from the code's tables. `python -m tests.docs.generated` writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, get_args

from outlast.errors import FailureCode
from outlast.formats import DEFAULT_FORMATS, FORMATS, Column, FileOptions, Shape
from outlast.lifecycle import TRANSITIONS

_DOCS = Path(__file__).parents[2] / "docs"
SEMANTICS = _DOCS / "semantics.md"
FILES = _DOCS / "files.md"


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


def formats() -> str:
    """Every format: the file's name, its media type, and what it needs."""
    lines = ["| format | file | `Content-Type` | needs |", "|---|---|---|---|"]
    for name, known in FORMATS.items():
        encoder = known.encoder(Shape((Column("a"),)), FileOptions())
        needs = f"`outlast[{known.needs.extra}]`" if known.needs.extra else ""
        offered = f"`{name}`, offered unless others are named" if name in DEFAULT_FORMATS else f"`{name}`"
        lines.append(f"| {offered} | `tasks.{encoder.extension}` | `{encoder.content_type}` | {needs} |")
    return "\n".join(lines)


def file_options() -> str:
    """Every option of `file_options=`."""
    lines = ["| option | values | default | meaning |", "|---|---|---|---|"]
    for name, field in FileOptions.model_fields.items():
        default = "" if field.default is None else f"`{_shown(field.default)}`"
        lines.append(f"| `{name}` | {_values(field.annotation)} | {default} | {field.description} |")
    return "\n".join(lines)


def _values(annotation: Any) -> str:  # noqa: ANN401 - a type as Pydantic keeps it
    words = [word for part in (annotation, *get_args(annotation)) for word in get_args(part) if isinstance(word, str)]
    if words:
        return ", ".join(f"`{_shown(word)}`" for word in dict.fromkeys(words))
    return "text" if str in get_args(annotation) else "a number from 1"


def _shown(word: str) -> str:
    return {"\t": "tab", "|": "\\|"}.get(word, word)


Parts: TypeAlias = Mapping[str, Callable[[], str]]

PARTS: dict[Path, Parts] = {
    SEMANTICS: {"diagram": diagram, "transitions": transitions, "failures": failures},
    FILES: {"formats": formats, "file options": file_options},
}


def render(document: Path) -> str:
    """The document with every generated part made anew."""
    text = document.read_text(encoding="utf-8")
    for name, part in PARTS[document].items():
        pattern = rf"(<!-- generated: {name} -->\n).*?(<!-- end -->)"
        text = re.sub(pattern, lambda match, part=part: f"{match[1]}{part()}\n{match[2]}", text, flags=re.DOTALL)  # type: ignore[misc]
    return text


if __name__ == "__main__":
    for one in PARTS:
        one.write_text(render(one), encoding="utf-8")
