"""The composition root: `Exports` puts the parts together, each made on first use, per process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outlast.database.connection import Database
from outlast.database.dialect import sqlite_path
from outlast.database.health import count_fenced
from outlast.database.writer import Writer
from outlast.declare import Definitions
from outlast.errors import OutlastError
from outlast.extract import SourceSpec
from outlast.settings import Settings, load
from outlast.telemetry.events import Event, WriteFenced
from outlast.telemetry.hooks import Hooks
from outlast.telemetry.logging import log_event

if TYPE_CHECKING:
    from fastapi import APIRouter

    from outlast.service import Service
    from outlast.storage.base import Storage


class Exports(Definitions):
    """What an app exports, and the way to everything that runs it.

    `database_url` is where the jobs live and `source` where the exports read from; every other setting of
    `outlast.settings.Settings` may be given by its name. The environment (`OUTLAST_…`) decides over them.
    Raises DefinitionError for a wrong setting. Nothing is opened before the first use.
    """

    def __init__(self, *, database_url: str | None = None, source: SourceSpec | None = None, **settings: Any) -> None:
        """Read the settings; exports are declared afterwards."""
        super().__init__(source=source)
        if database_url is not None:
            settings["database_url"] = database_url
        self.settings: Settings = load(**settings)
        self.hooks = Hooks()
        self.hooks.add(log_event)
        self.hooks.add(self._count_fenced)

    @cached_property
    def database(self) -> Database:
        """Where the jobs live."""
        return Database(self.settings.database_url, self.settings.clock_expression)

    @cached_property
    def writer(self) -> Writer:
        """This process's one writer."""
        return Writer(self.database, queue_limit=self.settings.writer_queue_limit)

    @cached_property
    def storage(self) -> Storage:
        """Where results' bytes lie."""
        from outlast.database.chunks import Chunks  # noqa: PLC0415 - the parts load when they are needed
        from outlast.storage.opening import storage_for  # noqa: PLC0415

        chunks = Chunks(self.database, self.writer, wait_seconds=self.settings.lease_seconds)
        directory = self.settings.results_directory or f"{sqlite_path(self.database.url)}-results"
        return storage_for(self.settings, chunks, Path(directory))

    @cached_property
    def service(self) -> Service:
        """The public functions: accept, get, list, cancel, erase, regenerate, open_result."""
        from outlast.service import Service  # noqa: PLC0415

        return Service(self, self.settings, self.database, self.writer, self.storage, self.hooks)

    def router(self, *, principal: Callable[..., Any], prefix: str = "/exports") -> APIRouter:
        """A FastAPI router to mount in any app; `principal` is a dependency that returns who asks."""
        from outlast.web.exports import create_router  # noqa: PLC0415

        return create_router(self.service, principal=principal, prefix=prefix)

    def _count_fenced(self, event: Event) -> None:
        if isinstance(event, WriteFenced):
            with suppress(OutlastError):  # a writer that is full or closed has better things to do
                self.writer.submit(count_fenced(), wait_seconds=self.settings.accept_wait_seconds)

    def close(self) -> None:
        """End the waiting writes and close every connection of this process."""
        if "writer" in self.__dict__:
            self.writer.close()
        if "database" in self.__dict__:
            self.database.close()
