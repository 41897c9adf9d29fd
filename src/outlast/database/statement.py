"""Statements, built once and named, so that each can be reviewed as compiled SQL (`tests/sql/`).

A statement is compiled once for each engine and then runs on the driver itself, with the columns' own conversions:
SQLAlchemy's execution costs about 100 µs a call, which a group commit multiplies by its size.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import BindParameter, bindparam
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.sql.elements import CompilerElement
from sqlalchemy.sql.visitors import iterate

STATEMENTS: dict[str, CompilerElement] = {}

_PREFIX = "p_"

Row = Any
"""One row: a named tuple of the statement's columns."""


def param(name: str, kind: Any = None) -> BindParameter[Any]:
    """A named parameter. In SQL its name gets a prefix, since SQLAlchemy keeps the columns' names to itself."""
    return bindparam(_PREFIX + name, type_=kind)


class _Compiled:
    """A statement's text for one dialect, the order and conversion of its parameters, and those of its columns."""

    def __init__(self, clause: Any, dialect: Dialect) -> None:
        compiled = clause.compile(dialect=dialect)
        self.text = str(compiled)
        self.order = tuple(compiled.positiontup)
        self.fixed = {name: value for name, value in compiled.params.items() if not name.startswith(_PREFIX)}
        self.binds = _processors(
            ((name, bind.type.dialect_impl(dialect).bind_processor(dialect)) for name, bind in compiled.binds.items())
        )
        for name in self.fixed.keys() & self.binds.keys():
            self.fixed[name] = self.binds[name](self.fixed[name])
        columns = list(getattr(clause, "selected_columns", ())) or list(getattr(clause, "exported_columns", ()))
        self.results = _processors(
            (index, column.type.dialect_impl(dialect).result_processor(dialect, None))
            for index, column in enumerate(columns)
        )
        self.row = namedtuple("Row", [column.key or "value" for column in columns], rename=True)  # noqa: PYI024

    def parameters(self, given: dict[str, Any]) -> tuple[Any, ...]:
        values = self.fixed | {_PREFIX + name: value for name, value in given.items()}
        for name, convert in self.binds.items():
            if name.startswith(_PREFIX):
                values[name] = convert(values[name])
        return tuple([values[name] for name in self.order])

    def read(self, raw: tuple[Any, ...]) -> Row:
        values = list(raw)
        for index, convert in self.results.items():
            values[index] = convert(values[index])
        return self.row._make(values)


def _processors(pairs: Any) -> dict[Any, Callable[[Any], Any]]:
    return {key: processor for key, processor in pairs if processor is not None}


class Statement:
    """A named statement. Its parameters are named; a missing or unknown one is an error of the database layer."""

    def __init__(self, name: str, clause: CompilerElement) -> None:
        """Register it; a name stands for one statement."""
        if name in STATEMENTS:
            message = f"statement {name} is defined twice"
            raise ValueError(message)
        STATEMENTS[name] = clause
        self.name = name
        self._clause = clause
        self._compiled: WeakKeyDictionary[Dialect, _Compiled] = WeakKeyDictionary()
        names = (part.key for part in iterate(clause) if isinstance(part, BindParameter))
        self.parameters = frozenset(name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX))
        """The names that it takes."""

    def _execute(self, connection: Connection, given: dict[str, Any]) -> tuple[_Compiled, Any]:
        compiled = self._compiled.get(connection.dialect)
        if compiled is None:
            compiled = self._compiled[connection.dialect] = _Compiled(self._clause, connection.dialect)
        driver: Any = connection.connection.driver_connection
        return compiled, driver.execute(compiled.text, compiled.parameters(given))

    def row(self, connection: Connection, **parameters: Any) -> Row | None:
        """Execute it and give its row, if there is one; it has at most one."""
        compiled, cursor = self._execute(connection, parameters)
        raw = cursor.fetchone()
        cursor.close()
        return None if raw is None else compiled.read(raw)

    def rows(self, connection: Connection, **parameters: Any) -> list[Row]:
        """Execute it and give all rows; the statement itself bounds how many."""
        compiled, cursor = self._execute(connection, parameters)
        return [compiled.read(raw) for raw in cursor.fetchall()]

    def value(self, connection: Connection, **parameters: Any) -> Any:
        """Execute it and give its row's first column, or None."""
        row = self.row(connection, **parameters)
        return None if row is None else row[0]

    def count(self, connection: Connection, **parameters: Any) -> int:
        """Execute it and give how many rows it changed."""
        _compiled, cursor = self._execute(connection, parameters)
        return int(cursor.rowcount)
