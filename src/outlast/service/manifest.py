"""The manifest: what a result is, for whoever holds its file. One document, for the API and for people's tests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from outlast.model import Job, Result, StagedResult
from outlast.service.document import timestamp

VERSION = 1
SUFFIX = ".manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest as a file of its own."""

    filename: str
    content: bytes


def manifest_document(
    file: Result | StagedResult,
    export: str,
    format: str,
    *,
    job_id: str | None = None,
    created_at: datetime | None = None,
) -> dict[str, Any]:
    """The manifest as a JSON object: sizes in bytes, the digest in hex, times as in the job's document.

    What isn't known is null: columns, extraction and options of results that an earlier version made.
    """
    details = file.details
    return {
        "manifest": VERSION, "job": job_id, "export": export, "format": format, "filename": file.filename,
        "content_type": file.content_type, "bytes": file.bytes, "rows": file.rows, "sha256": file.sha256,
        "as_of": timestamp(file.as_of), "created_at": timestamp(created_at), "columns": details.get("columns"),
        "extraction": details.get("extraction"), "options": details.get("options"), "warnings": list(file.warnings),
    }  # fmt: skip


def manifest_of(job: Job, result: Result) -> Manifest:
    """A committed result's manifest, the same bytes each time."""
    document = manifest_document(result, job.export, job.format, job_id=job.id, created_at=result.created_at)
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    # A lone surrogate becomes \udc80, which is how JSON escapes it.
    return Manifest(result.filename + SUFFIX, text.encode("utf-8", "backslashreplace"))
