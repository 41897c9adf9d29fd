"""Sample parameters, made from an export's JSON Schema, and sample owners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from outlast.declare.definition import Definition
from outlast.declare.signature import OwnerKind
from outlast.errors import RequestRefusedError

SENTINEL_INTEGER = 1_928_374_655
"""An owner whom no definition can mean by chance; he fits 32 bits."""
SENTINEL_UUID = UUID("5e17a9c4-0b6d-4f83-9a21-7c3ed05b18f6")

_TEXT_SAMPLES = {
    "date": "2024-02-29",
    "date-time": "2024-02-29T12:30:00Z",
    "time": "12:30:00Z",
    "duration": "P1D",
    "uuid": "0d9b1a52-6a3f-4c6e-8f0e-3f6d2b7a9c11",
    "email": "sample@example.com",
    "uri": "https://example.com/",
}
_TEXT = "sample"


def sample_owners(definition: Definition) -> tuple[str, ...]:
    """Give the ids to try, in this order."""
    if definition.sample_owner is not None:
        return (definition.sample_owner,)
    if definition.owner_kind is OwnerKind.INTEGER:
        return (str(SENTINEL_INTEGER),)
    if definition.owner_kind is OwnerKind.UUID:
        return (str(SENTINEL_UUID),)
    return (str(SENTINEL_INTEGER), str(SENTINEL_UUID))


def sample_parameters(definition: Definition) -> tuple[list[dict[str, Any]], str | None]:
    """Give validated samples, without what is optional and with everything, and why there are fewer, if so."""
    schema = definition.json_schema()
    properties: dict[str, Any] = schema.get("properties", {})
    required = schema.get("required", [])
    whole = {name: _sample(part, schema) for name, part in properties.items()}
    samples: list[dict[str, Any]] = []
    missing = None
    for sample in ({name: whole[name] for name in required}, whole):
        try:
            validated = definition.validate_parameters(sample)
        except RequestRefusedError as error:
            names = ", ".join(sorted({str(item["pointer"]).split("/")[2] for item in error.members["errors"]}))
            missing = f"no sample could be made for {names}; give one: Annotated[…, Field(examples=[…])]"
        else:
            if validated not in samples:
                samples.append(validated)
    return samples, missing


def _sample(part: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    """Give a value that probably fits; whether it does is decided by validation."""
    if "$ref" in part:
        return _sample(schema["$defs"][part["$ref"].rpartition("/")[2]], schema)
    for key in ("examples", "enum"):
        if part.get(key):
            return part[key][0]
    if "const" in part:
        return part["const"]
    for key in ("anyOf", "oneOf", "allOf"):
        if part.get(key):
            choices = part[key]
            return _sample(next((choice for choice in choices if choice.get("type") != "null"), choices[0]), schema)
    return _sample_of_type(part, schema)


def _sample_of_type(part: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    kind = part.get("type")
    if kind == "string":
        text = _TEXT_SAMPLES.get(part.get("format", ""), _TEXT)
        return text.ljust(part.get("minLength", 0), "x")[: part.get("maxLength")]
    if kind in {"integer", "number"}:
        return _sample_number(part)
    if kind == "boolean":
        return True
    if kind == "array":
        return [_sample(part.get("items", {}), schema)] * max(1, part.get("minItems", 1))
    if kind == "object":
        return {name: _sample(part["properties"][name], schema) for name in part.get("required", [])}
    return None


def _sample_number(part: Mapping[str, Any]) -> int | float:
    step: int | float = part.get("multipleOf", 1)
    low: int | float | None = part.get("minimum", part.get("exclusiveMinimum"))
    high: int | float | None = part.get("maximum", part.get("exclusiveMaximum"))
    if low is not None:
        number: int | float = -(-low // step) * step
        return number + step if "exclusiveMinimum" in part and number <= low else number
    if high is not None:
        number = high // step * step
        return number - step if "exclusiveMaximum" in part and number >= high else number
    return step
