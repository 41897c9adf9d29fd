"""One export, made as a worker's child makes it, in this process: no job, no worker, no network."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from outlast.bootstrap import Exports
from outlast.declare import Definition
from outlast.errors import ExportFailedError, OutlastError
from outlast.extract import Engine, SourceSpec, classify, validate_source
from outlast.formats import Row
from outlast.model import ExportSpec, Principal, StagedResult
from outlast.service import manifest_document, read_wanted
from outlast.worker.rendering import Rendered, render, spec_of

_KEY = "outlast.testing"


@dataclass(frozen=True, slots=True)
class Run:
    """What an export gave. `rows` hold the values as they were read, in the order of `columns`; `bytes` is the file.

    `as_of` is the snapshot's time: every row committed before is in. None where none was promised. `manifest` is the
    document that lies beside a committed result, here without the job and the time of a commit.
    """

    rows: tuple[tuple[Any, ...], ...] = field(repr=False)
    bytes: bytes = field(repr=False)
    columns: tuple[str, ...]
    row_count: int
    sha256: str
    content_type: str
    filename: str
    as_of: datetime | None
    warnings: tuple[dict[str, Any], ...]
    manifest: dict[str, Any] = field(repr=False)

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows, each as a dict by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    @property
    def text(self) -> str:
        """The file as text."""
        return self.bytes.decode()


def run(  # noqa: PLR0913 - as a request says them, by name
    exports: Exports,
    export: str,
    *,
    owner: str,
    tenant: str = "default",
    parameters: Mapping[str, Any] | None = None,
    format: str | None = None,
    columns: Sequence[str] | None = None,
    source: SourceSpec | Engine | None = None,
) -> Run:
    """Make the export for `owner`, from `source` if given, else from where it is declared to read.

    `parameters` are JSON values, as in a request; `format` is the export's first and `columns` are all unless chosen.
    Raises RequestRefusedError for what a request would be refused for (unknown names, wrong parameters, a refusal of
    the authorisation hook), ExportFailedError with the code that the job would fail with, its cause being whatever the
    export's own code raised, and DefinitionError for a source that can't be one.
    """
    acceptance = exports.service.acceptance
    wanted = read_wanted(request_body(export, parameters, format, columns))
    job = acceptance.prepare(acceptance.ask(Principal(owner, tenant), _KEY, wanted))
    definition = exports.get(job.export)
    assert definition is not None  # noqa: S101 - its parameters were validated just now
    try:
        return _rendered(
            definition,
            spec_of(job, definition, exports.settings),
            _source(source),
        )
    except OutlastError:
        raise
    except Exception as error:
        failure = classify(error)
        raise ExportFailedError(failure.code, failure.detail) from error


def request_body(
    export: str, parameters: Mapping[str, Any] | None, format: str | None, columns: Sequence[str] | None
) -> dict[str, Any]:
    """The body of the request that asks for this."""
    chosen = {"format": format, "columns": None if columns is None else list(columns)}
    body = {"export": export, "parameters": dict(parameters or {})}
    return body | {name: value for name, value in chosen.items() if value is not None}


def _rendered(definition: Definition, spec: ExportSpec, source: SourceSpec | None) -> Run:
    rows: list[Row] = []
    data = bytearray()
    with render(definition, spec, source, on_rows=rows.extend) as rendering:
        for piece in rendering:
            data += piece.data
    file = _staged(definition, rendering.rendered, hashlib.sha256(data).hexdigest())
    return Run(
        rows=tuple(map(tuple, rows)), bytes=bytes(data), columns=spec.columns, row_count=file.rows,
        sha256=file.sha256, content_type=file.content_type, filename=file.filename, as_of=file.as_of,
        warnings=file.warnings, manifest=manifest_document(file, spec.export, spec.format),
    )  # fmt: skip


def _staged(definition: Definition, rendered: Rendered, sha256: str) -> StagedResult:
    """The file as a worker would commit it, though it lies in no storage."""
    return StagedResult(
        storage="", storage_key="", content_type=rendered.content_type, bytes=rendered.bytes, rows=rendered.rows,
        filename=f"{definition.filename}.{rendered.extension}", sha256=sha256, as_of=rendered.as_of,
        warnings=rendered.warnings, details=rendered.details,
    )  # fmt: skip


def _source(given: SourceSpec | Engine | None) -> SourceSpec | None:
    """A test's own engine will do: here no process lies between."""
    if given is None:
        return None
    return (lambda: given) if isinstance(given, Engine) else validate_source(given, "source=")
