"""Exports from PostgreSQL for tests: what `extract` needs of a definition, and the file that is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from outlast.errors import ExportFailedError
from outlast.extract import Path, SourceSpec, extract
from outlast.formats import FORMATS, FileOptions, Kind
from outlast.model import Owner

OWNER = Owner("o", "t")


@dataclass(frozen=True)
class Export:
    """A statement over `source`, declared with those columns."""

    columns: tuple[str, ...]
    source: SourceSpec
    statement: Any
    file_options: FileOptions = field(default_factory=FileOptions)
    types: Mapping[str, Kind] = field(default_factory=dict)
    connection_argument: str | None = None

    def rows_of(self, owner: Owner, parameters_json: str, connection: object = None) -> object:  # noqa: ARG002
        return self.statement


@dataclass(frozen=True)
class Made:
    """A file's bytes, or the failure's words, how they came about, and the encoder's and the extraction's warnings."""

    path: Path | None
    data: bytes
    warnings: object = None


def made(export: Export, name: str = "csv", *, by_database: bool = True) -> Made:
    """Make the whole file."""
    format_, options = FORMATS[name], export.file_options
    text = format_.text(options) if by_database else None
    path = None
    try:
        with extract(export, OWNER, "{}", export.columns, text=text) as rows:
            path = rows.path
            encoder = format_.encoder(rows.shape, options)
            data = b"".join(encoder.stream(rows.pieces))
            return Made(path, data, (list(encoder.warnings), list(rows.warnings)))
    except ExportFailedError as error:
        return Made(path, f"{error.code} {error.detail}".encode())
