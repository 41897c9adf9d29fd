"""What SQLite stores becomes what its column's kind says, exactly; what doesn't fit is judged by policy."""

import io
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import pyarrow.parquet as pq
import pytest

from outlast.errors import ExportFailedError, FailureCode
from outlast.extract.kinds import Typed
from outlast.extract.values import Mismatch, Values
from outlast.formats import Column, Kind, RawJson
from outlast.formats.report import Report
from tests.support.encoders import encoder, written

ID = UUID("0123456789abcdef0123456789abcdef")


def converted(kind: Kind, value: object, mismatch: Mismatch = "fail") -> tuple[Any, tuple[dict[str, Any], ...]]:
    """Give what becomes of a value, on the way of a batch and of a single row, and what was reported."""
    reports = Report(), Report()
    column = [Typed(Column("c", kind))]
    ((in_batch,),) = Values(column, mismatch, reports[0]).batch([(value,)], 1)
    (alone,) = Values(column, mismatch, reports[1]).row((value,), 1)
    assert (type(in_batch), in_batch, reports[0].warnings) == (type(alone), alone, reports[1].warnings)
    return in_batch, reports[0].warnings


FITTING: list[tuple[Kind, object, object]] = [
    (Kind.INTEGER, 2**63 - 1, 2**63 - 1),
    (Kind.FLOAT, 0.1, 0.1),
    (Kind.FLOAT, 3, 3.0),
    (Kind.DECIMAL, 12, Decimal(12)),
    (Kind.DECIMAL, 19.99, Decimal("19.99")),
    (Kind.DECIMAL, "12345678901234567890.10", Decimal("12345678901234567890.10")),
    (Kind.BOOLEAN, 1, True),
    (Kind.BOOLEAN, 0, False),
    (Kind.TEXT, "caf\udce9", "caf\udce9"),
    (Kind.BYTES, b"\x00", b"\x00"),
    (Kind.DATE, "2026-03-01", date(2026, 3, 1)),
    (Kind.TIME, "09:30:00.500000", time(9, 30, 0, 500_000)),
    (Kind.DATETIME, "2026-03-01 09:30:00.000000", datetime(2026, 3, 1, 9, 30)),  # noqa: DTZ001 - local times
    (Kind.DATETIME, "2026-03-01T09:30:00", datetime(2026, 3, 1, 9, 30)),  # noqa: DTZ001
    (Kind.DATETIME, "2026-03-01 09:30:00.5", datetime(2026, 3, 1, 9, 30, 0, 500_000)),  # noqa: DTZ001
    (Kind.INSTANT, "2026-03-01 09:30:00", datetime(2026, 3, 1, 9, 30, tzinfo=UTC)),
    (Kind.INSTANT, "2026-03-01 09:30:00+05:30", datetime(2026, 3, 1, 4, 0, tzinfo=UTC)),
    (Kind.INSTANT, "2026-03-01T09:30:00Z", datetime(2026, 3, 1, 9, 30, tzinfo=UTC)),
    (Kind.UUID, ID.hex, ID),
    (Kind.UUID, str(ID).upper(), ID),
    (Kind.UUID, ID.bytes, ID),
    (Kind.JSON, '{"b": [0.10, 1e999999999], "a": null}', RawJson('{"b": [0.10, 1e999999999], "a": null}')),
    (Kind.JSON, "null", RawJson("null")),
    (Kind.JSON, 5, 5),
    (Kind.JSON, 0.1, Decimal("0.1")),
    (Kind.ARRAY, "[1]", RawJson("[1]")),
    (Kind.INTERVAL, "P1D", "P1D"),
    (Kind.UNKNOWN, 5, 5),
    (Kind.UNKNOWN, b"x", b"x"),
]


@pytest.mark.parametrize("mismatch", ["fail", "text", "cast"])
@pytest.mark.parametrize(("kind", "value", "expected"), FITTING)
def test_what_fits_is_converted_under_every_policy(
    kind: Kind, value: object, expected: object, mismatch: Mismatch
) -> None:
    found, warnings = converted(kind, value, mismatch)

    assert (type(found), found) == (type(expected), expected)
    assert warnings == ()


@pytest.mark.parametrize("kind", list(Kind))
def test_null_fits_everywhere(kind: Kind) -> None:
    assert converted(kind, None) == (None, ())


