"""What an exception means for the attempt, told without a word of its message, which may hold values."""

from __future__ import annotations

import sqlite3
import traceback
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import exc

from outlast.errors import ExportFailedError, FailureCode
from outlast.model import Failure

_SHOWN_FRAMES = 6
_SHOWN_CAUSES = 4
_LIBRARIES = frozenset({"sqlalchemy", "contextlib.py"})
"""Whose frames say nothing about the cause, unless they are the innermost."""

_SQLITE_PASSING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_SCHEMA,
}
_SQLITE_READ_ONLY_PASSING = {
    # A writer's crash left a journal that only a writer may replay; the application's next connection does.
    sqlite3.SQLITE_READONLY_ROLLBACK,
    sqlite3.SQLITE_READONLY_RECOVERY,
    sqlite3.SQLITE_READONLY_CANTINIT,
}
_SQLSTATE_PASSING = ("08", "40", "53", "55P03", "57", "58")
"""SQL states (ISO 9075 classes and PostgreSQL's appendix A) that another attempt may not meet again."""


def classify(error: BaseException) -> Failure:
    """Tell why the attempt failed; `detail` names exception classes, error codes and places in the code only."""
    if isinstance(error, ExportFailedError):
        return Failure(error.code, error.detail, error.retry_after_seconds)
    return Failure(_code(error), _detail(error))


def _code(error: BaseException) -> FailureCode:
    for cause in _causes(error):
        if isinstance(cause, ExportFailedError):
            return cause.code
        if isinstance(cause, MemoryError) or _sqlite_code(cause) == sqlite3.SQLITE_NOMEM:
            return FailureCode.OUT_OF_MEMORY
        if _passing(cause):
            return FailureCode.TEMPORARILY_UNAVAILABLE
    return FailureCode.INTERNAL_ERROR


def _passing(error: BaseException) -> bool:
    """Whether something outside was unavailable."""
    if isinstance(error, ConnectionError | TimeoutError | exc.TimeoutError | exc.DisconnectionError):
        return True
    if isinstance(error, exc.DBAPIError):
        return error.connection_invalidated
    if isinstance(error, sqlite3.Error):
        return _sqlite_code(error) in _SQLITE_PASSING or getattr(error, "sqlite_errorcode", None) in (
            _SQLITE_READ_ONLY_PASSING
        )
    state = getattr(error, "sqlstate", None)
    if isinstance(state, str):
        return state.startswith(_SQLSTATE_PASSING)
    # PEP 249: an OperationalError is about the database's operation, not under the programmer's control.
    return type(error).__name__ == "OperationalError"


def _sqlite_code(error: BaseException) -> int | None:
    """Give SQLite's primary result code, of which the extended ones are refinements."""
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Go from an error to what caused it, a bounded number of times."""
    current: BaseException | None = error
    for _ in range(_SHOWN_CAUSES):
        if current is None:
            return
        yield current
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)


def _detail(error: BaseException) -> str:
    names = " from ".join(_name(cause) for cause in _causes(error))
    frames = traceback.extract_tb(error.__traceback__)
    shown = [frame for frame in frames[:-1] if _LIBRARIES.isdisjoint(Path(frame.filename).parts)][-_SHOWN_FRAMES:]
    shown += frames[-1:]
    places = ", ".join(f"{'/'.join(Path(frame.filename).parts[-2:])}:{frame.lineno} in {frame.name}" for frame in shown)
    return f"{names} at {places}" if places else names


def _name(error: BaseException) -> str:
    code = getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None)
    name = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    return f"{name} ({code})" if isinstance(code, str) else name
