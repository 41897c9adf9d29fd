"""Statements, built once and named, so that each can be reviewed as compiled SQL (`tests/sql/`).

A statement is compiled once for each kind of database and clock and then runs on the driver itself, with the columns'
own conversions: SQLAlchemy's execution costs about 100 µs a call, which a group commit multiplies by its size.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, bindparam
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ClauseElement
from sqlalchemy.sql.visitors import iterate, replacement_traverse
from sqlalchemy.types import Float, NullType, Numeric, TypeEngine

from outlast.database.dialect import schema_of

STATEMENTS: dict[str, ClauseElement] = {}

_PREFIX = "p_"

Row = Any
"""One row: a named tuple of the statement's columns."""

_Convert = Callable[[Any], Any]


def param(name: str, kind: Any = None) -> BindParameter[Any]:
    """A named parameter. In SQL its name gets a prefix, since SQLAlchemy keeps the columns' names to itself."""
    return bindparam(_PREFIX + name, type_=kind)


class _Constant(ColumnElement[Any]):
    """A condition's constant, written into the statement's text.

    As a parameter it would cost dearly: where it decides whether a partial index serves, SQLite plans the statement
    anew each time that it is executed.
    """

    inherit_cache = False

    def __init__(self, value: BindParameter[Any]) -> None:
        self.value = value
        self.type = value.type


@compiles(_Constant)
def _written(element: _Constant, compiler: SQLCompiler, **_kw: Any) -> str:
    text: str = compiler.process(element.value, literal_binds=True)
    return text


def _with_constants(clause: Any) -> Any:
    def constant(element: object, **_kw: Any) -> _Constant | None:
        if type(element) is not BindParameter or isinstance(element.type, NullType) or element.key.startswith(_PREFIX):
            return None  # of those that are set and compared with nothing, SQLAlchemy doesn't know the type yet
        return _Constant(element)

    return replacement_traverse(clause, {}, constant)


def compile_for(clause: Any, dialect: Dialect) -> Any:
    """Compile it for the database, with its tables where they live there."""
    schema = {"schema_translate_map": {None: schema_of(dialect)}, "render_schema_translate": True}
    return clause.compile(dialect=dialect, **(schema if schema_of(dialect) else {}))


class _Compiled:
    """A statement's text for one dialect, where its parameters go, and how they and its columns are converted."""

    def __init__(self, clause: Any, dialect: Dialect) -> None:
        compiled = compile_for(clause, dialect)
        self.text = str(compiled)
        self.template: list[Any] = []
        self.plain: list[tuple[int, str]] = []
        self.converted: list[tuple[int, str, _Convert]] = []
        for name in compiled.positiontup:
            convert = compiled.binds[name].type.dialect_impl(dialect).bind_processor(dialect)
            self._place(name, compiled.params[name], convert)
        columns = list(getattr(clause, "selected_columns", ())) or list(getattr(clause, "exported_columns", ()))
        processors = (_reader(column.type, dialect) for column in columns)
        self.results: list[tuple[int, _Convert]] = [
            (index, convert) for index, convert in enumerate(processors) if convert
        ]
        names = [column.key or "value" for column in columns]
        self.row: Callable[[Iterable[Any]], Row] = namedtuple("Row", names, rename=True)._make  # type: ignore[attr-defined]  # noqa: PYI024

    def _place(self, name: str, fixed: Any, convert: _Convert | None) -> None:
        if not name.startswith(_PREFIX):
            self.template.append(convert(fixed) if convert else fixed)
            return
        place = (len(self.template), name.removeprefix(_PREFIX))
        if convert:
            self.converted.append((*place, convert))
        else:
            self.plain.append(place)
        self.template.append(None)

    def parameters(self, given: dict[str, Any]) -> list[Any]:
        values = self.template.copy()
        for index, name in self.plain:
            values[index] = given[name]
        for index, name, convert in self.converted:
            values[index] = convert(given[name])
        return values

    def read(self, raw: tuple[Any, ...]) -> Row:
        values = list(raw)
        for index, convert in self.results:
            values[index] = convert(values[index])
        return self.row(values)


def _reader(kind: TypeEngine[Any], dialect: Dialect) -> _Convert | None:
    if isinstance(kind, Numeric | Float):
        return None  # both drivers give numbers; PostgreSQL's types would have to know which ones
    return kind.dialect_impl(dialect).result_processor(dialect, None)


class Statement:
    """A named statement. Its parameters are named; a missing or unknown one is an error of the database layer."""

    def __init__(self, name: str, clause: Any, *hidden: BindParameter[Any]) -> None:
        """Register it; a name stands for one statement.

        `hidden` are parameters that SQLAlchemy doesn't find in it: those of the further tables of an UPDATE.
        """
        if name in STATEMENTS:
            message = f"statement {name} is defined twice"
            raise ValueError(message)
        self.name = name
        self.clause = STATEMENTS[name] = _with_constants(clause)
        self._compiled: dict[tuple[str, str | None], _Compiled] = {}
        self._types = {
            part.key.removeprefix(_PREFIX): part.type
            for part in (*iterate(clause), *hidden)
            if isinstance(part, BindParameter) and part.key.startswith(_PREFIX)
        }
        self.parameters = frozenset(self._types)
        """The names that it takes."""

    def type_of(self, parameter: str) -> TypeEngine[Any]:
        """What kind of value a parameter is."""
        return self._types[parameter]

    def _execute(self, connection: Connection, given: dict[str, Any]) -> tuple[_Compiled, Any]:
        dialect = connection.dialect
        key = (dialect.name, getattr(dialect, "outlast_clock", None))
        compiled = self._compiled.get(key)
        if compiled is None:
            compiled = self._compiled[key] = _Compiled(self.clause, dialect)
        if len(given) != len(self.parameters):
            message = f"statement {self.name} takes {', '.join(sorted(self.parameters))}"
            raise TypeError(message)
        driver: Any = connection.connection.driver_connection
        return compiled, driver.execute(compiled.text, compiled.parameters(given))

    def row(self, connection: Connection, **parameters: Any) -> Row | None:
        """Execute it and give its row, if there is one; it has at most one."""
        compiled, cursor = self._execute(connection, parameters)
        try:
            raw = cursor.fetchone()
        finally:
            cursor.close()  # a statement in progress would keep its savepoint from being released
        return None if raw is None else compiled.read(raw)

    def rows(self, connection: Connection, **parameters: Any) -> list[Row]:
        """Execute it and give all rows; the statement itself bounds how many."""
        compiled, cursor = self._execute(connection, parameters)
        try:
            return [compiled.read(raw) for raw in cursor.fetchall()]
        finally:
            cursor.close()

    def value(self, connection: Connection, **parameters: Any) -> Any:
        """Execute it and give its row's first column, or None."""
        row = self.row(connection, **parameters)
        return None if row is None else row[0]

    def count(self, connection: Connection, **parameters: Any) -> int:
        """Execute it and give how many rows it changed."""
        _compiled, cursor = self._execute(connection, parameters)
        return int(cursor.rowcount)
