"""A typed function is an export; a wrong one is refused at once, by name."""

import json
from collections.abc import Callable, Iterable
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import Field
from sqlalchemy import column, create_engine, func, literal

from outlast.declare import Definition, Definitions, Owner, OwnerId, OwnerKind
from outlast.errors import DefinitionError, ExportFailedError, FailureCode, ProblemCode, RequestRefusedError
from outlast.formats import FileOptions
from tests.unit import example_app

SOURCE = "sqlite:///app.db"
PERSON = UUID("0d9b1a52-6a3f-4c6e-8f0e-3f6d2b7a9c11")


def declared(function: Callable[..., Any], name: str = "tasks", **options: Any) -> Definition:
    definitions = Definitions(source=SOURCE)
    definitions.export(name, **{"columns": ["id"], **options})(function)
    definition = definitions.get(name)
    assert definition is not None
    return definition


def example() -> Definition:
    definition = example_app.exports.get("tasks")
    assert definition is not None
    return definition


def rows(owner: Owner) -> Iterable[tuple[str]]:
    return [(owner.id,)]


def test_the_signature_docstring_and_columns_are_the_definition() -> None:
    definition = example()

    assert definition.description == "The tasks of the person who asks."
    assert definition.columns == ("id", "title", "state", "created_at")
    assert definition.formats == ("csv", "jsonl")
    assert definition.source == SOURCE
    schema = definition.json_schema()
    assert list(schema["properties"]) == ["status", "created_since"]
    assert schema["properties"]["status"]["anyOf"][0]["enum"] == ["todo", "doing", "done"]
    assert schema["additionalProperties"] is False
    assert "required" not in schema


def test_the_decorated_function_stays_a_function_that_anybody_can_call() -> None:
    statement = example_app.tasks(Owner("3"), status="todo")

    assert 3 in statement.compile().params.values()


def test_parameters_are_validated_and_completed() -> None:
    parameters = example().validate_parameters({"created_since": "2026-03-01"})

    assert parameters == {"status": None, "created_since": "2026-03-01"}


@pytest.mark.parametrize(
    ("parameters", "pointers"),
    [
        ({"status": "secret-value"}, ["#/parameters/status"]),
        ({"created_since": "2026-13-45"}, ["#/parameters/created_since"]),
        ({"created_since": "1772323200"}, ["#/parameters/created_since"]),
        ({"created_since": 20260301}, ["#/parameters/created_since"]),
        ({"limit": "secret-value"}, ["#/parameters/limit"]),
        ({"a/b~c": 1, "status": 7}, ["#/parameters/status", "#/parameters/a~1b~0c"]),
        ({"status": "\ud800"}, ["#/parameters"]),
    ],
)
def test_wrong_parameters_are_named_but_never_shown(parameters: dict[str, Any], pointers: list[str]) -> None:
    with pytest.raises(RequestRefusedError) as refused:
        example().validate_parameters(parameters)

    assert refused.value.code is ProblemCode.INVALID_REQUEST
    assert [error["pointer"] for error in refused.value.members["errors"]] == pointers
    said = f"{refused.value.detail} {refused.value.members}"
    assert "secret-value" not in said
    assert "2026-13-45" not in said
    assert "20260301" not in said


def test_a_piece_of_a_wrong_uuid_is_not_shown_either() -> None:
    def one(owner: Owner, item: UUID) -> Iterable[Any]:
        return [(owner.id, item)]

    with pytest.raises(RequestRefusedError) as refused:
        declared(one).validate_parameters({"item": "zzzzzzzz"})

    assert "z" not in str(refused.value.members["errors"][0]["detail"])


def test_json_types_are_not_stretched() -> None:
    def many(owner: Owner, count: int, exact: bool) -> Iterable[Any]:
        return [(owner.id, count, exact)]

    definition = declared(many)

    assert definition.validate_parameters({"count": 2**70, "exact": True}) == {"count": 2**70, "exact": True}
    for wrong in ({"count": "5", "exact": True}, {"count": 5, "exact": 1}, {"count": True, "exact": True}):
        with pytest.raises(RequestRefusedError):
            definition.validate_parameters(wrong)


def test_parameters_may_be_called_as_pydantic_calls_its_own() -> None:
    def awkward(owner: Owner, schema: str, copy: int = 1, model_config: str = "x") -> Iterable[Any]:
        return [(owner.id, schema, copy, model_config)]

    definition = declared(awkward)

    parameters = definition.validate_parameters({"schema": "s"})
    assert parameters == {"schema": "s", "copy": 1, "model_config": "x"}
    assert definition.rows_of(Owner("3"), json.dumps(parameters)) == [("3", "s", 1, "x")]
    assert list(definition.json_schema()["properties"]) == ["schema", "copy", "model_config"]


