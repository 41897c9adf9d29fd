"""Which app a command is about: `--app module:attribute`, `OUTLAST_APP`, or `outlast.toml` in the working directory."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outlast.errors import DefinitionError, OutlastError

if TYPE_CHECKING:
    from outlast.bootstrap import Exports

VARIABLE = "OUTLAST_APP"
CONFIGURATION = "outlast.toml"

App = Annotated[
    str | None,
    typer.Option(
        "--app",
        envvar=VARIABLE,
        help=f"Where the exports are declared: module:attribute, or a {CONFIGURATION}. "
        "Without it, the one in the working directory.",
    ),
]


class UsageError(OutlastError):
    """The command line, or which app it means, can't be understood."""


@dataclass(frozen=True, slots=True)
class Found:
    """An app's exports, and the reference by which another process finds them again."""

    exports: Exports
    reference: str


def reference_of(app: str | None) -> str | None:
    """What `--app` says, or the absolute path of the working directory's `outlast.toml`; None when there is neither."""
    if app:
        return app
    path = Path(CONFIGURATION)
    return str(path.absolute()) if path.exists() else None


def find(app: str | None) -> Found:
    """Load the app. Raises UsageError when there is none, DefinitionError when it is wrong."""
    reference = reference_of(app)
    if reference is None:
        message = f"no app: say --app module:attribute, set {VARIABLE}, or go where an {CONFIGURATION} is"
        raise UsageError(message)
    if reference.endswith(".toml"):
        return Found(_configured(Path(reference)), reference)
    return Found(_imported(reference), reference)


@contextmanager
def opened(app: str | None) -> Iterator[Exports]:
    """The app's exports on a database that exists and is at the newest schema; closed at the end.

    Raises DefinitionError when it isn't.
    """
    exports = find(app).exports
    try:
        require_database(exports)
        yield exports
    finally:
        exports.close()


def require_database(exports: Exports) -> None:
    """Raises DefinitionError unless the database exists and is at the newest schema. Creates nothing."""
    from outlast.database import migrate

    database = exports.database
    if not database.file_sizes()["database"]:
        where = database.url.render_as_string(hide_password=True)
        message = f"there is no database yet at {where}: run `outlast db upgrade`, or set OUTLAST_DATABASE_URL"
        raise DefinitionError(message)
    migrate.require_current(database)


def _configured(path: Path) -> Exports:
    from outlast.bootstrap import Exports
    from outlast.declare.configuration import read_configuration

    configuration = read_configuration(path)
    exports = Exports(**configuration.settings)
    configuration.declare(exports)
    return exports


def _imported(reference: str) -> Exports:
    from outlast.bootstrap import Exports

    value = load_object(reference, "--app")
    if not isinstance(value, Exports):
        message = f"{reference} is not an Exports instance but a {type(value).__name__}"
        raise UsageError(message)
    return value


def load_object(reference: str, option: str) -> object:
    """What `module:attribute` names, modules of the working directory included. Raises UsageError."""
    module_name, _, attribute = reference.partition(":")
    if not module_name or not attribute:
        message = f"{option} {reference!r} is not of the form module:attribute"
        raise UsageError(message)
    if os.getcwd() not in sys.path:  # noqa: PTH109 - sys.path holds text
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
    try:
        value: object = importlib.import_module(module_name)
        for name in attribute.split("."):
            value = getattr(value, name)
    except OutlastError:
        raise
    except Exception as error:
        raise _not_importable(reference, module_name, error) from error
    return value


def _not_importable(reference: str, module_name: str, error: Exception) -> UsageError:
    if isinstance(error, ModuleNotFoundError) and error.name and f"{module_name}.".startswith(f"{error.name}."):
        return UsageError(f"there is no module {error.name!r} here or among the installed ones")
    if isinstance(error, AttributeError) and error.name == reference.rpartition(":")[2].rpartition(".")[2]:
        return UsageError(f"{module_name} has no attribute {reference.partition(':')[2]!r}")
    place = traceback.extract_tb(error.__traceback__)[-1]
    return UsageError(
        f"importing {module_name} raised {type(error).__name__}: {error} ({place.filename}, line {place.lineno})"
    )
