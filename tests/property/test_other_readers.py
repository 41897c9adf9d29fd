"""DuckDB and orjson, which are stricter than Python's own readers, find every value under every option."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from outlast.formats import RawJson
from tests.corpus.readers import csv_by_duckdb, csv_by_python, json_by_orjson, same, same_rounded
from tests.corpus.values import Document
from tests.support.encoders import encoder, written

HOSTILE = st.text("\"',;|\\\t\r\n\0 =\u2028\ufeffé😀N", max_size=6)
TEXT = HOSTILE | st.text(st.characters(exclude_categories=["Cs"]))
CELLS: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXT,
    "more text": TEXT,
    "integer": st.integers(-(2**63), 2**63 - 1),
    "boolean": st.booleans(),
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "decimal": st.decimals(-(10**9), 10**9, places=3),
    "bytes": st.binary(max_size=6),
    "date": st.dates(),
    "local": st.datetimes(),
    "time": st.times(),
    "uuid": st.uuids(),
}
ROWS = st.lists(st.tuples(*(st.none() | cell for cell in CELLS.values())), max_size=8)
NAMES = list(CELLS)
Rows = Sequence[Sequence[Any]]


@given(
    ROWS,
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["all", "minimal"]),
    st.sampled_from(["rfc4180", "excel"]),
)
def test_duckdb_reads_csv_and_tells_null_from_empty(rows: Rows, delimiter: str, quoting: str, dialect: str) -> None:
    made = encoder(
        "csv", NAMES, csv_delimiter=delimiter, csv_quoting=quoting, csv_dialect=dialect, formulas="keep",
        unencodable="replace",
    )  # fmt: skip
    file = written(made, rows)

    changed = {(number, warning["column"]) for warning in made.warnings for number in warning["first_rows"]}
    header, *found = csv_by_duckdb(file, delimiter)
    assert header == csv_by_python(file, delimiter)[0] == NAMES
    assert len(found) == len(rows)
    for number, (row, read) in enumerate(zip(rows, found, strict=True), 1):
        for name, value, cell in zip(NAMES, row, read, strict=True):
            assert (number, name) in changed or same(value, cell), (name, value, cell)


@given(ROWS.filter(bool), st.sampled_from(["jsonl", "json"]))
def test_orjson_reads_json(rows: Rows, name: str) -> None:
    file = written(encoder(name, NAMES), rows)

    found = json_by_orjson(name, file)
    assert len(found) == len(rows) + 1
    for row, read in zip(rows, found[1:], strict=True):
        for value, cell in zip(row, read, strict=True):
            assert same_rounded(value, cell), (value, cell)


@given(
    st.lists(st.sampled_from(['{"a":\n1}', "null", '"x"', "[1, 2.50]", "-0", '{"a": "\\u0000"}']), min_size=1),
    st.sampled_from(["csv", "jsonl", "json"]),
)
def test_documents_of_a_database_stay_what_they_say(texts: list[str], name: str) -> None:
    rows = [(RawJson(text), at) for at, text in enumerate(texts)]
    file = written(encoder(name, ["document", "n"]), rows)

    if name == "csv":
        assert [Document.of(str(read[0])) for read in csv_by_duckdb(file)[1:]] == list(map(Document.of, texts))
    else:
        found = json_by_orjson(name, file)
        assert [Document(read[0]) == Document.of(text) for text, read in zip(texts, found[1:], strict=True)] == [
            True
        ] * len(texts)
