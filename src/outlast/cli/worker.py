"""`outlast worker`: one round of housekeeping now."""

from outlast.cli.finding import App
from outlast.cli.output import Json


def worker(app: App = None, as_json: Json = False) -> None:
    """TODO"""
