"""What may be asked for, as JSON Schema: one variant an export, so that a client can be made from the document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from outlast.declare import Definition

WITHOUT_NUL = "^[^\\u0000]*$"
"""What every text has to match."""

_REFERENCE = "#/$defs/"
_NESTING_LIMIT = 8


def request_schema(definitions: Sequence[Definition]) -> dict[str, Any]:
    """The schema of a request's body, for the exports that are declared by now."""
    variants = [_variant(definition) for definition in definitions]
    return {"title": "ExportRequest", "oneOf": variants} if variants else _any_export()


def _variant(definition: Definition) -> dict[str, Any]:
    parameters = definition.json_schema()
    required = ["export", "parameters"] if parameters.get("required") else ["export"]
    return {
        "title": f"ExportRequest_{definition.name}",
        "type": "object",
        "description": definition.description,
        "properties": {
            "export": {"const": definition.name},
            "parameters": _inlined(parameters, parameters.get("$defs", {})),
            "format": {"enum": list(definition.formats), "default": definition.formats[0]},
            "columns": {
                "type": "array",
                "items": {"enum": list(definition.columns)},
                "minItems": 1,
                "uniqueItems": True,
            },
        },
        "required": required,
        "additionalProperties": False,
    }


def _any_export() -> dict[str, Any]:
    return {"title": "ExportRequest", "type": "object", "required": ["export"]}


def _inlined(schema: Any, shared: Mapping[str, Any], levels: int = _NESTING_LIMIT) -> Any:  # noqa: ANN401 - JSON
    """The schema without references, which would mean something else inside the document; a recursive one is cut."""
    if isinstance(schema, list):
        return [_inlined(item, shared, levels) for item in schema]
    if not isinstance(schema, dict):
        return schema
    reference = schema.get("$ref", "")
    if reference.startswith(_REFERENCE):
        return _inlined(shared[reference.removeprefix(_REFERENCE)], shared, levels - 1) if levels else {}
    members = {name: _inlined(member, shared, levels) for name, member in schema.items() if name != "$defs"}
    if members.get("type") == "string" and not members.keys() & {"pattern", "format", "enum", "const"}:
        members["pattern"] = WITHOUT_NUL
    return members
