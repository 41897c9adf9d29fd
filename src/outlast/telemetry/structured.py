"""Log lines of the service, on standard error: for people, or one JSON object a line. Needs structlog.

Only commands call this. An exception is told by its class and the places it passed, never by its message: a driver's
message may quote a parameter or a row.
"""

from __future__ import annotations

import logging
import sys
import traceback
from types import TracebackType
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

FRAMES_LIMIT = 20
CAUSES_LIMIT = 5
QUIET = ("alembic", "uvicorn")
"""Loggers whose information is no news."""


def configure(*, json: bool, level: int = logging.INFO, stream: TextIO | None = None, **fields: object) -> None:
    """Send every log record of this process to standard error; `fields` (such as the process's role) go on each."""

    def bind(_logger: WrappedLogger, _method: str, line: EventDict) -> EventDict:
        return {**line, **fields}

    shared: list[Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        bind,
        _tell_exception,
        _drop_nothing_to_say,
    ]
    renderer: Processor = structlog.processors.JSONRenderer() if json else structlog.dev.ConsoleRenderer(colors=False)
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    logging.basicConfig(handlers=[handler], level=level, force=True)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def _tell_exception(_logger: WrappedLogger, _method: str, line: EventDict) -> EventDict:
    given = line.pop("exc_info", None)
    error = _exception_of(given)
    causes: list[str] = []
    while error is not None and len(causes) < CAUSES_LIMIT:
        causes.append(f"{type(error).__qualname__} at {_places(error.__traceback__)}")
        error = error.__cause__ or error.__context__
    if causes:
        line["exception"] = "; caused by ".join(causes)
    return line


def _exception_of(given: object) -> BaseException | None:
    if isinstance(given, BaseException):
        return given
    if isinstance(given, tuple):
        return given[1] if isinstance(given[1], BaseException) else None
    return sys.exc_info()[1] if given else None


def _places(trace: TracebackType | None) -> str:
    frames = traceback.extract_tb(trace)[-FRAMES_LIMIT:]
    return " < ".join(f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in reversed(frames)) or "nowhere"


def _drop_nothing_to_say(_logger: WrappedLogger, _method: str, line: EventDict) -> EventDict:
    """Leave out what is None, and uvicorn's second copy of its message."""
    return {name: value for name, value in line.items() if value is not None and name != "color_message"}
