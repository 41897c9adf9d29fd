"""One attempt's rows becoming a file's bytes, within its limits: the one loop, for the child and for people's tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from outlast.boundary import boundary
from outlast.declare import Definition, Owner
from outlast.errors import ExportFailedError, FailureCode
from outlast.extract import Batch, Extraction, SourceSpec, extract
from outlast.formats import FORMATS, Encoder, FileOptions, Page, Row, encoder_of, row_count, text_of
from outlast.model import ExportSpec, Job, Progress
from outlast.settings import Settings

if TYPE_CHECKING:
    from outlast.database.new_jobs import NewJob


OnRows: TypeAlias = Callable[[Sequence[Row]], object]


@dataclass(frozen=True, slots=True)
class Piece:
    """Some bytes of the file, and the progress with them."""

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

    def __init__(
        self, encoder: Encoder, extraction: Extraction, spec: ExportSpec, options: FileOptions, on_rows: OnRows | None
    ) -> None:
        """Begin with nothing rendered."""
        self._encoder = encoder
        self._extraction = extraction
        self._spec = spec
        self._options = options
        self._on_rows = on_rows
        self._progress = Progress(0, 0, extraction.estimated_rows, extraction.estimate_source)

    def __iter__(self) -> Iterator[Piece]:
        """Give the pieces, once. Raises ExportFailedError RESULT_TOO_LARGE, and what extraction and encoder raise."""
        for data in self._encoder.stream(self._counted()):
            progress = replace(self._progress, bytes=self._progress.bytes + len(data))
            if progress.bytes > self._spec.byte_limit:
                raise ExportFailedError(FailureCode.RESULT_TOO_LARGE, f"more than {self._spec.byte_limit} bytes")
            self._progress = progress
            yield Piece(data, progress)

    @property
    def rendered(self) -> Rendered:
        """What the pieces taken so far add up to."""
        encoder, progress = self._encoder, self._progress
        return Rendered(
            progress.rows, progress.bytes, encoder.content_type, encoder.extension,
            self._extraction.as_of, (*self._extraction.warnings, *encoder.warnings), self._details(),
        )  # fmt: skip

    def _details(self) -> dict[str, Any]:
        """What the manifest says beyond counts and times."""
        extraction = self._extraction
        return {
            "columns": [{"name": column.name, "type": column.kind.value} for column in extraction.shape.columns],
            "extraction": extraction.path.value,
            "options": self._options.model_dump(),
        }

    def _counted(self) -> Iterator[Batch | Page]:
        """Give what the extraction gives, its rows counted and shown."""
        limit = self._spec.row_limit
        for piece in self._extraction.pieces:
            self._progress = replace(self._progress, rows=self._progress.rows + row_count(piece))
            if self._progress.rows > limit:
                raise ExportFailedError(FailureCode.RESULT_TOO_LARGE, f"more than {limit} rows")
            if self._on_rows is not None and not isinstance(piece, Page):
                self._on_rows(piece)
            yield piece


def spec_of(job: Job | NewJob, definition: Definition, settings: Settings) -> ExportSpec:
    """What an attempt at the job has to do, within the definition's limits, or else the settings'."""
    return ExportSpec(
        export=job.export, owner=job.owner, tenant=job.tenant, parameters_json=job.parameters_json, format=job.format,
        columns=job.columns, row_limit=definition.result_limit_rows or settings.result_limit_rows,
        byte_limit=definition.result_limit_bytes or settings.result_limit_bytes,
    )  # fmt: skip


@contextmanager
def render(
    definition: Definition | None,
    spec: ExportSpec,
    source: SourceSpec | None = None,
    *,
    by_database: bool = False,
    on_rows: OnRows | None = None,
) -> Iterator[Rendering]:
    """Open the rows of one attempt; `source` replaces the declared one.

    `by_database` lets the database write the rows' text where it can; `on_rows` sees those that come as values.

    Raises ExportFailedError, or whatever the export's own code raises: `outlast.extract.classify` tells what it means.
    """
    if definition is None:
        raise ExportFailedError(FailureCode.UNKNOWN_EXPORT)
    format_, options = FORMATS[spec.format], definition.file_options
    boundary("child.before_extraction")
    owner = Owner(spec.owner, spec.tenant)
    text = text_of(format_, options) if by_database else None
    with extract(definition, owner, spec.parameters_json, spec.columns, source, text) as extraction:
        yield Rendering(encoder_of(format_, extraction.shape, options), extraction, spec, options, on_rows)
