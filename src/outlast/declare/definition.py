"""One export, declared: what it is called, what it takes, what it yields, and for whom."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from typing import Annotated, Any, TypeAlias
from uuid import UUID

from pydantic import BaseModel, Field, ValidationError
from sqlalchemy import Connection, Select
from typing_extensions import TypedDict

from outlast.declare.signature import FIELD_PREFIX, OwnerKind
from outlast.errors import ExportFailedError, FailureCode, ProblemCode, RequestRefusedError
from outlast.extract import SourceSpec, Statement
from outlast.formats import FileOptions, Kind
from outlast.model import Owner

Query: TypeAlias = Select[*tuple[Any, ...]]
"""What an export's function returns when it selects; any other statement with rows, or an iterable, does as well."""

Rows: TypeAlias = Statement | Iterable[Any]

_INTEGER_RANGE = range(-(2**63), 2**63)
_NUMERAL = re.compile(r"[+-]?[0-9.]+")
_ISO = "Input should be spelled as in ISO 8601"
_REPORTED_ERRORS = 20
_PATH_PART_CHARACTERS = 100


class Options(TypedDict, total=False):
    """What an export may say beyond name and columns; the same words in Python and in `outlast.toml`."""

    source: SourceSpec
    formats: Annotated[tuple[str, ...], Field(min_length=1)]
    owner_scoped: bool
    sample_owner: str
    file_options: FileOptions
    types: dict[str, Kind]
    filename: Annotated[str, Field(min_length=1, max_length=200)]
    attempt_timeout_seconds: Annotated[float, Field(gt=0)]
    deadline_seconds: Annotated[float, Field(gt=0)]
    result_limit_rows: Annotated[int, Field(ge=1)]
    result_limit_bytes: Annotated[int, Field(ge=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """An export as it was declared. A limit that is None leaves the setting of that name in force.

    `filename` has no extension; `owner_kind` is None when the export doesn't want to know its owner;
    `types` are columns' kinds where they are declared;
    `connection_argument` is the function's argument that gets a read-only connection to `source`, in one snapshot;
    `build` takes the owner as its kind says and the validated parameters, all by name.
    """

    name: str
    description: str
    columns: tuple[str, ...]
    parameters: type[BaseModel]
    owner_argument: str | None
    owner_kind: OwnerKind | None
    build: Callable[..., Rows]
    formats: tuple[str, ...]
    filename: str
    source: SourceSpec | None = field(default=None, repr=False)
    owner_scoped: bool = True
    sample_owner: str | None = None
    file_options: FileOptions = field(default_factory=FileOptions)
    types: Mapping[str, Kind] = field(default_factory=dict)
    connection_argument: str | None = None
    attempt_timeout_seconds: float | None = None
    deadline_seconds: float | None = None
    result_limit_rows: int | None = None
    result_limit_bytes: int | None = None

    def validate_parameters(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Check what a caller sent and fill the defaults in; the answer holds JSON values only.

        Raises RequestRefusedError INVALID_REQUEST, with an `errors` member as in RFC 9457 section 3: each wrong
        parameter's JSON pointer and what it should be, but not what it was.
        """
        try:
            parameters = self.parameters.model_validate_json(json.dumps(raw), strict=True)
        except ValidationError as error:
            raise _invalid(_errors_of(error)) from None
        counted = [
            name for name, value in parameters if _is_counted_time(raw.get(name.removeprefix(FIELD_PREFIX)), value)
        ]
        if counted:
            raise _invalid(
                [{"pointer": _pointer((name.removeprefix(FIELD_PREFIX),)), "detail": _ISO} for name in counted]
            )
        return parameters.model_dump(mode="json", by_alias=True)

    def parse_owner(self, owner_id: str, tenant: str = "default") -> Owner | int | UUID | str:
        """Give the owner as the function wants him.

        Raises RequestRefusedError FORBIDDEN if his id is not of the declared kind, in its canonical spelling: were
        "07" taken for 7, two owners would share one owner's rows.
        """
        try:
            if self.owner_kind is OwnerKind.INTEGER:
                return _canonical_integer(owner_id)
            if self.owner_kind is OwnerKind.UUID:
                return _canonical_uuid(owner_id)
        except ValueError:
            raise RequestRefusedError(
                ProblemCode.FORBIDDEN, f"The export {self.name!r} is only for owners whose id is {self.owner_kind}."
            ) from None
        return owner_id if self.owner_kind is OwnerKind.TEXT else Owner(owner_id, tenant)

    def rows_of(self, owner: Owner, parameters_json: str, connection: Connection | None = None) -> Rows:
        """Call the export's function, with the connection if it wants one: the statement to run, or the iterable.

        Raises ExportFailedError when the stored parameters or the owner no longer fit the definition.
        """
        try:
            parameters = self.parameters.model_validate_json(parameters_json, strict=True)
        except ValidationError as error:
            paths = ", ".join(item["pointer"] for item in _errors_of(error))
            raise ExportFailedError(FailureCode.INVALID_PARAMETERS, f"no longer valid: {paths}") from None
        arguments: dict[str, Any] = {name.removeprefix(FIELD_PREFIX): value for name, value in parameters}
        if self.owner_argument is not None:
            try:
                arguments[self.owner_argument] = self.parse_owner(owner.id, owner.tenant)
            except RequestRefusedError as error:
                raise ExportFailedError(FailureCode.OWNERSHIP_VIOLATION, f"owner is not {self.owner_kind}") from error
        if self.connection_argument is not None:
            arguments[self.connection_argument] = connection
        return self.build(**arguments)

    def json_schema(self) -> dict[str, Any]:
        """Describe the parameters as JSON Schema (draft 2020-12)."""
        return self.parameters.model_json_schema()


def _canonical_integer(text: str) -> int:
    if len(text) > len(str(_INTEGER_RANGE.start)) or not re.fullmatch(r"0|-?[1-9][0-9]*", text):
        raise ValueError
    number = int(text)
    if number not in _INTEGER_RANGE:
        raise ValueError
    return number


def _canonical_uuid(text: str) -> UUID:
    number = UUID(text)
    if str(number) != text.lower():
        raise ValueError
    return number


def _is_counted_time(raw: object, value: object) -> bool:
    """Whether digits were taken for seconds since 1970, as Pydantic does: "20260301" would be a day in that year."""
    return isinstance(value, date | time | timedelta) and isinstance(raw, str) and bool(_NUMERAL.fullmatch(raw))


def _invalid(errors: list[dict[str, str]]) -> RequestRefusedError:
    detail = "; ".join(f"{item['pointer'].removeprefix('#/')}: {item['detail']}" for item in errors)
    return RequestRefusedError(ProblemCode.INVALID_REQUEST, detail, errors=errors)


def _errors_of(error: ValidationError) -> list[dict[str, str]]:
    items = error.errors(include_input=False, include_url=False, include_context=False)
    return [
        {"pointer": _pointer(item["loc"]), "detail": _message(item["type"], item["msg"])}
        for item in items[:_REPORTED_ERRORS]
    ]


def _pointer(path: tuple[int | str, ...]) -> str:
    """Give the JSON pointer (RFC 6901) of a parameter within the request's body, as a fragment."""
    parts = (str(part)[:_PATH_PART_CHARACTERS].replace("~", "~0").replace("/", "~1") for part in path)
    return "/".join(["#/parameters", *parts])


def _message(kind: str, message: str) -> str:
    """Keep what a value should be; Pydantic's reasons after the comma quote pieces of what it was."""
    return message.partition(",")[0] if kind.endswith("_parsing") else message
