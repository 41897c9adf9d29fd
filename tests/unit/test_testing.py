"""`outlast.testing.run`: what the child of a worker would make, and what it would refuse."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Date, Engine, Integer, MetaData, String, Table, create_engine, insert, select

from outlast import DefinitionError, ExportFailedError, Exports, FailureCode, Owner, Query, RequestRefusedError
from outlast.formats import FileOptions
from outlast.testing import Run, run

NOTES = Table(
    "notes",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("owner", String),
    Column("text", String),
    Column("day", Date),
)
ROWS = [
    {"id": 1, "owner": "ada", "text": "one, two", "day": date(2026, 3, 1)},
    {"id": 2, "owner": "ada", "text": None, "day": None},
    {"id": 3, "owner": "bob", "text": "", "day": None},
]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = create_engine(f"sqlite:///{tmp_path / 'notes.db'}")
    NOTES.metadata.create_all(engine)
    with engine.begin() as connection:
        connection.execute(insert(NOTES), ROWS)
    yield engine
    engine.dispose()


@pytest.fixture
def exports(tmp_path: Path) -> Exports:
    exports = Exports(database_url=f"sqlite:///{tmp_path / 'jobs.db'}", source=f"sqlite:///{tmp_path / 'absent.db'}")
    columns = [NOTES.c.id, NOTES.c.text, NOTES.c.day]

    @exports.export("notes", columns=columns)
    def notes(owner: Owner, since: date | None = None) -> Query:
        query = select(*columns).where(NOTES.c.owner == owner.id).order_by(NOTES.c.id)
        return query if since is None else query.where(NOTES.c.day >= since)

    @exports.export("counted", columns=["number", "tenant"], formats=("jsonl",), result_limit_rows=3)
    def counted(owner: Owner, count: int = 1) -> list[dict[str, Any]]:
        return [{"number": number, "tenant": owner.tenant} for number in range(count)]

    @exports.export("broken", columns=["number"])
    def broken(owner: Owner) -> list[tuple[float]]:
        return [(1 / len(owner.id.removeprefix(owner.id)),)]

    @exports.export("lossy", columns=["text"], file_options=FileOptions(unencodable="replace"))
    def lossy(owner: Owner) -> list[tuple[str]]:
        return [("\udcff" + owner.id,)]

    return exports


def test_rows_bytes_and_facts_are_of_one_snapshot(exports: Exports, engine: Engine) -> None:
    before = datetime.now(UTC)
    result = run(exports, "notes", owner="ada", source=engine)
    assert result.rows == ((1, "one, two", date(2026, 3, 1)), (2, None, None))
    assert result.records[1] == {"id": 2, "text": None, "day": None}
    assert result.bytes == b'"id","text","day"\n1,"one, two","2026-03-01"\n2,,\n'
    assert result.text == result.bytes.decode()
    assert result.sha256 == hashlib.sha256(result.bytes).hexdigest()
    assert (result.row_count, result.columns) == (2, ("id", "text", "day"))
    assert (result.filename, result.warnings) == ("notes.csv", ())
    assert result.content_type.startswith("text/csv")
    assert result.as_of is not None
    assert before <= result.as_of <= datetime.now(UTC)


def test_the_manifest_is_the_one_of_a_result(exports: Exports, engine: Engine) -> None:
    result = run(exports, "notes", owner="ada", source=engine, columns=["day", "id"])
    assert result.as_of is not None
    known = {name: result.manifest[name] for name in ("job", "export", "format", "filename", "rows", "created_at")}
    assert known == {
        "job": None, "export": "notes", "format": "csv", "filename": "notes.csv", "rows": 2, "created_at": None,
    }  # fmt: skip
    assert result.manifest["bytes"] == len(result.bytes)
    assert result.manifest["sha256"] == result.sha256
    assert result.manifest["as_of"] == result.as_of.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert [column["name"] for column in result.manifest["columns"]] == ["day", "id"]
    assert result.manifest["options"] == FileOptions().model_dump()
    lossy = run(exports, "lossy", owner="ada").manifest
    assert lossy["warnings"] == [{"code": "replaced", "column": "text", "count": 1, "first_rows": [1]}]
    assert lossy["options"]["unencodable"] == "replace"


@pytest.mark.parametrize("kind", ["URL", "function", "engine"])
def test_the_source_may_be_told_in_three_ways(exports: Exports, engine: Engine, kind: str) -> None:
    source: Any = {"URL": str(engine.url), "function": lambda: create_engine(engine.url), "engine": engine}[kind]
    assert run(exports, "notes", owner="bob", source=source).rows == ((3, "", None),)


def test_parameters_columns_and_format_are_chosen_as_in_a_request(exports: Exports, engine: Engine) -> None:
    result = run(
        exports, "notes", owner="ada", parameters={"since": "2026-02-01"}, columns=["day", "id"], format="jsonl",
        source=engine,
    )  # fmt: skip
    assert result.text == '{"day":"2026-03-01","id":1}\n'
    assert result.rows == ((date(2026, 3, 1), 1),)


def test_without_a_choice_the_format_is_the_exports_first(exports: Exports) -> None:
    result = run(exports, "counted", owner="ada", tenant="north")
    assert result.text == '{"number":0,"tenant":"north"}\n'
    assert (result.filename, result.as_of) == ("counted.jsonl", None)


def test_what_was_replaced_is_reported(exports: Exports) -> None:
    result = run(exports, "lossy", owner="ada")
    assert result.bytes == '"text"\n"\N{REPLACEMENT CHARACTER}ada"\n'.encode()
    assert [warning["column"] for warning in result.warnings] == ["text"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"export": "nothing"}, "export"),
        ({"parameters": {"since": "yesterday"}}, "since"),
        ({"parameters": {"until": "2026-01-01"}}, "until"),
        ({"columns": ["id", "secret"]}, "columns"),
        ({"format": "docx"}, "format"),
    ],
)
def test_what_a_request_is_refused_for_is_refused(exports: Exports, arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(RequestRefusedError, match=named):
        run(exports, **{"export": "notes", "owner": "ada", **arguments})


def test_the_authorisation_hook_is_asked(exports: Exports, engine: Engine) -> None:
    asked: list[object] = []

    @exports.authorize
    def hook(owner: Owner, export: str, parameters: dict[str, Any]) -> bool:
        asked.append((owner, export, parameters))
        return owner.id == "ada"

    assert run(exports, "notes", owner="ada", source=engine).row_count == 2
    assert asked == [(Owner("ada"), "notes", {"since": None})]
    with pytest.raises(RequestRefusedError, match="notes"):
        run(exports, "notes", owner="bob", source=engine)


def test_what_ends_an_attempt_has_its_code_and_its_cause(exports: Exports) -> None:
    with pytest.raises(ExportFailedError) as broken:
        run(exports, "broken", owner="ada")
    assert broken.value.code is FailureCode.INTERNAL_ERROR
    assert isinstance(broken.value.__cause__, ZeroDivisionError)
    with pytest.raises(ExportFailedError) as too_large:
        run(exports, "counted", owner="ada", parameters={"count": 4})
    assert too_large.value.code is FailureCode.RESULT_TOO_LARGE
    with pytest.raises(ExportFailedError) as unavailable:
        run(exports, "notes", owner="ada")
    assert unavailable.value.code is FailureCode.TEMPORARILY_UNAVAILABLE


def test_a_source_that_no_worker_could_read_is_refused(exports: Exports) -> None:
    with pytest.raises(DefinitionError, match="in memory"):
        run(exports, "notes", owner="ada", source=create_engine("sqlite://"))
    with pytest.raises(DefinitionError, match="source="):
        run(exports, "notes", owner="ada", source="nowhere")


def test_no_job_and_no_file_is_made(exports: Exports, engine: Engine, tmp_path: Path) -> None:
    run(exports, "notes", owner="ada", source=engine)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.db"]


def test_the_fixture_is_the_function(run_export: Callable[..., Run]) -> None:
    assert run_export is run


def test_the_plugin_costs_other_projects_nothing() -> None:
    """It is imported by every run of pytest where Outlast is installed."""
    code = "import pytest, sys; old = set(sys.modules); import outlast.testing.plugin; print(*set(sys.modules) - old)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {name.partition(".")[0] for name in done.stdout.split()} == {"outlast"}
