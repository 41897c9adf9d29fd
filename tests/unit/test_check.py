"""`outlast check` finds the forgotten owner, wrong columns and SQL that the database refuses."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import Field
from sqlalchemy import (
    Column,
    Integer,
    MetaData,
    String,
    Table,
    Uuid,
    create_engine,
    literal_column,
    select,
    text,
    union,
)
from sqlalchemy.dialects.postgresql import ARRAY

from outlast.declare import Definitions, Finding, Owner, OwnerId, Query, check, read_configuration
from tests.unit import example_app

TASKS = Table("tasks", MetaData(), Column("id", Integer), Column("owner_id", Integer), Column("title", String))
NOTES = Table("notes", MetaData(), Column("id", Integer), Column("owner_id", Uuid))


def findings(function: Callable[..., Any], columns: tuple[str, ...] = ("id",), **options: Any) -> list[Finding]:
    definitions = Definitions(source="postgresql+psycopg://nobody@127.0.0.1:1/nowhere")
    definitions.export("export", columns=columns, **options)(function)
    return check(definitions)


def of_owner(owner: Owner) -> Query:
    return select(TASKS.c.id).where(TASKS.c.owner_id == int(owner.id))


def of_text_owner(owner: Owner) -> Query:
    return select(TASKS.c.id).where(TASKS.c.title == f"user:{owner.id}")


def of_uuid_owner(owner: Owner) -> Query:
    return select(NOTES.c.id).where(NOTES.c.owner_id == UUID(owner.id))


def of_uuid(owner: Annotated[UUID, OwnerId]) -> Query:
    return select(NOTES.c.id).where(NOTES.c.owner_id == owner)


def of_integer(owner: Annotated[int, OwnerId]) -> Query:
    return select(TASKS.c.id).where(TASKS.c.owner_id.in_([0, owner]))


def of_array(owner: Annotated[int, OwnerId]) -> Query:
    return select(TASKS.c.id).where(literal_column("tags", ARRAY(Integer)).contains([owner]))


def of_union(owner: Annotated[int, OwnerId]) -> Any:  # noqa: ANN401 - a compound select's type is long
    return union(select(TASKS.c.id).where(TASKS.c.owner_id == owner), select(TASKS.c.id).where(TASKS.c.id == -1))


@pytest.mark.parametrize("function", [of_owner, of_text_owner, of_uuid_owner, of_uuid, of_integer, of_array, of_union])
def test_an_owner_who_is_bound_is_found(function: Callable[..., Any]) -> None:
    assert findings(function) == []


def test_the_example_is_right() -> None:
    assert check(example_app.exports) == []


def test_a_forgotten_owner_is_found() -> None:
    def everybodys(owner: Owner) -> Query:
        del owner
        return select(TASKS.c.id).where(TASKS.c.title == "x")

    (finding,) = findings(everybodys)

    assert finding.wrong
    assert finding.export == "export"
    assert "not among the values" in finding.message


def test_an_owner_forgotten_in_one_branch_is_found() -> None:
    def sometimes(owner: Owner, status: Literal["a", "b"] | None = None) -> Query:
        query = select(TASKS.c.id)
        return query.where(TASKS.c.title == status) if status else query.where(TASKS.c.owner_id == int(owner.id))

    (finding,) = findings(sometimes)

    assert "not among the values" in finding.message


def test_an_interpolated_owner_is_not_a_bound_one() -> None:
    def interpolated(owner: Owner) -> Query:
        return select(TASKS.c.id).where(literal_column(f"owner_id = {owner.id}"))

    assert [finding.wrong for finding in findings(interpolated)] == [True]


def test_an_export_of_everybodys_rows_is_not_asked_for_an_owner() -> None:
    def everybodys() -> Query:
        return select(TASKS.c.id)

    assert findings(everybodys, owner_scoped=False) == []


def test_other_columns_are_named() -> None:
    def other(owner: Owner) -> Query:
        return select(TASKS.c.id, TASKS.c.owner_id).where(TASKS.c.owner_id == int(owner.id))

    (finding,) = findings(other, columns=("title", "id"))

    assert finding.wrong
    assert "missing: 'title'; unexpected: 'owner_id'" in finding.message


def test_the_order_of_columns_is_free() -> None:
    def swapped(owner: Owner) -> Query:
        return select(TASKS.c.title, TASKS.c.id).where(TASKS.c.owner_id == int(owner.id))

    assert findings(swapped, columns=("id", "title")) == []


def test_owners_of_a_special_form_are_given() -> None:
    def special(owner: Owner) -> Query:
        number = owner.id.removeprefix("user-")
        assert number != owner.id
        return select(TASKS.c.id).where(TASKS.c.owner_id == int(number), TASKS.c.title == owner.id)

    (finding,) = findings(special)

    assert finding.wrong
    assert "AssertionError" in finding.message
    assert "sample_owner=" in finding.message
    assert findings(special, sample_owner="user-77") == []


def test_what_yields_rows_is_called_but_not_read() -> None:
    read: list[Owner] = []

    def generator(owner: Owner) -> Iterator[tuple[str]]:
        read.append(owner)
        yield ("x",)

    (finding,) = findings(generator)

    assert not finding.wrong
    assert "can't be verified" in finding.message
    assert read == []


def test_what_is_no_rows_at_all_is_wrong() -> None:
    def nothing(owner: Owner) -> Any:  # noqa: ANN401 - a wrong export
        del owner

    (finding,) = findings(nothing)

    assert finding.wrong
    assert "NoneType" in finding.message


def test_a_select_without_source_is_wrong() -> None:
    definitions = Definitions()
    definitions.export("export", columns=["id"])(of_owner)

    (finding,) = check(definitions)

    assert "no source" in finding.message


def test_parameters_get_samples_of_their_type() -> None:
    seen: list[dict[str, Any]] = []

    def many(
        owner: Owner,
        percent: Annotated[int, Field(ge=10, lt=90)],
        share: Annotated[float, Field(gt=1)] = 2.5,
        code: Annotated[str, Field(min_length=8)] | None = None,
        tags: list[Literal["x", "y"]] | None = None,
        item: UUID | None = None,
        flag: bool | None = None,
    ) -> Iterable[Any]:
        seen.append({"percent": percent, "share": share, "code": code, "tags": tags, "item": item, "flag": flag})
        return [owner]

    assert [finding.wrong for finding in findings(many)] == [False]
    least, whole = seen
    assert least == {"percent": 10, "share": 2.5, "code": None, "tags": None, "item": None, "flag": None}
    assert whole["code"] == "samplexx"
    assert whole["tags"] == ["x"]
    assert isinstance(whole["item"], UUID)
    assert whole["flag"] is True


def test_a_parameter_without_possible_sample_asks_for_examples() -> None:
    def patterned(owner: Owner, code: Annotated[str, Field(pattern="^[A-Z]{3}$")]) -> Query:
        return select(TASKS.c.id).where(TASKS.c.owner_id == int(owner.id), TASKS.c.title == code)

    def helped(owner: Owner, code: Annotated[str, Field(pattern="^[A-Z]{3}$", examples=["ABC"])]) -> Query:
        return patterned(owner, code)

    (finding,) = findings(patterned)
    assert not finding.wrong
    assert "no sample could be made for code" in finding.message
    assert findings(helped) == []


def sql_findings(tmp_path: Path, sql: str) -> list[Finding]:
    (tmp_path / "outlast.toml").write_text(
        f'[sources.app]\nurl = "sqlite:///{tmp_path}/app.db"\n'
        f'[exports.tasks]\nsource = "app"\nowner_type = "integer"\ncolumns = ["id", "title"]\nsql = """{sql}"""\n',
        encoding="utf-8",
    )
    definitions = Definitions()
    read_configuration(tmp_path / "outlast.toml").declare(definitions)
    return check(definitions)


@pytest.fixture
def database(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path}/app.db")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE tasks (id INTEGER PRIMARY KEY, owner_id INTEGER, title TEXT)"))
    engine.dispose()


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT id, title FROM tasks WHERE owner_id = :owner", None),
        ("WITH mine AS (SELECT * FROM tasks WHERE owner_id = :owner) SELECT title, id FROM mine; ", None),
        ("SELECT id, title FROM tasks WHERE owner_id = :owner ORDER BY id -- a comment", None),
        ("SELECT id, title AS name FROM tasks WHERE owner_id = :owner", "missing: 'title'; unexpected: 'name'"),
        ("SELECT id, titel FROM tasks WHERE owner_id = :owner", "no such column: titel"),
        ("DELETE FROM tasks WHERE owner_id = :owner RETURNING id, title", "the database refuses"),
    ],
)
def test_sql_is_tried_on_the_database(tmp_path: Path, sql: str, says: str | None) -> None:
    found = sql_findings(tmp_path, sql)

    if says is None:
        assert found == []
    else:
        assert [finding.wrong for finding in found] == [True]
        assert says in found[0].message


def test_sql_without_its_database_is_reported_as_not_verified(tmp_path: Path) -> None:
    (finding,) = sql_findings(tmp_path, "SELECT id, title FROM tasks WHERE owner_id = :owner")

    assert not finding.wrong
    assert "columns not verified" in finding.message