MISFITS: list[tuple[Kind, object, str, object]] = [
    # kind, stored, as text, as cast (None: as text too)
    (Kind.INTEGER, "12", "12", 12),
    (Kind.INTEGER, "012", "012", None),
    (Kind.INTEGER, "1_2", "1_2", None),
    (Kind.INTEGER, 3.0, "3.0", 3),
    (Kind.INTEGER, 3.5, "3.5", None),
    (Kind.INTEGER, float("inf"), "inf", None),
    (Kind.INTEGER, b"12", "3132", None),
    (Kind.FLOAT, 2**53 + 1, "9007199254740993", None),
    (Kind.FLOAT, "0.1", "0.1", 0.1),
    (Kind.FLOAT, "0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827", None),
    (Kind.FLOAT, b"1", "31", None),
    (Kind.DECIMAL, "1,5", "1,5", None),
    (Kind.DECIMAL, "NaN", "NaN", None),
    (Kind.DECIMAL, b"1", "31", None),
    (Kind.BOOLEAN, 2, "2", None),
    (Kind.BOOLEAN, 1.0, "1.0", True),
    (Kind.BOOLEAN, "False", "False", False),
    (Kind.BOOLEAN, "perhaps", "perhaps", None),
    (Kind.BOOLEAN, b"1", "31", None),
    (Kind.TEXT, 5, "5", "5"),
    (Kind.TEXT, 0.1, "0.1", "0.1"),
    (Kind.TEXT, b"caf\xc3\xa9", "636166c3a9", "café"),
    (Kind.TEXT, b"\xff", "ff", None),
    (Kind.BYTES, "abc", "abc", b"abc"),
    (Kind.BYTES, 5, "5", None),
    (Kind.DATE, "2026-02-30", "2026-02-30", None),
    (Kind.DATE, "2026-W01-1", "2026-W01-1", None),
    (Kind.DATE, "2026-03-01 00:00:00", "2026-03-01 00:00:00", date(2026, 3, 1)),
    (Kind.DATE, "2026-03-01 00:00:01", "2026-03-01 00:00:01", None),
    (Kind.DATE, 2460000, "2460000", None),
    (Kind.TIME, "24:00:00", "24:00:00", None),
    (Kind.TIME, b"x", "78", None),
    (Kind.DATETIME, "2026-03-01", "2026-03-01", datetime(2026, 3, 1)),  # noqa: DTZ001 - a local time
    (Kind.DATETIME, "2026-03-01 09:30:00+01:00", "2026-03-01 09:30:00+01:00", None),
    (Kind.DATETIME, "2026-03-01 09:30:00.1234567", "2026-03-01 09:30:00.1234567", None),
    (Kind.DATETIME, 1.5, "1.5", None),
    (Kind.INSTANT, "0001-01-01 00:00:00+01:00", "0001-01-01 00:00:00+01:00", None),
    (Kind.INSTANT, "soon", "soon", None),
    (Kind.INTERVAL, 5, "5", None),
    (Kind.UUID, "{0123456789abcdef0123456789abcdef}", "{0123456789abcdef0123456789abcdef}", None),
    (Kind.UUID, b"short", "73686f7274", None),
    (Kind.UUID, 5, "5", None),
    (Kind.JSON, '{"a": NaN}', '{"a": NaN}', None),
    (Kind.JSON, "[" * 100_000, "[" * 100_000, None),
    (Kind.JSON, float("inf"), "inf", None),
    (Kind.JSON, b"{}", "7b7d", None),
    (Kind.ARRAY, "{1}", "{1}", None),
]


@pytest.mark.parametrize(("kind", "value", "as_text", "as_cast"), MISFITS)
def test_what_does_not_fit_fails_is_kept_as_text_or_cast(
    kind: Kind, value: object, as_text: str, as_cast: object
) -> None:
    with pytest.raises(ExportFailedError) as failed:
        converted(kind, value)
    assert failed.value.code is FailureCode.UNENCODABLE_VALUE
    assert failed.value.detail.startswith("row 1, column 'c': ")
    assert str(value) not in failed.value.detail

    kept = ({"code": "kept_as_text", "column": "c", "count": 1, "first_rows": [1]},)
    assert converted(kind, value, "text") == (as_text, kept)
    found, warnings = converted(kind, value, "cast")
    if as_cast is None:
        assert (found, warnings) == (as_text, kept)
    else:
        assert (type(found), found) == (type(as_cast), as_cast)
        assert warnings == ({"code": "cast", "column": "c", "count": 1, "first_rows": [1]},)


def test_bytes_in_hex_are_never_taken_for_a_number() -> None:
    values = Values([Typed(Column("c", Kind.INTEGER))], "cast", Report())
    rows = values.batch([(b"\x10",)], 1)
    assert rows == [("10",)]
    file = written(encoder("parquet", [Column("c", Kind.INTEGER)], mismatch="cast"), rows)
    assert pq.read_table(io.BytesIO(file)).column("c").to_pylist() == [None]


def test_the_first_row_that_does_not_fit_is_named_whatever_its_column() -> None:
    columns = [Typed(Column("a", Kind.INTEGER)), Typed(Column("b", Kind.INTEGER))]

    with pytest.raises(ExportFailedError, match="row 12, column 'b': text that is no integer"):
        Values(columns, "fail", Report()).batch([(1, 1), (2, 2), (3, "secret"), ("secret", 4)], 10)


def test_a_types_own_processor_may_fail_in_its_own_way() -> None:
    def process(value: object) -> object:
        if value == "bad":
            raise ValueError("of its own")
        return value and f"<{value}>"

    values = Values([Typed(Column("a"), process)], "text", Report())

    assert values.batch([("x",), (None,)], 1) == [("<x>",), (None,)]
    with pytest.raises(ValueError, match="of its own"):
        values.batch([("bad",)], 1)
