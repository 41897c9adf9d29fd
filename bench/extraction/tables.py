"""The tables that are exported, and the statements: ours select them, the databases' own tools get their SQL."""

from __future__ import annotations

from typing import Any, TypeAlias

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    DateTime,
    Double,
    Integer,
    MetaData,
    Numeric,
    Select,
    String,
    Table,
    Text,
    TypeDecorator,
    Uuid,
    func,
    select,
    type_coerce,
)
from sqlalchemy.dialects import postgresql, sqlite

Query: TypeAlias = Select[*tuple[Any, ...]]

LABELS = 97
"""How many rows the small table has that others are joined with."""
LEAST_RATIO = 0.1
"""The joining statement leaves out what lies below: a tenth of the rows."""


class Unchanged(TypeDecorator[str]):
    """A decorator that changes nothing; whoever reads it can't know that, so its columns take the general path."""

    impl = Text
    cache_ok = True

    def process_result_value(self, value: str | None, dialect: object) -> str | None:
        """Give the value itself."""
        del dialect
        return value


def _people(name: str, uid: Any, amount: Any) -> Table:  # noqa: ANN401 - SQLAlchemy's types
    return Table(
        name, MetaData(), Column("id", Integer, primary_key=True), Column("uid", uid, nullable=False),
        Column("name", Text, nullable=False), Column("email", Text, nullable=False),
        Column("body", Text, nullable=False), Column("amount", amount, nullable=False),
        Column("ratio", Double, nullable=False), Column("active", Boolean, nullable=False),
        Column("born", Date, nullable=False), Column("created", DateTime(timezone=True), nullable=False),
        Column("note", Text),
    )  # fmt: skip


SQLITE = _people("people", String(36), Double)
POSTGRESQL = _people("people", Uuid, Numeric(12, 2))
COLUMNS = tuple(column.name for column in SQLITE.columns)
_LABELS = Table("labels", MetaData(), Column("id", Integer, primary_key=True), Column("label", Text, nullable=False))


def walk(people: Table) -> Query:
    """Every row, in whatever order the database gives."""
    return select(*people.columns)


def first(people: Table, rows: int) -> Query:
    """Only the first rows, by their key."""
    return walk(people).where(people.c.id <= rows)


def in_order(people: Table) -> Query:
    """Every row, in an order that no index has."""
    return walk(people).order_by(people.c.name, people.c.id)


def joined(people: Table) -> Query:
    """Nine tenths of the rows, joined with a small table, and a column that is computed."""
    key = people.c.id % LABELS
    columns = [people.c[name] for name in COLUMNS if name not in {"email", "note"}]
    return (
        select(*columns, func.lower(people.c.email).label("email"), _LABELS.c.label)
        .select_from(people.join(_LABELS, _LABELS.c.id == key))
        .where(people.c.ratio >= LEAST_RATIO)
    )


def decorated(people: Table) -> Query:
    """Every row, one of its columns of a type that only Python can read."""
    columns = [column for column in people.columns if column.name != "note"]
    return select(*columns, type_coerce(people.c.note, Unchanged).label("note"))


JOINED_COLUMNS = tuple(joined(SQLITE).selected_columns.keys())


def sql(query: Query, people: Table) -> str:
    """Give the statement as one line of SQL, its values written out."""
    dialect = sqlite.dialect() if people is SQLITE else postgresql.dialect(paramstyle="named")  # type: ignore[no-untyped-call]
    return " ".join(str(query.compile(dialect=dialect, compile_kwargs={"literal_binds": True})).split())
