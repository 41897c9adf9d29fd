"""The shapes of our answers, for the OpenAPI document: they validate nothing."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from outlast.errors import FailureCode
from outlast.model import EstimateSource, Status
from outlast.service import SHOWN_LIMIT

Count = Annotated[int, Field(ge=0)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Shape(BaseModel):
    """Nothing else is in it."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


class ProgressShape(Shape):
    """How far the current attempt is.

    The estimate is one, and says where it comes from; it is always above `rows`, and null once it was reached and
    after a success.
    """

    rows: Count
    bytes: Count
    estimated_rows: Count | None
    estimate: EstimateSource | None


class FailureShape(Shape):
    """Why an export failed."""

    code: FailureCode
    title: str


class WarningShape(BaseModel):
    """What was changed because the format can't carry it: how often, in which column, and in which rows first."""

    model_config = ConfigDict(title="ExportWarning")

    code: str
    column: str | None = None
    count: Count
    first_rows: list[Count] = []


class ResultShape(Shape):
    """The file that can be downloaded, or could be until it expired."""

    bytes: Count
    rows: Count
    sha256: Digest
    content_type: str
    filename: str
    as_of: datetime | None
    expires_at: datetime
    warnings: list[WarningShape]


class ColumnShape(Shape):
    """A column of the file and the type of what it holds."""

    name: str
    type: str


class ManifestShape(Shape):
    """What a file is, for whoever holds it; what is unknown is null."""

    model_config = ConfigDict(title="ExportManifest")

    manifest: Annotated[int, Field(ge=1)]
    job: str
    export: str
    format: str
    filename: str
    content_type: str
    bytes: Count
    rows: Count
    sha256: Digest
    as_of: datetime | None
    created_at: datetime
    columns: list[ColumnShape] | None
    extraction: str | None
    options: dict[str, Any] | None
    warnings: list[WarningShape]


class LinksShape(Shape):
    """Where to go next; null where it would not work."""

    self: str
    result: str | None
    manifest: str | None
    cancel: str | None
    regenerate: str | None


class JobShape(Shape):
    """An export that was asked for. Times are RFC 3339 in UTC; what is unknown is null."""

    model_config = ConfigDict(title="Export")

    id: str
    export: str
    format: str
    status: Status
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    deadline_at: datetime
    attempt_count: Count
    progress: ProgressShape
    error: FailureShape | None
    regenerated_from: str | None
    result: ResultShape | None
    links: LinksShape


class PageShape(Shape):
    """A part of the history, newest first; `next_cursor` leads to the next one and is null at the end."""

    model_config = ConfigDict(title="ExportPage")

    items: list[JobShape]
    next_cursor: str | None


class DefinitionShape(Shape):
    """What may be asked for; `parameters` is a JSON Schema."""

    export: str
    description: str
    parameters: dict[str, Any]
    columns: list[str]
    formats: list[str]


class DefinitionsShape(Shape):
    """All that may be asked for."""

    model_config = ConfigDict(title="ExportDefinitions")

    items: list[DefinitionShape]


class ProblemShape(BaseModel):
    """Why a request was refused (RFC 9457)."""

    type: Annotated[str, Field(pattern="^urn:outlast:problem:[a-z_]+$")]
    title: str
    status: int
    detail: str | None = None
    request_id: str
    errors: Annotated[list[dict[str, str]], Field(max_length=SHOWN_LIMIT + 4)] = []
