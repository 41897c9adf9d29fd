"""docs/operations.md names every command, option, setting and metric, and none that isn't there."""

from __future__ import annotations

import re

from outlast.settings import Settings
from tests.docs.blocks import DOCUMENTS
from tests.docs.reference import OPERATIONS, PARTS, all_commands, metric_rows, render, shown_options

NAMED = re.compile(r"(?:`|^|&& )(outlast [a-z]+(?: [a-z]+)?)", re.MULTILINE)
TEXT = OPERATIONS.read_text(encoding="utf-8")


def test_operations_is_what_commands_settings_and_metrics_say() -> None:
    for name in PARTS:
        assert f"<!-- generated: {name} -->" in TEXT
    assert render(TEXT) == TEXT, "run `python -m tests.docs.reference`"


def test_every_command_and_every_option_says_what_it_is_for() -> None:
    for words, command in all_commands().items():
        assert f"`{words}`" in TEXT
        assert command.help, words
        for option in shown_options(command):
            assert option.help, f"{words} {option.name}"


def test_every_command_that_a_document_names_exists() -> None:
    groups = {words.rpartition(" ")[0] for words in all_commands()}
    for document in DOCUMENTS:
        for words in NAMED.findall(document.read_text(encoding="utf-8")):
            verb = words.rpartition(" ")[0]
            assert words in {*groups, *all_commands()} or verb in all_commands(), f"{document.name}: {words}"


def test_every_metric_that_is_named_exists() -> None:
    known = {name for name, *_ in metric_rows()}
    assert set(re.findall(r"\boutlast_[a-z_]+", TEXT)) == known


def test_every_setting_that_is_named_exists() -> None:
    named = set(re.findall(r"`([a-z_]+_(?:seconds|limit|bytes|rows|url|expression))`", TEXT))
    assert named - {name for name, *_ in metric_rows()} <= set(Settings.model_fields)
    assert set(Settings.model_fields) >= {"lease_seconds", "drain_seconds"} <= named
