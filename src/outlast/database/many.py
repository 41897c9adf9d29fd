"""One statement for many: what it takes as parameters stands, as a record each, in one JSON array.

Each call of the driver hands the interpreter to another thread and waits to get it back. A batch of 64 would do little
else if it called for every row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import BindParameter, String
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.sql.visitors import replacement_traverse

from outlast.database.dialect import member, records
from outlast.database.statement import Row, Statement, param


class ForMany:
    """A statement's counterpart. It is the same but for its parameters, which have to be typed, and never binary."""

    def __init__(self, statement: Statement) -> None:
        """Register it under the statement's name and `.many`."""
        self._names = sorted(statement.parameters)
        given = param("records_json", String)
        record = records(given).table_valued("value").c.value
        self._types = {name: statement.type_of(name) for name in self._names}
        members = {param(name).key: member(record, at, self._types[name]) for at, name in enumerate(self._names)}

        def replaced(element: object, **_kw: Any) -> Any:
            return members.get(element.key) if isinstance(element, BindParameter) else None

        self._statement = Statement(
            f"{statement.name}.many", replacement_traverse(statement.clause, {}, replaced), given
        )

    def rows(self, connection: Connection, given: Sequence[Mapping[str, Any]]) -> list[Row]:
        """Execute it with the parameters of each, and give all rows, in no order."""
        return self._statement.rows(connection, records_json=self._records_json(connection.dialect, given))

    def count(self, connection: Connection, given: Sequence[Mapping[str, Any]]) -> int:
        """Execute it with the parameters of each, and give how many rows it changed."""
        return self._statement.count(connection, records_json=self._records_json(connection.dialect, given))

    def _records_json(self, dialect: Dialect, given: Sequence[Mapping[str, Any]]) -> str:
        converts = [(name, self._convert(dialect, name)) for name in self._names]
        return json.dumps([
            [convert(one[name]) if convert else one[name] for name, convert in converts] for one in given
        ])  # fmt: skip

    def _convert(self, dialect: Dialect, name: str) -> Callable[[Any], Any] | None:
        return self._types[name].dialect_impl(dialect).bind_processor(dialect)
