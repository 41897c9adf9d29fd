"""What a function's signature declares: its parameters as a Pydantic model, and how it wants its owner."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, get_args, get_origin, get_type_hints
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic.errors import PydanticUserError
from sqlalchemy import Connection

from outlast.errors import DefinitionError
from outlast.model import Owner

FIELD_PREFIX = "p_"
"""Goes before a parameter's name in the model, so that `copy` or `schema` shadow nothing; the alias is the name."""


class OwnerId:
    """Marks an owner parameter that wants the bare id: `owner: Annotated[int, OwnerId]`, or UUID, or str.

    The tenant is not part of it: where two tenants' ids may be equal, take `owner: Owner`.
    """


class OwnerKind(StrEnum):
    """How a definition wants its owner."""

    OWNER = "owner"
    INTEGER = "integer"
    UUID = "uuid"
    TEXT = "text"


_ID_KINDS: dict[object, OwnerKind] = {int: OwnerKind.INTEGER, UUID: OwnerKind.UUID, str: OwnerKind.TEXT}


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters, and which of the function's arguments is the owner, as what; both None without one.

    `connection_argument` is the one that wants a connection to the export's source.
    """

    parameters: type[BaseModel]
    owner_argument: str | None
    owner_kind: OwnerKind | None
    connection_argument: str | None = None


def signature_of(function: Callable[..., Any], export: str) -> Signature:
    """Read `function`'s signature. Raises DefinitionError naming the export and the parameter."""
    if not inspect.isroutine(function) or inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise DefinitionError(f"export {export!r}: it must be a plain function, neither async nor a class")
    try:
        hints = get_type_hints(function, include_extras=True)
    except (NameError, TypeError, SyntaxError) as error:
        raise DefinitionError(f"export {export!r}: an annotation can't be resolved: {error}") from error
    owner: tuple[str | None, OwnerKind | None] = (None, None)
    connection: str | None = None
    fields: dict[str, tuple[Any, Any]] = {}
    for parameter in inspect.signature(function).parameters.values():
        annotation = _annotation_of(parameter, hints, export)
        kind = _owner_kind(annotation, export)
        if annotation is Connection:
            if connection is not None:
                raise DefinitionError(f"export {export!r}: both {connection!r} and {parameter.name!r} are connections")
            connection = parameter.name
        elif kind is None:
            fields[parameter.name] = (annotation, parameter.default)
        elif owner[0] is not None:
            raise DefinitionError(f"export {export!r}: both {owner[0]!r} and {parameter.name!r} are the owner")
        else:
            owner = (parameter.name, kind)
    return Signature(parameters_model(export, fields), *owner, connection)


def parameters_model(export: str, fields: Mapping[str, tuple[Any, Any]]) -> type[BaseModel]:
    """Build the model of an export's parameters from each one's annotation and default (`Parameter.empty`: required).

    Raises DefinitionError for a type that Pydantic or JSON Schema doesn't know, and for a default that doesn't fit.
    """
    required = {name: (kind, ...) for name, (kind, default) in fields.items() if default is inspect.Parameter.empty}
    optional = {name: field for name, field in fields.items() if name not in required}
    try:
        _model(export, optional).model_validate({})
        # In the order of the signature, for that is the order in which people read the schema.
        model = _model(export, {name: required.get(name) or optional[name] for name in fields})
        model.model_json_schema()
    except ValidationError as error:
        places = [str(item["loc"][0]).removeprefix(FIELD_PREFIX) for item in error.errors(include_input=False)]
        wrong = ", ".join(map(repr, places))
        raise DefinitionError(f"export {export!r}: the default of {wrong} is not a valid value for it") from None
    except (PydanticUserError, TypeError) as error:
        reason = str(error).partition("\n")[0]
        raise DefinitionError(f"export {export!r}: a parameter's type is not supported: {reason}") from error
    return model


def _model(export: str, fields: Mapping[str, tuple[Any, Any]]) -> type[BaseModel]:
    config = ConfigDict(extra="forbid", frozen=True, validate_default=True, allow_inf_nan=False)
    prefixed = {
        FIELD_PREFIX + name: (annotation, Field(default, alias=name)) for name, (annotation, default) in fields.items()
    }
    model: type[BaseModel] = create_model(export, __config__=config, **prefixed)  # type: ignore[call-overload]
    return model


def _annotation_of(parameter: inspect.Parameter, hints: Mapping[str, object], export: str) -> object:
    where = f"export {export!r}: parameter {parameter.name!r}"
    if parameter.kind in {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}:
        raise DefinitionError(f"{where} takes anything; name every parameter instead of * or **")
    if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
        raise DefinitionError(f"{where} is positional-only, but parameters are given by name")
    if parameter.name not in hints:
        raise DefinitionError(f"{where} has no type annotation")
    return hints[parameter.name]


def _owner_kind(annotation: object, export: str) -> OwnerKind | None:
    if annotation is Owner:
        return OwnerKind.OWNER
    if get_origin(annotation) is not Annotated:
        return None
    kind, *marks = get_args(annotation)
    if not any(mark is OwnerId or isinstance(mark, OwnerId) for mark in marks):
        return None
    if kind not in _ID_KINDS:
        raise DefinitionError(f"export {export!r}: OwnerId goes with one of int, UUID and str")
    return _ID_KINDS[kind]
