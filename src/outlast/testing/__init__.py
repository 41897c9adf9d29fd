"""For those who test their own exports: one export without worker or network, or a whole worker.

running.py  `run`: rows, bytes and facts of one export    worker.py  a real worker process, and jobs for it
plugin.py   both as pytest fixtures                       conformance/  what every database and storage must pass
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outlast.testing.running import Run, run
    from outlast.testing.worker import LiveWorker, running_worker

__all__ = ["LiveWorker", "Run", "run", "running_worker"]

if not TYPE_CHECKING:
    # pytest imports the plugin, and with it this package, for every project: nothing heavy may come along.
    def __getattr__(name: str) -> object:
        if name not in __all__:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        homes = map(import_module, ("outlast.testing.running", "outlast.testing.worker"))
        return globals().setdefault(name, next(getattr(home, name) for home in homes if hasattr(home, name)))
