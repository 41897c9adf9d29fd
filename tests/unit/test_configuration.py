"""`outlast.toml`: exports without code, and errors that say where to look."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from outlast.declare import Configuration, Definition, Definitions, OwnerKind, read_configuration
from outlast.errors import DefinitionError, RequestRefusedError
from outlast.extract import extract
from outlast.model import Owner
from tests.support.rows import batches_of

EXAMPLE = '''
database_url = "sqlite:///exports.db"
[sources.app]
url = "${APP_DATABASE_URL}"
[exports.tasks]
source = "app"
description = "The tasks of the person who asks."
owner_type = "integer"
columns = ["id", "title", "state", "created_at"]
sql = """
SELECT id, title, status AS state, created_at FROM tasks
WHERE owner_id = :owner AND (:status IS NULL OR status = :status)
"""
[exports.tasks.parameters]
status = { type = "string", enum = ["todo", "doing", "done"], optional = true }
'''
ALL_TYPES = """
[sources.app]
url = "sqlite:///app.db"
[exports.all]
source = "app"
owner_type = "text"
columns = ["s", "i", "n", "b", "d", "t", "u", "owner"]
sql = "SELECT :s AS s, :i AS i, :n AS n, :b AS b, :d AS d, :t AS t, :u AS u, :owner AS owner; "
[exports.all.parameters]
s = { type = "string", max_length = 5, description = "Short." }
i = { type = "integer", minimum = 1, maximum = 10 }
n = { type = "number", minimum = 0.5 }
b = { type = "boolean", default = false }
d = { type = "date", default = 2026-02-03 }
t = { type = "datetime", default = 2026-02-03T04:05:06+02:00 }
u = { type = "uuid", optional = true }
"""


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "app.db"
    monkeypatch.setenv("APP_DATABASE_URL", f"sqlite:///{path}")
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE tasks (id INTEGER PRIMARY KEY, owner_id, title, status, created_at)"))
        connection.execute(text("INSERT INTO tasks VALUES (1, 3, 'a', 'todo', 'x'), (2, 3, 'b', 'done', NULL)"))
        connection.execute(text("INSERT INTO tasks VALUES (3, 4, 'not yours', 'todo', 'x')"))
    engine.dispose()
    return path


def configured(tmp_path: Path, content: str) -> Configuration:
    path = tmp_path / "outlast.toml"
    path.write_text(content, encoding="utf-8")
    return read_configuration(path)


def only(configuration: Configuration) -> Definition:
    definitions = Definitions()
    configuration.declare(definitions)
    (definition,) = definitions
    return definition


def rows_of(definition: Definition, owner: str, parameters: str, source: str | None = None) -> list[tuple[Any, ...]]:
    with extract(definition, Owner(owner), parameters, definition.columns, source) as extraction:
        return [tuple(row) for batch in batches_of(extraction) for row in batch]


@pytest.mark.usefixtures("database")
def test_the_example_exports_the_owners_rows(tmp_path: Path) -> None:
    configuration = configured(tmp_path, EXAMPLE)
    definition = only(configuration)

    assert configuration.settings == {"database_url": "sqlite:///exports.db"}
    assert definition.description == "The tasks of the person who asks."
    assert definition.owner_kind is OwnerKind.INTEGER
    assert definition.validate_parameters({}) == {"status": None}
    assert rows_of(definition, "3", '{"status": null}') == [(1, "a", "todo", "x"), (2, "b", "done", None)]
    assert rows_of(definition, "3", '{"status": "done"}') == [(2, "b", "done", None)]


def test_every_type_is_validated_and_bound(tmp_path: Path, database: Path) -> None:
    definition = only(configured(tmp_path, ALL_TYPES))
    parameters = definition.validate_parameters({"s": "abc", "i": 10, "n": 1})

    assert parameters == {
        "s": "abc", "i": 10, "n": 1.0, "b": False, "d": "2026-02-03", "t": "2026-02-03T02:05:06Z", "u": None,
    }  # fmt: skip
    (row,) = rows_of(
        definition,
        "o'; DROP TABLE tasks; --",
        '{"s": "\'; --", "i": 10, "n": 1.5, "b": true, "d": "2026-02-03", "t": "2026-02-03T04:05:06+02:00",'
        ' "u": "0D9B1A52-6a3f-4c6e-8f0e-3f6d2b7a9c11"}',
        f"sqlite:///{database}",
    )
    assert row == (
        "'; --", 10, 1.5, 1, "2026-02-03", "2026-02-03 02:05:06.000000", "0d9b1a526a3f4c6e8f0e3f6d2b7a9c11",
        "o'; DROP TABLE tasks; --",
    )  # fmt: skip
    schema = definition.json_schema()
    assert schema["required"] == ["s", "i", "n"]
    assert schema["properties"]["s"] == {"description": "Short.", "maxLength": 5, "title": "S", "type": "string"}
    for wrong in ({"i": 0}, {"i": 11}, {"n": 0.4}, {"s": "abcdef"}, {"t": "2026-02-03T04:05:06"}):
        with pytest.raises(RequestRefusedError):
            definition.validate_parameters({"s": "abc", "i": 10, "n": 1, **wrong})


def test_an_integer_that_no_database_holds_is_refused(tmp_path: Path) -> None:
    definition = only(configured(tmp_path, ALL_TYPES.replace(", minimum = 1, maximum = 10", "")))

    definition.validate_parameters({"s": "", "i": 2**63 - 1, "n": 1})
    with pytest.raises(RequestRefusedError):
        definition.validate_parameters({"s": "", "i": 2**63, "n": 1})


@pytest.mark.usefixtures("database")
def test_an_export_of_everybodys_rows_needs_no_owner(tmp_path: Path) -> None:
    content = EXAMPLE.replace("owner_id = :owner AND ", "").replace('owner_type = "integer"', "owner_scoped = false")

    definition = only(configured(tmp_path, content))

    assert definition.owner_argument is None
    assert len(rows_of(definition, "anybody", "{}")) == 3


@pytest.mark.usefixtures("database")
def test_limits_and_formats_are_options(tmp_path: Path) -> None:
    options = (
        'formats = ["jsonl"]\nresult_limit_rows = 7\nattempt_timeout_seconds = 1.5\n'
        'file_options = { unencodable = "replace" }\n'
    )

    definition = only(configured(tmp_path, EXAMPLE.replace("owner_type", f"{options}owner_type")))

    assert (definition.formats, definition.result_limit_rows) == (("jsonl",), 7)
    assert (definition.attempt_timeout_seconds, definition.file_options.unencodable) == (1.5, "replace")


def test_settings_may_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA", "/srv/data")

    configuration = configured(tmp_path, 'database_url = "sqlite:///${DATA}/exports.db"\nlease_seconds = 3')

    assert configuration.settings == {"database_url": "sqlite:////srv/data/exports.db", "lease_seconds": 3}


def test_a_missing_variable_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("APP_DATABASE_URL", raising=False)

    with pytest.raises(DefinitionError, match=r"sources\.app\.url needs the environment variable APP_DATABASE_URL"):
        configured(tmp_path, EXAMPLE)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match=r"nowhere\.toml can't be read: No such file"):
        read_configuration(tmp_path / "nowhere.toml")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("database_url", "databse_url", "there is no setting 'databse_url'"),
        ("[sources.app]", "[sources.app", "is not TOML"),
        ("[sources.app]", "[source.app]", "there is no setting 'source'"),
        ("\nurl = ", "\nuri = ", "sources.app.url: Field required; sources.app.uri"),
        ('source = "app"', 'source = "elsewhere"', "no source 'elsewhere'; declared are: app"),
        ('source = "app"\n', "", "exports.tasks.source: Field required"),
        ('owner_type = "integer"', 'owner_type = "int"', "exports.tasks.owner_type"),
        ('owner_type = "integer"', 'owner_type = "owner"', "owner_type is one of integer, uuid, text"),
        ('owner_type = "integer"', 'formats = ["pdf"]', "unknown format 'pdf'"),
        ('owner_type = "integer"', "row_limit = 3", "row_limit"),
        ('owner_type = "integer"', "result_limit_rows = 0", "result_limit_rows"),
        ('columns = ["id", ', 'columns = ["id", "id", ', "names 'id' more than once"),
        ('columns = ["id", "title", "state", "created_at"]', "columns = []", "at least one column"),
        ("owner_id = :owner AND ", "", "doesn't use :owner"),
        ("= :status)", "= :state)", "the SQL uses :state, which is no declared parameter"),
        ("(:status IS NULL OR status = :status)", "1", "the SQL doesn't use the parameter 'status'"),
        ("status = {", 'status = { typ = "x",', "exports.tasks.parameters.status.typ"),
        ('type = "string"', 'type = "text"', "exports.tasks.parameters.status.type"),
        ("optional = true", "minimum = 3", "'status': string takes no minimum"),
        ("optional = true", 'default = "secret-value"', "default of 'status' is not a valid value"),
        ("optional = true", "default = 7", "'status': its default is no string"),
        ('["todo", ', "[7, ", "enum has values of another type"),
        ('["todo", "doing", "done"]', "[]", "exports.tasks.parameters.status.enum"),
        ("status = {", '"a-b" = {', "a parameter can't be called 'a-b'"),
        ("status = {", "owner = {", "a parameter can't be called 'owner'"),
        ("[exports.tasks", '[exports."a b"', "export 'a b': a name is a letter"),
        ("${APP_DATABASE_URL}", "hunter2", "neither a database URL"),
        ("${APP_DATABASE_URL}", "sqlite://", "database in memory"),
    ],
)
@pytest.mark.usefixtures("database")
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in EXAMPLE

    with pytest.raises(DefinitionError) as refused:
        only(configured(tmp_path, EXAMPLE.replace(old, new)))

    assert says in str(refused.value)
    assert "outlast.toml" in str(refused.value)
    assert "hunter2" not in str(refused.value)
    assert "secret-value" not in str(refused.value)
