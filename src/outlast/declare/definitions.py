"""The exports of one app: never a global registry."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from sqlalchemy import select
from sqlalchemy.sql.expression import SQLColumnExpression
from typing_extensions import Unpack

from outlast.declare.definition import Definition, Options, Rows
from outlast.declare.signature import Signature, signature_of
from outlast.errors import DefinitionError
from outlast.extract import SourceSpec, validate_source
from outlast.formats import DEFAULT_FORMATS, FORMATS, FileOptions
from outlast.formats.parts import ZIP
from outlast.formats.policy import LONE_SURROGATES
from outlast.model import Owner

AuthorizeHook: TypeAlias = Callable[[Owner, str, dict[str, Any]], bool]
Column: TypeAlias = str | SQLColumnExpression[Any]
F = TypeVar("F", bound=Callable[..., Rows])
H = TypeVar("H", bound=AuthorizeHook)

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,62}")
_OPTIONS: TypeAdapter[Options] = TypeAdapter(with_config(ConfigDict(extra="forbid"))(Options))


class Definitions:
    """The declared exports, by name, and the app's authorisation hook.

    `source` is where those that name none of their own read from.
    """

    def __init__(self, *, source: SourceSpec | None = None) -> None:
        """Start without exports. Raises DefinitionError for a source that is a live engine, or nothing we know."""
        self.source = None if source is None else validate_source(source, "the default source")
        self.authorize_hook: AuthorizeHook | None = None
        self._definitions: dict[str, Definition] = {}

    def export(self, name: str, *, columns: Sequence[Column], **options: Unpack[Options]) -> Callable[[F], F]:
        """Declare the decorated function as the export `name`, which yields exactly `columns`.

        The function itself stays as it is. Raises DefinitionError, which names the export and what is wrong.
        """

        def declare(function: F) -> F:
            self.define(name, inspect.getdoc(function) or "", columns, signature_of(function, name), function, options)
            return function

        return declare

    def define(
        self,
        name: str,
        description: str,
        columns: Sequence[Column],
        signature: Signature,
        build: Callable[..., Rows],
        options: Options,
    ) -> None:
        """Add a definition from its parts. Raises DefinitionError."""
        _check_name(name)
        if name in self._definitions:
            raise DefinitionError(f"export {name!r} is declared twice")
        checked = _checked(name, options)
        if signature.owner_argument is None and checked.get("owner_scoped", True):
            raise DefinitionError(
                f"export {name!r} has no owner: take `owner: Owner` (or `Annotated[int | UUID | str, OwnerId]`), "
                "or declare owner_scoped=False if its rows belong to everybody"
            )
        if self.source is not None:
            checked.setdefault("source", self.source)
        if signature.connection_argument is not None and checked.get("source") is None:
            raise DefinitionError(f"export {name!r} wants a connection, but has no source to connect to: source=")
        checked.setdefault("formats", DEFAULT_FORMATS)
        names = column_names(columns, name)
        strange = [column for column in checked.get("types", ()) if column not in names]
        if strange:
            raise DefinitionError(f"export {name!r}: types= names {strange[0]!r}, which is no column of it")
        checked.setdefault("filename", name)
        self._definitions[name] = Definition(
            name=name,
            description=description,
            columns=names,
            parameters=signature.parameters,
            owner_argument=signature.owner_argument,
            owner_kind=signature.owner_kind,
            connection_argument=signature.connection_argument,
            build=build,
            **checked,
        )

    def authorize(self, hook: H) -> H:
        """Register the hook that is asked at acceptance, at each attempt's start and at each download.

        It takes the owner, the export's name and the validated parameters, and says whether he may have it.
        """
        self.authorize_hook = hook
        return hook

    @property
    def names(self) -> tuple[str, ...]:
        """The exports' names, in the order of their declaration."""
        return tuple(self._definitions)

    def get(self, name: str) -> Definition | None:
        """Look an export up; None if there is none of that name."""
        return self._definitions.get(name)

    def __iter__(self) -> Iterator[Definition]:
        """Go through the definitions, in the order of their declaration."""
        return iter(self._definitions.values())

    def __len__(self) -> int:
        """Count the definitions."""
        return len(self._definitions)


def column_names(columns: Sequence[Column], export: str) -> tuple[str, ...]:
    """Give the names under which `columns` appear in a result. Raises DefinitionError when one has none, or twice."""
    if isinstance(columns, str) or not columns:
        raise DefinitionError(f"export {export!r}: columns= must list at least one column")
    names = tuple(_column_name(column, position, export) for position, column in enumerate(columns, 1))
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise DefinitionError(f"export {export!r}: columns= names {', '.join(map(repr, doubled))} more than once")
    return names


def _column_name(column: Column, position: int, export: str) -> str:
    if isinstance(column, str):
        names = [column] if column and not LONE_SURROGATES.search(column) else []
    elif isinstance(column, SQLColumnExpression):
        names = [key for key, _ in select(column).selected_columns.items() if key != "_no_label"]
    else:
        raise DefinitionError(f"export {export!r}: column {position} is neither a name nor a SQLAlchemy column")
    if len(names) != 1:
        raise DefinitionError(f"export {export!r}: column {position} has no name; give it one with .label()")
    return names[0]


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise DefinitionError(
            f"export {name!r}: a name is a letter and then up to 62 letters, digits, '_', '-' or '.' (all ASCII)"
        )


def _checked(name: str, options: Options) -> dict[str, Any]:
    if options.get("source") is not None:
        validate_source(options["source"], f"export {name!r}: source")
    try:
        checked = cast("dict[str, Any]", _OPTIONS.validate_python(options))
    except ValidationError as error:
        errors = error.errors(include_input=False)
        wrong = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in errors)
        raise DefinitionError(f"export {name!r}: {wrong}") from None
    unknown = [known for known in checked.get("formats", ()) if known not in FORMATS]
    if unknown:
        raise DefinitionError(f"export {name!r}: unknown format {unknown[0]!r}; known are {', '.join(FORMATS)}")
    for wanted in checked.get("formats", ()):
        if missing := FORMATS[wanted].needs.missing:
            raise DefinitionError(f"export {name!r}: the format {wanted!r} needs what is not installed: {missing}")
    if checked.get("file_options", FileOptions()).parted and (missing := ZIP.missing):
        raise DefinitionError(f"export {name!r}: a result in parts needs what is not installed: {missing}")
    return checked
