"""Where rows come from: a database, opened read-only in the child process that reads it."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias, cast
from urllib.parse import unquote

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from outlast.errors import DefinitionError
from outlast.extract import sqlite_driver

SourceSpec: TypeAlias = str | Callable[[], Engine]
"""A database URL, `module:function`, or the function itself; it returns an Engine and is called where rows are read."""

_IMPORTABLE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


def validate_source(spec: object, where: str) -> SourceSpec:
    """Check that `spec` can be opened later, elsewhere. Raises DefinitionError, which never shows it (passwords)."""
    if isinstance(spec, Engine):
        raise DefinitionError(f"{where} is a live engine; give its URL, or a function that makes it in the child")
    if callable(spec):
        return cast("SourceSpec", spec)
    if isinstance(spec, str) and "://" in spec:
        _check_file(_parse(spec, where), where)
        return spec
    if isinstance(spec, str) and _IMPORTABLE.fullmatch(spec):
        return spec
    raise DefinitionError(f"{where} is neither a database URL, nor module:function, nor a function")


def open_source(spec: SourceSpec) -> Engine:
    """Make the engine that reads `spec`: unpooled, read-only, each connection one consistent snapshot.

    An Engine on SQLite only tells us its file: it is disposed, and the file opened by our own read-only connection.
    The caller disposes what he got. Raises DefinitionError if the function can't be imported or makes no Engine.
    """
    if isinstance(spec, str) and "://" in spec:
        url = _parse(spec, "the source")
        return _sqlite(url) if url.get_backend_name() == "sqlite" else _engine(create_engine(url))
    made = (_imported(spec) if isinstance(spec, str) else spec)()
    if not isinstance(made, Engine):
        raise DefinitionError(f"the source's function returned {type(made).__name__}, not an Engine")
    if made.dialect.name != "sqlite":
        return _engine(made)
    made.dispose()
    return _sqlite(made.url)


def _parse(text: str, where: str) -> URL:
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise DefinitionError(f"{where} is not a valid database URL") from None
    postgresql = url.get_backend_name() == "postgresql" and url.get_driver_name() == "psycopg"
    if postgresql and find_spec("psycopg") is None:
        raise DefinitionError(f"{where} is PostgreSQL, read by psycopg: pip install 'outlast[postgresql]'")
    return url


def _imported(spec: str) -> Callable[[], Any]:
    module_name, _, path = spec.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise DefinitionError(f"the source {spec!r} can't be imported: {error}") from error
    return cast("Callable[[], Any]", found)


def _engine(engine: Engine) -> Engine:
    """Let an engine of the user's read in one snapshot and write nothing, where its database can promise that."""
    options: dict[str, Any] = {"stream_results": True}
    if engine.dialect.name == "postgresql":
        options |= {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    elif engine.dialect.name in {"mysql", "mariadb"}:
        options |= {"isolation_level": "REPEATABLE READ"}
    return engine.execution_options(**options)


def _check_file(url: URL, where: str) -> None:
    if url.get_backend_name() == "sqlite" and url.database in {None, "", ":memory:"}:
        raise DefinitionError(f"{where} is a database in memory, which no other process can read")


def _sqlite_file(url: URL) -> Path:
    """Give the file that a SQLite URL means, `file:` names included."""
    _check_file(url, "the source")
    name = str(url.database)
    return Path(unquote(name.removeprefix("file:").partition("?")[0]) if name.startswith("file:") else name).absolute()


def _sqlite(url: URL) -> Engine:
    return _sqlite_engine(_sqlite_file(url), sqlite_driver.current())


@lru_cache(maxsize=8)
def _sqlite_engine(file: Path, driver: sqlite_driver.Driver) -> Engine:
    """Make the engine of a SQLite file. It is kept for the statements that it compiled, and holds no connection."""
    address = f"{file.as_uri()}?mode=ro"
    engine = create_engine(
        "sqlite://", module=driver.module, creator=partial(driver.connect, address), poolclass=NullPool
    )
    # The driver begins no transaction for a SELECT by itself, and without one each statement sees its own snapshot.
    event.listen(engine, "begin", _begin)
    return engine.execution_options(stream_results=True)


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")
