"""Rows leave a real SQLite file read-only, in one snapshot, in bounded memory, in the caller's columns."""

import sqlite3
import subprocess
import sys
import tracemalloc
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import (
    URL,
    Column,
    DateTime,
    Engine,
    Integer,
    MetaData,
    Select,
    String,
    Table,
    create_engine,
    event,
    select,
    text,
    union_all,
)

from outlast.declare import Definition, Definitions, Owner, Query
from outlast.errors import DefinitionError, ExportFailedError, FailureCode
from outlast.extract import classify, extract, open_source, snapshot, validate_source
from outlast.extract.apsw_driver import APSW
from outlast.extract.sqlite_driver import STANDARD, use
from tests.support.rows import batches_of

TASKS = Table("tasks", MetaData(), Column("id", Integer), Column("title", String), Column("made", DateTime))
ANN = Owner("3")
Pair = namedtuple("Pair", "title id")  # noqa: PYI024 - as applications have them
Other = namedtuple("Other", "id name")  # noqa: PYI024


@pytest.fixture(autouse=True, params=[STANDARD, APSW], ids=["sqlite3", "apsw"])
def driver(request: pytest.FixtureRequest) -> Iterator[None]:
    use(request.param)
    yield
    use(STANDARD)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return with_tasks(tmp_path / "a b%20#ü.db", 2000)


def url_of(path: Path) -> str:
    return URL.create("sqlite", database=str(path)).render_as_string()


def with_tasks(path: Path, count: int) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE tasks (id INTEGER PRIMARY KEY, title TEXT, made TEXT)")
        connection.executemany(
            "INSERT INTO tasks VALUES (?, ?, '2026-03-01 09:30:00')", ((n, f"task {n}") for n in range(count))
        )
    return path


def written_elsewhere(path: Path, sql: str) -> None:
    """Write in another process: two SQLite libraries in one don't see each other's locks."""
    script = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])"
    subprocess.run([sys.executable, "-W", "ignore", "-c", script, str(path), f"BEGIN;{sql};COMMIT"], check=True)


def declared(
    rows: Callable[[Owner], Any],
    columns: Sequence[str] = ("id", "title"),
    source: Any = None,  # noqa: ANN401
) -> Definition:
    definitions = Definitions(source=source)
    definitions.export("export", columns=columns)(rows)
    (definition,) = definitions
    return definition


def tasks(owner: Owner) -> Query:
    del owner
    return select(TASKS.c.id, TASKS.c.title).order_by(TASKS.c.id)


def extracted(definition: Definition, columns: Sequence[str] = ("id", "title")) -> list[list[Any]]:
    with extract(definition, ANN, "{}", columns) as extraction:
        return [list(row) for batch in batches_of(extraction) for row in batch]


def failure(definition: Definition, columns: Sequence[str] = ("id", "title")) -> ExportFailedError:
    with pytest.raises(ExportFailedError) as failed:
        extracted(definition, columns)
    return failed.value


def test_rows_come_in_the_callers_columns(path: Path) -> None:
    definition = declared(tasks, source=url_of(path))

    assert extracted(definition)[:2] == [[0, "task 0"], [1, "task 1"]]
    assert extracted(definition, ["title", "id"])[:2] == [["task 0", 0], ["task 1", 1]]
    assert extracted(definition, ["title"])[-1] == ["task 1999"]
    assert extracted(definition, ["id", "id"])[1] == [1, 1]


def test_picking_columns_changes_no_rows(path: Path) -> None:
    """DISTINCT and ORDER BY mean the declared columns, whichever of them are picked."""

    def distinct(owner: Owner) -> Query:
        del owner
        return select(TASKS.c.id, (TASKS.c.id % 2).label("title")).distinct().order_by(TASKS.c.id.desc())

    assert extracted(declared(distinct, source=url_of(path)), ["title"])[:3] == [[1], [0], [1]]


