"""`outlast.toml`: settings, sources and exports, without any code.

Top-level keys are settings; `[sources.NAME]` has a `url`; `[exports.NAME]` has `source`, `sql`, `columns`, and what
`declare/definition.py` knows as options; `[exports.NAME.parameters]` has one entry for each parameter.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from outlast.declare.definition import Options
from outlast.declare.definitions import Definitions
from outlast.declare.signature import OwnerKind
from outlast.declare.sql import ParameterTable, SqlExport
from outlast.errors import DefinitionError
from outlast.settings import Settings

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_TABLES = ("sources", "exports")


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _SourceTable(_Table):
    url: str


class _ExportTable(BaseModel):
    # What is left over are options, which Definitions refuses by name if it doesn't know them.
    model_config = ConfigDict(frozen=True, extra="allow")

    source: str
    sql: str = Field(min_length=1)
    columns: tuple[str, ...]
    description: str = ""
    owner_type: OwnerKind = OwnerKind.TEXT
    parameters: dict[str, ParameterTable] = {}


class _Tables(_Table):
    sources: dict[str, _SourceTable] = {}
    exports: dict[str, _ExportTable] = {}


@dataclass(frozen=True, slots=True)
class Configuration:
    """A file that was read and found well-formed; `settings` are for `outlast.settings.load`."""

    path: Path
    settings: dict[str, Any]
    tables: _Tables

    def declare(self, definitions: Definitions) -> None:
        """Add the file's exports. Raises DefinitionError, naming the file, the export and what is wrong with it."""
        sources = {name: table.url for name, table in self.tables.sources.items()}
        for name, table in self.tables.exports.items():
            try:
                _declare(definitions, name, table, sources)
            except DefinitionError as error:
                raise DefinitionError(f"{self.path}: {error}") from error


def read_configuration(path: Path) -> Configuration:
    """Read an `outlast.toml`; `${NAME}` in source URLs and settings stands for an environment variable.

    Raises DefinitionError, naming the file and the key, and never showing a value.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DefinitionError(f"{path} can't be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DefinitionError(f"{path} is not TOML: {error}") from error
    settings = {key: value for key, value in content.items() if key not in _TABLES}
    unknown = sorted(settings.keys() - Settings.model_fields.keys())
    if unknown:
        raise DefinitionError(f"{path}: there is no setting {', '.join(map(repr, unknown))}")
    try:
        tables = _Tables.model_validate({key: content[key] for key in _TABLES if key in content})
    except ValidationError as error:
        raise DefinitionError(f"{path}: {_problems(error)}") from None
    expanded = {
        name: _SourceTable(url=_expanded(table.url, f"{path}: sources.{name}.url"))
        for name, table in tables.sources.items()
    }
    return Configuration(
        path,
        {
            key: _expanded(value, f"{path}: {key}") if isinstance(value, str) else value
            for key, value in settings.items()
        },
        tables.model_copy(update={"sources": expanded}),
    )


def _declare(definitions: Definitions, name: str, table: _ExportTable, sources: Mapping[str, str]) -> None:
    if table.source not in sources:
        known = ", ".join(sources) or "none"
        raise DefinitionError(f"export {name!r}: there is no source {table.source!r}; declared are: {known}")
    options = cast("Options", {**(table.model_extra or {}), "source": sources[table.source]})
    export = SqlExport(name, table.sql, table.owner_type, table.parameters)
    if not export.owned and options.get("owner_scoped", True):
        raise DefinitionError(
            f"export {name!r}: the SQL doesn't use :owner; it must, unless it says owner_scoped = false"
        )
    definitions.define(name, table.description, table.columns, export.signature(), export.build, options)


def _expanded(text: str, where: str) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name not in os.environ:
            raise DefinitionError(f"{where} needs the environment variable {name}, which is not set")
        return os.environ[name]

    return _VARIABLE.sub(value, text)


def _problems(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}" for item in error.errors(include_input=False)
    )
