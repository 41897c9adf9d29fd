"""One attempt's rows becoming a file's bytes, within its limits: the one loop, for the child and for people's tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from outlast.boundary import boundary
from outlast.declare import Definition, Owner
from outlast.errors import ExportFailedError, FailureCode
from outlast.extract import Extraction, SourceSpec, extract
from outlast.formats import FORMATS, Encoder, FileOptions, Page, Row
from outlast.model import ExportSpec, Job, Progress
from outlast.settings import Settings

if TYPE_CHECKING:
    from outlast.database.new_jobs import NewJob


@dataclass(frozen=True, slots=True)
class Piece:
    """Some bytes of the file, the rows that they came from where those came as values, and the progress with them."""

    rows: Sequence[Row]
    data: bytes
    progress: Progress


@dataclass(frozen=True, slots=True)
class Rendered:
    """What is known of a file once it is whole. Every row committed before `as_of` is in; None: not promised."""

    rows: int
    bytes: int
    content_type: str
    extension: str
    as_of: datetime | None
    warnings: tuple[dict[str, Any], ...]
    details: dict[str, Any]


class Rendering:
    """The file in pieces; what they add up to is known when all were taken."""

    def __init__(self, encoder: Encoder, extraction: Extraction, spec: ExportSpec, options: FileOptions) -> None:
        """Begin with nothing rendered."""
        self._encoder = encoder
        self._extraction = extraction
        self._spec = spec
        self._options = options
        self._progress = Progress(0, 0, extraction.estimated_rows)

    def __iter__(self) -> Iterator[Piece]:
        """Give the pieces, once. Raises ExportFailedError RESULT_TOO_LARGE, and what extraction and encoder raise."""
        yield self._piece((), 0, self._encoder.begin())
        for piece in self._extraction.pieces:
            if isinstance(piece, Page):
                yield self._piece((), piece.rows, self._encoder.take(piece))
            else:
                yield self._piece(piece, len(piece), self._encoder.encode(piece))
        for data in self._encoder.end():
            yield self._piece((), 0, data)

    @property
    def rendered(self) -> Rendered:
        """What the pieces taken so far add up to."""
        encoder, progress = self._encoder, self._progress
        return Rendered(
            progress.rows, progress.bytes, encoder.content_type, encoder.extension,
            self._extraction.as_of, encoder.warnings, self._details(),
        )  # fmt: skip

    def _details(self) -> dict[str, Any]:
        """What the manifest says beyond counts and times."""
        extraction = self._extraction
        return {
            "columns": [{"name": column.name, "type": column.kind.value} for column in extraction.shape.columns],
            "extraction": extraction.path.value,
            "options": self._options.model_dump(),
        }

    def _piece(self, rows: Sequence[Row], row_count: int, data: bytes) -> Piece:
        before, spec = self._progress, self._spec
        progress = Progress(before.rows + row_count, before.bytes + len(data), before.estimated_rows)
        if progress.rows > spec.row_limit:
            raise ExportFailedError(FailureCode.RESULT_TOO_LARGE, f"more than {spec.row_limit} rows")
        if progress.bytes > spec.byte_limit:
            raise ExportFailedError(FailureCode.RESULT_TOO_LARGE, f"more than {spec.byte_limit} bytes")
        self._progress = progress
        return Piece(rows, data, progress)


def spec_of(job: Job | NewJob, definition: Definition, settings: Settings) -> ExportSpec:
    """What an attempt at the job has to do, within the definition's limits, or else the settings'."""
    return ExportSpec(
        export=job.export, owner=job.owner, tenant=job.tenant, parameters_json=job.parameters_json, format=job.format,
        columns=job.columns, row_limit=definition.result_limit_rows or settings.result_limit_rows,
        byte_limit=definition.result_limit_bytes or settings.result_limit_bytes,
    )  # fmt: skip


@contextmanager
def render(
    definition: Definition | None, spec: ExportSpec, source: SourceSpec | None = None, *, by_database: bool = False
) -> Iterator[Rendering]:
    """Open the rows of one attempt; `source` replaces the declared one.

    `by_database` lets the database write the rows' text where it can.

    Raises ExportFailedError, or whatever the export's own code raises: `outlast.extract.classify` tells what it means.
    """
    if definition is None:
        raise ExportFailedError(FailureCode.UNKNOWN_EXPORT)
    format_, options = FORMATS[spec.format], definition.file_options
    boundary("child.before_extraction")
    owner = Owner(spec.owner, spec.tenant)
    text = format_.text(options) if by_database else None
    with extract(definition, owner, spec.parameters_json, spec.columns, source, text) as extraction:
        yield Rendering(format_.encoder(extraction.shape, options), extraction, spec, options)