def test_types_come_back_as_python_has_them(path: Path) -> None:
    def typed(owner: Owner) -> Query:
        del owner
        return select(TASKS.c.made).limit(1)

    (row,) = extracted(declared(typed, ["made"], url_of(path)), ["made"])
    assert row == [datetime(2026, 3, 1, 9, 30)]  # noqa: DTZ001 - a column without zone


def test_unions_are_selects_too(path: Path) -> None:
    def both(owner: Owner) -> Any:  # noqa: ANN401 - a compound select's type is long
        return union_all(tasks(owner).order_by(None).limit(1).subquery().select(), select(TASKS.c.id, TASKS.c.title))

    assert len(extracted(declared(both, source=url_of(path)))) == 2001


def test_one_snapshot_while_somebody_writes(path: Path) -> None:
    definition = declared(tasks, source=url_of(path))
    before = datetime.now(UTC)

    with extract(definition, ANN, "{}", ["id", "title"]) as extraction:
        rows = list(next(batches_of(extraction)))
        written_elsewhere(
            path,
            "DELETE FROM tasks WHERE id % 3 = 0;"
            "UPDATE tasks SET title = 'changed';"
            "INSERT INTO tasks SELECT id + 5000, 'late', made FROM tasks",
        )
        rows += [row for batch in batches_of(extraction) for row in batch]
        as_of = extraction.as_of

    assert [list(row) for row in rows] == [[n, f"task {n}"] for n in range(2000)]
    assert as_of is not None
    assert before <= as_of <= datetime.now(UTC)
    assert all(title in {"changed", "late"} for _, title in extracted(definition))


def test_the_snapshot_is_taken_at_its_time_not_at_the_first_row(path: Path) -> None:
    with snapshot(url_of(path)) as (connection, as_of):
        written_elsewhere(path, "DELETE FROM tasks")
        assert as_of is not None
        assert connection.scalar(text("SELECT count(*) FROM tasks")) == 2000


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM tasks",
        "CREATE TABLE other (x)",
        "CREATE TEMP TABLE other (x)",
        "PRAGMA user_version = 7",
        "ATTACH '{other}' AS other",
    ],
)
def test_nothing_can_be_written(path: Path, tmp_path: Path, statement: str) -> None:
    other = tmp_path / "other.db"
    content = path.read_bytes()

    def writing(owner: Owner) -> Any:  # noqa: ANN401 - a wrong export
        del owner
        return text(statement.format(other=other))

    with pytest.raises(Exception, match=r"readonly|too many attached") as failed:
        extracted(declared(writing, source=url_of(path)))

    assert classify(failed.value).code is FailureCode.INTERNAL_ERROR
    assert path.read_bytes() == content
    assert not other.exists()


def test_memory_is_bounded_by_a_batch_not_by_the_result(tmp_path: Path) -> None:
    path = tmp_path / "wide.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE tasks (id INTEGER PRIMARY KEY, title TEXT, made TEXT)")
        connection.executemany("INSERT INTO tasks VALUES (?, hex(zeroblob(50000)), NULL)", ((n,) for n in range(400)))

    tracemalloc.start()
    with extract(declared(tasks, source=url_of(path)), ANN, "{}", ["title"]) as extraction:
        tracemalloc.reset_peak()
        size = sum(len(row[0]) for batch in batches_of(extraction) for row in batch)
        _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert size == 400 * 100_000
    assert peak < 6_000_000


def test_small_rows_come_in_large_batches(path: Path) -> None:
    with extract(declared(tasks, source=url_of(path)), ANN, "{}", ["id"]) as extraction:
        sizes = [len(batch) for batch in batches_of(extraction)]

    assert sizes == [1, 500, 500, 500, 499]


def test_a_cheap_count_is_the_estimate(path: Path) -> None:
    with extract(declared(tasks, source=url_of(path)), ANN, "{}", ["id"]) as extraction:
        assert extraction.estimated_rows == 2000


