"""Whatever the rows hold, an independent reader gets exactly the same values back."""

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from outlast.formats import DEFAULT_FORMATS
from tests.support.csv_reader import fields
from tests.support.encoders import encoder as encoder_of
from tests.support.encoders import text_encoder, written

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
WILD_TEXT = st.text()
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False)
INSTANTS = st.datetimes(
    min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1),  # noqa: DTZ001 - the zone comes from `timezones`
    timezones=st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)  # fmt: skip
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
CELLS: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXT,
    "integer": st.integers(),
    "boolean": st.booleans(),
    "float": FLOATS,
    "decimal": DECIMALS,
    "date": st.dates(),
    "local": st.datetimes(),
    "instant": INSTANTS,
    "time": st.times(),
    "uuid": st.uuids(),
    "bytes": st.binary(),
    "document": st.dictionaries(TEXT, DOCUMENTS, max_size=3),
}
ROWS = st.lists(st.tuples(*(st.none() | cell for cell in CELLS.values())), max_size=8)
COLUMNS = tuple(CELLS)


def exactly(kind: str, value: Any) -> Any:  # noqa: ANN401 - any cell
    """What a reader should get for a value: the value itself, but instants in UTC and floats by their bits."""
    if value is None:
        return None
    if kind == "instant":
        return value.astimezone(UTC)
    if kind == "float":
        return math.copysign(1, value), value
    return value


def from_text(kind: str, text: str) -> Any:  # noqa: ANN401 - any cell
    read: dict[str, Callable[[str], Any]] = {
        "text": str,
        "integer": int,
        "boolean": {"true": True, "false": False}.__getitem__,
        "float": lambda text: (math.copysign(1, float(text)), float(text)),
        "decimal": Decimal,
        "date": date.fromisoformat,
        "local": datetime.fromisoformat,
        "instant": datetime.fromisoformat,
        "time": time.fromisoformat,
        "uuid": UUID,
        "bytes": bytes.fromhex,
        "document": json.loads,
    }
    return read[kind](text)


def expected(rows: Sequence[Sequence[object]]) -> list[list[Any]]:
    return [[exactly(kind, value) for kind, value in zip(COLUMNS, row, strict=True)] for row in rows]


@given(ROWS)
def test_csv_brings_every_value_back(rows: Sequence[Sequence[object]]) -> None:
    text = written(encoder_of("csv", COLUMNS), rows).decode()

    header, *records = fields(text)
    assert tuple(header) == COLUMNS
    found = [
        [None if field is None else from_text(kind, field) for kind, field in zip(COLUMNS, record, strict=True)]
        for record in records
    ]
    assert found == expected(rows)
    with io.StringIO(text, newline="") as file:
        by_python = list(csv.reader(file, strict=True))
    assert by_python == [[field or "" for field in record] for record in fields(text)]


@given(ROWS)
def test_json_lines_bring_every_value_back(rows: Sequence[Sequence[object]]) -> None:
    lines = written(encoder_of("jsonl", COLUMNS), rows).decode().split("\n")

    assert lines.pop() == ""
    native = {"text", "integer", "boolean", "document"}
    found = []
    for line in lines:
        values = json.loads(line)
        numbers = json.loads(line, parse_float=Decimal, parse_int=Decimal)
        assert tuple(values) == COLUMNS
        found.append(
            [
                value if value is None or kind in native
                else numbers[kind] if kind == "decimal"
                else from_text(kind, str(value))
                for kind, value in values.items()
            ]
        )  # fmt: skip
    assert found == expected(rows)


@given(
    st.lists(st.tuples(st.none() | WILD_TEXT, st.floats() | DOCUMENTS), max_size=5), st.sampled_from(["replace", "hex"])
)
def test_under_a_policy_every_batch_is_written_and_valid(rows: Sequence[Sequence[Any]], policy: Any) -> None:  # noqa: ANN401
    for name in DEFAULT_FORMATS:
        encoder = text_encoder(name, ["t", "v"], unencodable=policy, non_finite="text")
        text = (encoder.begin() + encoder.encode(rows)).decode()
        if name == "csv":
            assert [len(record) for record in fields(text)] == [2] * (1 + len(rows))
        else:
            lines = text.split("\n")[:-1]
            read = [json.loads(line, parse_constant=_refuse) for line in lines]
            assert [list(row) for row in read] == [["t", "v"]] * len(rows)
        troubled = any(_has_surrogate(row[0]) for row in rows)
        assert troubled <= bool(encoder.warnings)


@given(ROWS, st.integers(0, 8))
def test_how_rows_are_batched_changes_nothing(rows: Sequence[Sequence[object]], cut: int) -> None:
    for name in DEFAULT_FORMATS:
        whole, parts = text_encoder(name, COLUMNS), text_encoder(name, COLUMNS)
        assert whole.encode(rows) == parts.encode(rows[:cut]) + parts.encode(rows[cut:])


def _refuse(word: str) -> None:
    message = f"{word} is not JSON"
    raise ValueError(message)


def _has_surrogate(text: str | None) -> bool:
    return text is not None and any("\ud800" <= character <= "\udfff" for character in text)
