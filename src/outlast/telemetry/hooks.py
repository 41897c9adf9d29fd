"""Who listens to events. A hook is a callable; one that raises is silenced for that event, never the job."""

from __future__ import annotations

import logging
from collections.abc import Callable

from outlast.telemetry.events import Event

Hook = Callable[[Event], None]

_log = logging.getLogger("outlast")


class Hooks:
    """The listeners of one `Exports`."""

    def __init__(self) -> None:
        """Start with nobody listening."""
        self._hooks: list[Hook] = []

    def add(self, hook: Hook) -> None:
        """Listen from now on."""
        self._hooks.append(hook)

    def emit(self, event: Event) -> None:
        """Tell everybody."""
        for hook in self._hooks:
            try:
                hook(event)
            except Exception:  # noqa: BLE001 - a hook is anybody's
                _log.exception("a telemetry hook failed on %s", type(event).__name__)