def test_an_expensive_count_is_given_up(path: Path) -> None:
    def many(owner: Owner) -> Query:
        del owner
        a, b, c = TASKS.alias(), TASKS.alias(), TASKS.alias()
        return select(a.c.id, b.c.title).join(b, b.c.id >= a.c.id - 5000).join(c, c.c.id >= b.c.id - 5000)

    with extract(declared(many, source=url_of(path)), ANN, "{}", ["id"]) as extraction:
        assert extraction.estimated_rows is None
        assert len(next(batches_of(extraction))) == 1


def test_text_that_is_not_utf_8_reaches_the_encoder_with_its_bytes(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE tasks SET title = CAST(x'636166e9' AS TEXT) WHERE id = 0")

    (value,) = extracted(declared(tasks, source=url_of(path)), ["title"])[0]

    assert value.encode("utf-8", "surrogateescape") == b"caf\xe9"


def test_a_select_with_other_columns_fails_and_names_them(path: Path) -> None:
    error = failure(declared(tasks, ["id", "name"], url_of(path)), ["id"])

    assert error.code is FailureCode.INTERNAL_ERROR
    assert "missing: 'name'; unexpected: 'title'" in error.detail


def test_sql_with_other_columns_fails_and_names_them(path: Path) -> None:
    def sql(owner: Owner) -> Any:  # noqa: ANN401 - a text clause
        del owner
        return text("SELECT id, title AS name, made AS name FROM tasks")

    error = failure(declared(sql, source=url_of(path)))

    assert "missing: 'title'; unexpected: 'name', 'name'; more than once: 'name'" in error.detail


def engine_of_the_app() -> Engine:
    engine = create_engine(url_of(ENGINES["path"]))
    event.listen(engine, "connect", lambda *_: ENGINES.setdefault("connected", engine))
    ENGINES["engine"] = engine
    return engine


ENGINES: dict[str, Any] = {}


@pytest.mark.parametrize("spec", [engine_of_the_app, f"{__name__}:engine_of_the_app"])
def test_an_engine_for_sqlite_only_tells_its_file(path: Path, spec: Any) -> None:  # noqa: ANN401 - a source
    ENGINES.clear()
    ENGINES["path"] = path

    assert len(extracted(declared(tasks, source=spec))) == 2000
    assert "connected" not in ENGINES


def test_a_file_name_may_be_a_uri(path: Path, tmp_path: Path) -> None:
    plain = path.rename(tmp_path / "plain.db")

    assert len(extracted(declared(tasks, source=f"sqlite:///file:{plain}?uri=true&mode=rwc"))) == 2000


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("outlast.nowhere:engine", "can't be imported"),
        ("outlast.model:nothing", "can't be imported"),
        ("outlast.model:dataclass", "returned function, not an Engine"),
        (lambda: "sqlite:///hunter2", "returned str, not an Engine"),
        (lambda: create_engine("sqlite://"), "database in memory"),
    ],
)
def test_a_source_that_opens_nothing_is_refused(spec: Any, says: str) -> None:  # noqa: ANN401 - a source
    assert validate_source(spec, "source") is spec

    with pytest.raises(DefinitionError) as refused:
        open_source(spec)

    assert says in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_a_select_without_source_fails() -> None:
    assert "no source" in failure(declared(tasks)).detail


def test_a_source_can_be_replaced(path: Path) -> None:
    with extract(declared(tasks, source="sqlite:///elsewhere.db"), ANN, "{}", ["id"], url_of(path)) as extraction:
        assert sum(map(len, batches_of(extraction))) == 2000


ITEMS: list[tuple[str, Any]] = [
    ("tuples", [(1, "a"), (2, "b")]),
    ("lists", [[1, "a"], [2, "b"]]),
    ("mappings", [{"title": "a", "id": 1}, {"id": 2, "title": "b"}]),
    ("named tuples, by name", [Pair("a", 1), Pair("b", 2)]),
    ("a mixture", [(1, "a"), {"title": "b", "id": 2}]),
    ("any iterable", {(1, "a"): 0, (2, "b"): 0}.keys()),
]


