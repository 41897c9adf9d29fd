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
from outlast.formats import FORMATS, Encoder, Row
from outlast.model import ExportSpec, Job, Progress
from outlast.settings import Settings

if TYPE_CHECKING:
    from outlast.database.new_jobs import NewJob


@dataclass(frozen=True, slots=True)
class Piece:
    """Some whole rows (none, before the first and after the last), their bytes, and the progress with them."""

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


class Rendering:
    """The file in pieces; what they add up to is known when all were taken."""

    def __init__(self, encoder: Encoder, extraction: Extraction, spec: ExportSpec) -> None:
        """Begin with nothing rendered."""
        self._encoder = encoder
        self._extraction = extraction
        self._spec = spec
        self._progress = Progress(0, 0, extraction.estimated_rows)

    def __iter__(self) -> Iterator[Piece]:
        """Give the pieces, once. Raises ExportFailedError RESULT_TOO_LARGE, and what extraction and encoder raise."""
        yield self._piece((), self._encoder.begin())
        for batch in self._extraction.batches:
            yield self._piece(batch, self._encoder.encode(batch))
        yield self._piece((), self._encoder.end())

    @property
    def rendered(self) -> Rendered:
        """What the pieces taken so far add up to."""
        encoder, progress = self._encoder, self._progress
        return Rendered(
            progress.rows, progress.bytes, encoder.content_type, encoder.extension,
            self._extraction.as_of, encoder.warnings,
        )  # fmt: skip

    def _piece(self, rows: Sequence[Row], data: bytes) -> Piece:
        before, spec = self._progress, self._spec
        progress = Progress(before.rows + len(rows), before.bytes + len(data), before.estimated_rows)
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
def render(definition: Definition | None, spec: ExportSpec, source: SourceSpec | None = None) -> Iterator[Rendering]:
    """Open the rows of one attempt; `source` replaces the declared one.

    Raises ExportFailedError, or whatever the export's own code raises: `outlast.extract.classify` tells what it means.
    """
    if definition is None:
        raise ExportFailedError(FailureCode.UNKNOWN_EXPORT)
    encoder = FORMATS[spec.format](spec.columns, definition.unencodable)
    boundary("child.before_extraction")
    owner = Owner(spec.owner, spec.tenant)
    with extract(definition, owner, spec.parameters_json, spec.columns, source) as extraction:
        yield Rendering(encoder, extraction, spec)
