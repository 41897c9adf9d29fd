"""`outlast sweep`: one round of housekeeping now."""

from __future__ import annotations

from outlast.cli.finding import App, opened
from outlast.cli.output import Json, plain, print_json, print_text


def sweep(app: App = None, as_json: Json = False) -> None:
    """End what is past saving, delete what nobody wants, purge what is old; workers do the same all the time."""
    from outlast.worker.housekeeping import sweep_once

    with opened(app) as exports:
        swept = sweep_once(exports)
    if as_json:
        print_json(swept)
    else:
        print_text(", ".join(f"{name.replace('_', ' ')}: {count}" for name, count in plain(swept).items()))