class Colour(Enum):
    RED = "red"


def test_stored_parameters_come_back_as_their_python_types() -> None:
    received: list[tuple[Any, ...]] = []

    def typed(owner: Owner, since: date, colour: Colour = Colour.RED, item: UUID | None = None) -> Iterable[Any]:
        received.append((owner, since, colour, item))
        return []

    definition = declared(typed)
    stored = json.dumps(definition.validate_parameters({"since": "2026-02-03", "item": str(PERSON)}))
    definition.rows_of(Owner("3", "acme"), stored)

    assert received == [(Owner("3", "acme"), date(2026, 2, 3), Colour.RED, PERSON)]


@pytest.mark.parametrize(
    ("annotation", "kind", "good", "value", "bad"),
    [
        (int, OwnerKind.INTEGER, "42", 42, ["07", "+7", " 7", "x", "", "7.0", "٣", str(2**63), "9" * 5000]),
        (UUID, OwnerKind.UUID, str(PERSON), PERSON, ["7", PERSON.hex, f"{{{PERSON}}}", ""]),
        (str, OwnerKind.TEXT, "ann@example.com", "ann@example.com", []),
    ],
)
def test_an_owner_is_parsed_as_his_annotation_says(
    annotation: type, kind: OwnerKind, good: str, value: object, bad: list[str]
) -> None:
    def owned(person: object) -> Iterable[Any]:
        return [(person,)]

    owned.__annotations__["person"] = Annotated[annotation, OwnerId]
    definition = declared(owned)

    assert definition.owner_kind is kind
    assert definition.parse_owner(good) == value
    assert definition.rows_of(Owner(good), "{}") == [(value,)]
    for wrong in bad:
        with pytest.raises(RequestRefusedError) as refused:
            definition.parse_owner(wrong)
        assert refused.value.code is ProblemCode.FORBIDDEN
        with pytest.raises(ExportFailedError) as failed:
            definition.rows_of(Owner(wrong), "{}")
        assert failed.value.code is FailureCode.OWNERSHIP_VIOLATION


def test_parameters_that_a_deploy_made_invalid_fail_as_such() -> None:
    with pytest.raises(ExportFailedError) as failed:
        example().rows_of(Owner("3"), '{"status": "secret-value", "gone": 1}')

    assert failed.value.code is FailureCode.INVALID_PARAMETERS
    assert "#/parameters/gone" in failed.value.detail
    assert "secret-value" not in failed.value.detail


def test_an_export_of_everybodys_rows_says_so() -> None:
    def everybodys(limit: int = 3) -> Iterable[Any]:
        return [(limit,)]

    definition = declared(everybodys, owner_scoped=False)

    assert definition.owner_kind is None
    assert definition.rows_of(Owner("3"), "{}") == [(3,)]


def test_options_are_kept() -> None:
    definition = declared(
        rows,
        formats=["jsonl"],
        filename="my tasks",
        attempt_timeout_seconds=5,
        result_limit_rows=10,
        file_options=FileOptions(unencodable="hex"),
    )

    assert definition.formats == ("jsonl",)
    assert definition.filename == "my tasks"
    assert (definition.attempt_timeout_seconds, definition.result_limit_rows) == (5.0, 10)
    assert definition.file_options.unencodable == "hex"
    assert definition.result_limit_bytes is None


def test_a_source_with_a_password_is_never_shown() -> None:
    definition = declared(rows, source="postgresql+psycopg://app:hunter2@db/app")

    assert "hunter2" not in repr(definition)


def test_an_export_declared_twice_is_refused() -> None:
    definitions = Definitions(source=SOURCE)
    definitions.export("tasks", columns=["id"])(rows)

    with pytest.raises(DefinitionError, match="'tasks' is declared twice"):
        definitions.export("tasks", columns=["id"])(rows)
    assert definitions.names == ("tasks",)
    assert len(definitions) == 1
    assert definitions.get("other") is None


def test_the_authorisation_hook_is_kept() -> None:
    definitions = Definitions()

    @definitions.authorize
    def may(owner: Owner, export: str, parameters: dict[str, Any]) -> bool:
        return owner.id == "3" and export == "tasks" and not parameters

    assert definitions.authorize_hook is may


def no_owner() -> Iterable[Any]:
    return []


