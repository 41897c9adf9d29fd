"""Whether a file is what its manifest says, and for a ZIP of parts whether each part is."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from outlast.cli.finding import UsageError

VERSION = 1
MANIFEST_LIMIT_BYTES = 16 * 1024 * 1024
ZIP_MEDIA_TYPE = "application/zip"
PARTS_NAME = "manifest.json"

_PIECE_BYTES = 1024 * 1024
_UNPACKING_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)

Count = Annotated[int, Field(ge=0)]


class Claim(BaseModel):
    """What a manifest says of one file; `rows` is said, and proved by the digest alone."""

    model_config = ConfigDict(strict=True, frozen=True)

    filename: str
    bytes: Count
    rows: Count
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class FileClaim(Claim):
    """What a result's manifest says of it; `manifest` is the manifest's version."""

    manifest: Annotated[int, Field(ge=1)]
    content_type: str


class _Parts(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)

    parts: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found: sizes in bytes, the digest in hex, the number of parts of a ZIP, and all that is wrong."""

    file: str
    bytes: int
    sha256: str
    rows: int
    parts: int | None
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether the file is what the manifest says."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class _Content:
    bytes: int
    sha256: str


Model = TypeVar("Model", bound=BaseModel)


def read_manifest(data: bytes, name: str) -> FileClaim:
    """The manifest in `data`, of which people know as `name`. Raises UsageError when it is none that can be used."""
    if len(data) > MANIFEST_LIMIT_BYTES:
        message = f"{name} is too large to be a manifest"
        raise UsageError(message)
    claim = _parsed(FileClaim, data, name)
    if claim.manifest > VERSION:
        message = f"{name} is a manifest of version {claim.manifest}; this Outlast knows version {VERSION}"
        raise UsageError(message)
    return claim


def verify(path: Path, claim: FileClaim) -> Verdict:
    """Compare the file with what is said of it. Raises OSError when it can't be read."""
    with path.open("rb") as file:
        content = _read(file)
        problems = list(_differences(content, claim))
        parts = None
        if claim.content_type == ZIP_MEDIA_TYPE:
            parts, wrong = _look_into(file, claim.rows)
            problems += wrong
    return Verdict(str(path), content.bytes, content.sha256, claim.rows, parts, tuple(problems))


def _parsed(model: type[Model], data: bytes, name: str) -> Model:
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        message = f"{name} is not a manifest: {f'{where}: ' if where else ''}{first['msg']}"
        raise UsageError(message) from None


def _read(file: IO[bytes], limit_bytes: int | None = None) -> _Content:
    """Read to the end, or until it is longer than `limit_bytes`, in bounded memory."""
    digest, length = hashlib.sha256(), 0
    while (limit_bytes is None or length <= limit_bytes) and (piece := file.read(_PIECE_BYTES)):
        digest.update(piece)
        length += len(piece)
    return _Content(length, digest.hexdigest())


def _differences(content: _Content, claim: Claim) -> Iterator[str]:
    if content.bytes < claim.bytes:
        yield f"it ends after {content.bytes:,} of {claim.bytes:,} bytes"
    elif content.bytes > claim.bytes:
        yield f"it is longer than the {claim.bytes:,} bytes that the manifest says"
    elif content.sha256 != claim.sha256:
        yield f"its bytes are others: its SHA-256 is not {claim.sha256}"


def _look_into(file: IO[bytes], rows: int) -> tuple[int | None, list[str]]:
    """How many parts the ZIP says it has, None where it says nothing of parts, and what is wrong with them."""
    try:
        archive = zipfile.ZipFile(file)
        if PARTS_NAME not in archive.namelist():
            return None, []
        with archive.open(PARTS_NAME) as member:
            parts = _parsed(_Parts, member.read(MANIFEST_LIMIT_BYTES), PARTS_NAME).parts
    except UsageError as error:
        return None, [f"in the ZIP, {error}"]
    except _UNPACKING_ERRORS as error:
        return None, [f"its parts can't be looked at: it is no whole ZIP ({type(error).__name__})"]
    return len(parts), [*_wrong_members(archive, parts, rows), *_wrong_parts(archive, parts)]


def _wrong_members(archive: zipfile.ZipFile, parts: tuple[Claim, ...], rows: int) -> Iterator[str]:
    named = Counter(part.filename for part in parts) + Counter({PARTS_NAME: 1})
    found = Counter(archive.namelist())
    yield from (f"{name} is not in the ZIP" for name in sorted((named - found).keys()))
    yield from (f"{name} is in the ZIP, but not in its manifest" for name in sorted((found - named).keys()))
    of_parts = sum(part.rows for part in parts)
    if of_parts != rows:
        yield f"its parts have {of_parts:,} rows together, the manifest says {rows:,}"


def _wrong_parts(archive: zipfile.ZipFile, parts: tuple[Claim, ...]) -> Iterator[str]:
    present = set(archive.namelist())
    for part in parts:
        if part.filename in present:
            try:
                with archive.open(part.filename) as member:
                    content = _read(member, part.bytes)
            except _UNPACKING_ERRORS as error:
                yield f"{part.filename} can't be unpacked ({type(error).__name__})"
            else:
                yield from (f"{part.filename}: {problem}" for problem in _differences(content, part))
