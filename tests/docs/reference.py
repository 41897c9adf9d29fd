"""The parts of docs/operations.md that are made from the code. `python -m tests.docs.reference` writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer
from prometheus_client.parser import text_string_to_metric_families
from pydantic_core import PydanticUndefined

from outlast.cli.output import duration
from outlast.cli.root import app
from outlast.settings import Settings
from outlast.telemetry.gauges import Gauges
from outlast.telemetry.prometheus import Metrics

OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"
READABLE, MINUTE = 1e6, 60
OF_ALL = {"--app", "--json", "--help"}


def all_commands() -> dict[str, Any]:
    """Every command that does something, by its words."""
    return dict(_leaves(typer.main.get_command(app), ("outlast",)))


def _leaves(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - Typer's own commands
    if hasattr(command, "commands"):
        for name, child in command.commands.items():
            yield from _leaves(child, (*words, name))
    else:
        yield " ".join(words), command


def shown_options(command: Any) -> list[Any]:  # noqa: ANN401
    """The command's options and arguments that people are to know of."""
    return [one for one in command.params if not getattr(one, "hidden", False)]


def commands() -> str:
    """Every command and its options."""
    lines = ["| command | what it does | beside `--app` and `--json` |", "|---|---|---|"]
    for words, command in all_commands().items():
        options = [one for one in shown_options(command) if not OF_ALL & set(one.opts)]
        explained = "<br>".join(f"`{_spelt(one)}` {one.help or ''}".rstrip() for one in options)
        lines.append(f"| `{words}` | {command.help} | {explained} |")
    return "\n".join(lines)


def _spelt(option: Any) -> str:  # noqa: ANN401
    if not option.opts[0].startswith("-"):
        return str(option.metavar or option.name).upper()
    return " / ".join(option.opts)


def settings() -> str:
    """Every setting with its default and its meaning."""
    lines = ["| setting | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        assert field.default is not PydanticUndefined
        lines.append(f"| `{name}` | {_default(name, field.default)} | {field.description} |")
    return "\n".join(lines)


def _default(name: str, value: object) -> str:
    """The default, and what it means where it is too large to read."""
    if value is None:
        return ""
    plain = f"`{value:g}`" if isinstance(value, float) and value < READABLE else f"`{value}`"
    if isinstance(value, (int, float)) and name.endswith("_seconds") and value >= MINUTE:
        return f"`{value:.0f}` ({duration(value)})"
    if isinstance(value, int) and name.endswith("_bytes"):
        return f"{plain} ({value / 1024**2:,g} MiB)"
    return plain


def metrics() -> str:
    """Every metric with its labels and its meaning."""
    lines = ["| metric | kind | labels | meaning |", "|---|---|---|---|"]
    for name, kind, labels, meaning in sorted(metric_rows()):
        lines.append(f"| `{name}` | {kind} | {labels} | {meaning} |")
    return "\n".join(lines)


def metric_rows() -> Iterator[tuple[str, str, str, str]]:
    """Name, kind, labels and meaning of each metric."""
    made = Metrics(("tasks",), Gauges)
    labels = {metric._name: metric._labelnames for metric in vars(made).values() if hasattr(metric, "_labelnames")}  # noqa: SLF001
    for family in text_string_to_metric_families(made.exposition().decode()):
        if family.name.endswith("_created"):
            continue
        of_gauge = {label for sample in family.samples for label in sample.labels}
        names = ", ".join(f"`{label}`" for label in labels.get(family.name, sorted(of_gauge - {"le"})))
        suffix = "_total" if family.type == "counter" else ""
        yield f"{family.name}{suffix}", family.type, names, family.documentation


PARTS: dict[str, Callable[[], str]] = {"commands": commands, "settings": settings, "metrics": metrics}


def render(text: str) -> str:
    """The document with every generated part made anew."""
    for name, part in PARTS.items():
        begin, end = f"<!-- generated: {name} -->\n", "<!-- end -->"
        text = re.sub(f"{begin}.*?{end}", lambda _: f"{begin}{part()}\n{end}", text, flags=re.DOTALL)  # noqa: B023 - called at once
    return text


if __name__ == "__main__":
    OPERATIONS.write_text(render(OPERATIONS.read_text(encoding="utf-8")), encoding="utf-8")