@pytest.mark.parametrize(("_name", "rows"), ITEMS, ids=[name for name, _ in ITEMS])
def test_an_iterable_yields_rows_of_any_kind(_name: str, rows: Any) -> None:  # noqa: ANN401 - rows
    with extract(declared(lambda_of(rows)), ANN, "{}", ["title", "id"]) as extraction:
        assert [list(row) for batch in batches_of(extraction) for row in batch] == [["a", 1], ["b", 2]]
        assert extraction.as_of is None
        assert extraction.estimated_rows is None


def lambda_of(rows: Any) -> Callable[[Owner], Any]:  # noqa: ANN401 - rows
    def function(owner: Owner) -> Any:  # noqa: ANN401 - rows
        del owner
        return rows

    return function


def test_rows_of_a_connection_of_the_exports_own(path: Path) -> None:
    def own(owner: Owner) -> Iterator[Any]:
        del owner
        engine = create_engine(url_of(path))
        with engine.connect() as connection:
            yield from connection.execute(select(TASKS.c.title, TASKS.c.id).order_by(TASKS.c.id))
        engine.dispose()

    assert extracted(declared(own))[:2] == [[0, "task 0"], [1, "task 1"]]


class Row(Mapping[str, Any]):
    """A mapping of somebody's own."""

    def __init__(self, **values: Any) -> None:
        self.values_by_name = values

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - any cell
        return self.values_by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ((1,), "row 3 is not what was declared: 1 values for 2 columns"),
        ((1, "a", 2), "row 3 is not what was declared: 3 values for 2 columns"),
        ({"id": 1}, "row 3 is not what was declared: missing: 'title'"),
        (Row(id=1, title="a", more=2), "row 3 is not what was declared: unexpected: 'more'"),
        (Other(1, "secret"), "missing: 'title'; unexpected: 'name'"),
        ("ab", "row 3 is not what was declared: a str"),
        (7, "row 3 is not what was declared: a int"),
        (None, "row 3 is not what was declared: a NoneType"),
    ],
)
def test_a_row_that_is_not_as_declared_fails_by_number(row: Any, says: str) -> None:  # noqa: ANN401 - rows
    error = failure(declared(lambda_of([(1, "a"), (2, "b"), row])))

    assert error.code is FailureCode.INTERNAL_ERROR
    assert says in error.detail
    assert "secret" not in error.detail


@pytest.mark.parametrize("rows", [None, 7, "text", b"bytes"])
def test_what_is_no_rows_at_all_fails(rows: Any) -> None:  # noqa: ANN401 - not rows
    assert "neither a select nor an iterable" in failure(declared(lambda_of(rows))).detail


def test_a_generator_is_closed_when_the_extraction_ends_early() -> None:
    ended: list[str] = []

    def endless(owner: Owner) -> Iterator[tuple[int, str]]:
        try:
            while True:
                yield 1, owner.id
        finally:
            ended.append("closed")

    with extract(declared(endless), ANN, "{}", ["id"]) as extraction:
        next(batches_of(extraction))
        assert ended == []

    assert ended == ["closed"]


def test_the_file_is_let_go_when_the_extraction_ends(path: Path) -> None:
    with extract(declared(tasks, source=url_of(path)), ANN, "{}", ["id"]) as extraction:
        next(batches_of(extraction))

    with closing(sqlite3.connect(path, timeout=0)) as writer, writer:
        writer.execute("DELETE FROM tasks")
    # The last connection to a file removes its write-ahead log.
    assert not path.with_name(f"{path.name}-wal").exists()


def test_a_typed_select_is_accepted_as_a_query() -> None:
    def typed(owner: Owner) -> Select[int, str]:
        return select(TASKS.c.id, TASKS.c.title).where(TASKS.c.title == owner.id)

    assert declared(typed).rows_of(ANN, "{}") is not None
