"""The worker without its hashing, to see what hashing costs: `python -m bench.servers.bare_worker worker …`."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

from outlast.cli import main

NOTHING = "0" * 64
"""What results made by it carry as their sha256."""


class NoDigest:
    """Takes bytes and does nothing."""

    def update(self, data: bytes) -> None:
        """Do nothing."""

    def hexdigest(self) -> str:
        """Give no digest."""
        return NOTHING


setattr(import_module("outlast.worker.attempt"), "hashlib", SimpleNamespace(sha256=NoDigest))  # noqa: B010 - typed so

if __name__ == "__main__":
    main()
