"""Exports that outlast the request: accepted once, processed at least once, committed once, explained at any moment."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outlast.bootstrap import Exports
    from outlast.declare import OwnerId, Query
    from outlast.errors import DefinitionError, ExportFailedError, FailureCode, OutlastError, RequestRefusedError
    from outlast.formats import FileOptions
    from outlast.model import Job, Owner, Principal, Result, Status

    __version__: str

__all__ = [
    "DefinitionError",
    "ExportFailedError",
    "Exports",
    "FailureCode",
    "FileOptions",
    "Job",
    "OutlastError",
    "Owner",
    "OwnerId",
    "Principal",
    "Query",
    "RequestRefusedError",
    "Result",
    "Status",
    "__version__",
]

if not TYPE_CHECKING:
    # The pytest plugin lies in this package: whoever runs pytest, for whatever project, must not wait for SQLAlchemy.
    def __getattr__(name: str) -> object:
        if name not in __all__:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        if name == "__version__":
            from importlib.metadata import version  # noqa: PLC0415

            return globals().setdefault(name, version("outlast"))
        modules = "outlast.model", "outlast.errors", "outlast.formats", "outlast.declare", "outlast.bootstrap"
        homes = map(import_module, modules)
        value = next(getattr(home, name) for home in homes if hasattr(home, name))
        return globals().setdefault(name, value)
