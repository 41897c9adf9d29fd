"""Exports that outlast the request: accepted once, processed at least once, committed once, explained at any moment."""

from importlib.metadata import version

from outlast.bootstrap import Exports
from outlast.declare import OwnerId, Query
from outlast.errors import DefinitionError, ExportFailedError, FailureCode, OutlastError, RequestRefusedError
from outlast.model import Job, Owner, Principal, Result, Status

__version__ = version("outlast")

__all__ = [
    "DefinitionError",
    "ExportFailedError",
    "Exports",
    "FailureCode",
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
