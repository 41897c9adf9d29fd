"""What a worker needs of its app; `outlast.Exports` has it."""

from __future__ import annotations

from typing import Protocol

from outlast.database.connection import Database
from outlast.database.writer import Writer
from outlast.declare import AuthorizeHook, Definition
from outlast.settings import Settings
from outlast.storage.base import Storage
from outlast.telemetry.hooks import Hooks


class Parts(Protocol):
    """The declared exports and what runs them, each made on first use."""

    authorize_hook: AuthorizeHook | None
    settings: Settings
    hooks: Hooks

    @property
    def names(self) -> tuple[str, ...]:
        """The exports' names."""
        ...

    @property
    def database(self) -> Database:
        """Where the jobs live."""
        ...

    @property
    def writer(self) -> Writer:
        """This process's one writer."""
        ...

    @property
    def storage(self) -> Storage:
        """Where results' bytes lie."""
        ...

    def get(self, name: str) -> Definition | None:
        """Look an export up."""
        ...
