"""An export in SQL: its parameters bound with declared types, never interpolated."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, TypeAlias
from uuid import UUID

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    StrictInt,
    StrictStr,
    TypeAdapter,
    ValidationError,
)
from sqlalchemy import (
    BigInteger,
    Boolean,
    Date,
    DateTime,
    Float,
    String,
    TextClause,
    Uuid,
    bindparam,
    text,
)
from sqlalchemy.types import TypeEngine

from outlast.declare.signature import OwnerKind, Signature, parameters_model
from outlast.errors import DefinitionError

TypeName: TypeAlias = Literal["string", "integer", "number", "boolean", "date", "datetime", "uuid"]

OWNER = "owner"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_INTEGER_MINIMUM, _INTEGER_MAXIMUM = -(2**63), 2**63 - 1

_UtcDatetime = Annotated[AwareDatetime, AfterValidator(lambda value: value.astimezone(UTC))]
"""An instant. SQLite's columns carry no offset: it is bound there as `YYYY-MM-DD HH:MM:SS.ffffff` in UTC."""

_PYTHON: dict[TypeName, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "date": date,
    "datetime": _UtcDatetime,
    "uuid": UUID,
}
_SQL: dict[TypeName, TypeEngine[Any]] = {
    "string": String(),
    "integer": BigInteger(),
    "number": Float(),
    "boolean": Boolean(),
    "date": Date(),
    "datetime": DateTime(timezone=True),
    "uuid": Uuid(),
}
_OWNER_SQL: dict[OwnerKind, TypeEngine[Any]] = {
    OwnerKind.INTEGER: BigInteger(),
    OwnerKind.UUID: Uuid(),
    OwnerKind.TEXT: String(),
}
_CONSTRAINTS: dict[str, tuple[TypeName, ...]] = {
    "enum": ("string", "integer"),
    "minimum": ("integer", "number"),
    "maximum": ("integer", "number"),
    "max_length": ("string",),
}


class ParameterTable(BaseModel):
    """A parameter as `outlast.toml` declares it. One that is optional and wasn't given is bound as a typed NULL."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: TypeName
    description: str | None = None
    optional: bool = False
    default: str | int | float | bool | datetime | date | None = None
    enum: Annotated[tuple[StrictStr | StrictInt, ...], Field(min_length=1)] | None = None
    minimum: int | float | None = None
    maximum: int | float | None = None
    max_length: Annotated[int, Field(ge=1)] | None = None


class SqlExport:
    """The SQL of one export and what it is bound with; `owned` says whether that includes the owner."""

    def __init__(self, name: str, sql: str, owner_type: OwnerKind, parameters: Mapping[str, ParameterTable]) -> None:
        """Check that the SQL's parameters are the declared ones. Raises DefinitionError."""
        self._name = name
        self._parameters = parameters
        self._owner_type = owner_type
        if owner_type not in _OWNER_SQL:
            raise DefinitionError(f"export {name!r}: owner_type is one of {', '.join(_OWNER_SQL)}")
        # The line break ends a comment that the SQL may end with, wherever it is put in parentheses.
        statement = text(sql.strip().rstrip(";") + "\n")
        used = set(statement.compile().params)
        self.owned = OWNER in used
        self._check_names(used - {OWNER})
        types = {parameter: _SQL[table.type] for parameter, table in parameters.items()}
        if self.owned:
            types[OWNER] = _OWNER_SQL[owner_type]
        self._statement = statement.bindparams(*(bindparam(key, type_=kind) for key, kind in types.items()))

    def signature(self) -> Signature:
        """Give the parameters' model and the owner. Raises DefinitionError."""
        fields = {
            name: (self._annotation(name, table), self._default(name, table))
            for name, table in self._parameters.items()
        }
        owner = (OWNER, self._owner_type) if self.owned else (None, None)
        return Signature(parameters_model(self._name, fields), *owner)

    def build(self, **values: Any) -> TextClause:
        """Bind validated values, and the owner as `owner`."""
        return self._statement.bindparams(**values)

    def _check_names(self, used: set[str]) -> None:
        wrong = next((name for name in self._parameters if not _NAME.fullmatch(name) or name == OWNER), None)
        if wrong is not None:
            raise DefinitionError(f"export {self._name!r}: a parameter can't be called {wrong!r}")
        undeclared = sorted(used - self._parameters.keys())
        if undeclared:
            raise DefinitionError(
                f"export {self._name!r}: the SQL uses :{undeclared[0]}, which is no declared parameter "
                f"(a colon that is meant as such is written \\:)"
            )
        unused = sorted(self._parameters.keys() - used)
        if unused:
            raise DefinitionError(f"export {self._name!r}: the SQL doesn't use the parameter {unused[0]!r}")

    def _annotation(self, name: str, table: ParameterTable) -> object:
        for constraint, types in _CONSTRAINTS.items():
            if getattr(table, constraint) is not None and table.type not in types:
                raise DefinitionError(f"export {self._name!r}: parameter {name!r}: {table.type} takes no {constraint}")
        annotation = _PYTHON[table.type]
        if table.enum is not None:
            if any(type(value) is not annotation for value in table.enum):
                raise DefinitionError(f"export {self._name!r}: parameter {name!r}: enum has values of another type")
            annotation = Literal[table.enum]
        elif table.type == "integer":
            least = _INTEGER_MINIMUM if table.minimum is None else table.minimum
            most = _INTEGER_MAXIMUM if table.maximum is None else table.maximum
            annotation = Annotated[int, Field(ge=max(least, _INTEGER_MINIMUM), le=min(most, _INTEGER_MAXIMUM))]
        elif table.type == "number":
            annotation = Annotated[float, Field(ge=table.minimum, le=table.maximum)]
        elif table.max_length is not None:
            annotation = Annotated[str, Field(max_length=table.max_length)]
        if table.description is not None:
            annotation = Annotated[annotation, Field(description=table.description)]
        return annotation | None if table.optional else annotation

    def _default(self, name: str, table: ParameterTable) -> object:
        if table.default is None:
            return None if table.optional else inspect.Parameter.empty
        try:
            return TypeAdapter[Any](_PYTHON[table.type]).validate_python(table.default)
        except ValidationError:
            raise DefinitionError(
                f"export {self._name!r}: parameter {name!r}: its default is no {table.type}"
            ) from None