def two_owners(owner: Owner, other: Annotated[int, OwnerId]) -> Iterable[Any]:
    return [owner, other]


def float_owner(owner: Annotated[float, OwnerId]) -> Iterable[Any]:
    return [owner]


def variadic(owner: Owner, *items: str) -> Iterable[Any]:
    return [owner, items]


def keywords(owner: Owner, **items: str) -> Iterable[Any]:
    return [owner, items]


def positional(owner: Owner, item: str, /) -> Iterable[Any]:
    return [owner, item]


def unannotated(owner: Owner, item="x"):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201 - the case itself
    return [owner, item]


def unsupported(owner: Owner, item: Callable[[], int]) -> Iterable[Any]:
    return [owner, item]


def unresolvable(owner: Owner, item: "Nowhere") -> Iterable[Any]:  # type: ignore[name-defined]  # noqa: F821
    return [owner, item]


def wrong_default(owner: Owner, status: Literal["todo"] = "secret-value") -> Iterable[Any]:  # type: ignore[assignment]
    return [owner, status]


def constrained_default(owner: Owner, count: Annotated[int, Field(ge=1)] = 0) -> Iterable[Any]:
    return [owner, count]


async def asynchronous(owner: Owner) -> Iterable[Any]:
    return [owner]


@pytest.mark.parametrize(
    ("function", "changes", "says"),
    [
        (no_owner, {}, "has no owner"),
        (two_owners, {}, "both 'owner' and 'other' are the owner"),
        (float_owner, {}, "OwnerId goes with one of int, UUID and str"),
        (variadic, {}, "'items' takes anything"),
        (keywords, {}, "'items' takes anything"),
        (positional, {}, "positional-only"),
        (unannotated, {}, "'item' has no type annotation"),
        (unsupported, {}, "type is not supported"),
        (unresolvable, {}, "annotation can't be resolved"),
        (wrong_default, {}, "default of 'status' is not a valid value"),
        (constrained_default, {}, "default of 'count' is not a valid value"),
        (asynchronous, {}, "neither async nor a class"),
        (Colour, {}, "neither async nor a class"),
        (rows, {"columns": []}, "at least one column"),
        (rows, {"columns": "id"}, "at least one column"),
        (rows, {"columns": ["id", "title", "id"]}, "names 'id' more than once"),
        (rows, {"columns": [column("a"), column("b").label("a")]}, "names 'a' more than once"),
        (rows, {"columns": ["id", ""]}, "column 2 has no name"),
        (rows, {"columns": ["id", "\udc80"]}, "column 2 has no name"),
        (rows, {"columns": [literal(3)]}, "column 1 has no name"),
        (rows, {"columns": [7]}, "neither a name nor a SQLAlchemy column"),
        (rows, {"name": ""}, "a name is a letter"),
        (rows, {"name": "../etc"}, "a name is a letter"),
        (rows, {"name": "x" * 64}, "a name is a letter"),
        (rows, {"name": "täsks"}, "a name is a letter"),
        (rows, {"formats": ["csv", "pdf"]}, "unknown format 'pdf'; known are csv, jsonl"),
        (rows, {"formats": []}, "formats"),
        (rows, {"result_limit_rows": 0}, "result_limit_rows"),
        (rows, {"attempt_timeout_seconds": -1}, "attempt_timeout_seconds"),
        (rows, {"file_options": {"unencodable": "ignore"}}, "unencodable"),
        (rows, {"types": {"nothing": "text"}}, "no column"),
        (rows, {"unknown": 1}, "unknown"),
        (rows, {"source": create_engine("sqlite://")}, "is a live engine"),
        (rows, {"source": "sqlite://"}, "database in memory"),
        (rows, {"source": "sqlite:///:memory:"}, "database in memory"),
        (rows, {"source": "hunter2"}, "neither a database URL"),
        (rows, {"source": "://hunter2"}, "not a valid database URL"),
    ],
)
def test_a_wrong_definition_is_refused_by_name(
    function: Callable[..., Any], changes: dict[str, Any], says: str
) -> None:
    name = changes.get("name", "tasks")

    with pytest.raises(DefinitionError) as refused:
        declared(function, **changes)

    assert says in str(refused.value)
    assert f"export {name!r}" in str(refused.value)
    assert "secret-value" not in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_columns_take_the_names_that_the_select_gives_them() -> None:
    columns = [example_app.Task.id, func.count().label("how many"), "plain"]

    assert declared(rows, columns=columns).columns == ("id", "how many", "plain")
