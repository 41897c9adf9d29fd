"""The shapes of our answers, for the OpenAPI document: they validate nothing."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from outlast.errors import FailureCode
from outlast.model import Status
from outlast.service import SHOWN_LIMIT

Count = Annotated[int, Field(ge=0)]


class Shape(BaseModel):
    """Nothing else is in it."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


class ProgressShape(Shape):
    """How far the current attempt is; the estimate is one."""

    rows: Count
    bytes: Count
    estimated_rows: Count | None


class FailureShape(Shape):
    """Why an export failed."""

    code: FailureCode
    title: str


class ResultShape(Shape):
    """The file that can be downloaded, or could be until it expired."""

    bytes: Count
    rows: Count
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    content_type: str
    filename: str
    as_of: datetime | None
    expires_at: datetime
    warnings: list[dict[str, Any]]


class LinksShape(Shape):
    """Where to go next; null where it would not work."""

    self: str
    result: str | None
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
