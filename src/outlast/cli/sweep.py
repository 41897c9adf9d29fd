"""`outlast sweep`: one round of housekeeping now."""

from outlast.cli.finding import App
from outlast.cli.output import Json


def sweep(app: App = None, as_json: Json = False) -> None:
    """TODO"""
