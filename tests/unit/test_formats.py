"""How each value is spelled, and what becomes of those that a format can't carry."""

import json
from collections import UserString, namedtuple
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Any
from uuid import UUID

import pytest

from outlast.errors import ExportFailedError, FailureCode
from outlast.formats import DEFAULT_FORMATS, Encoder, RawJson, Row, Unencodable
from tests.support import encoders
from tests.support.encoders import encoder as encoder_of
from tests.support.encoders import text_encoder

EAST = timezone(timedelta(hours=5, minutes=30))
NUMBER = UUID("0d9b1a52-6a3f-4c6e-8f0e-3f6d2b7a9c11")
BAD_BYTES = b"caf\xe9".decode("utf-8", "surrogateescape")


class Colour(Enum):
    RED = "red"
    PAIR = (1, "x")


class Level(IntEnum):
    HIGH = 3


class State(StrEnum):
    DONE = "done"


class Loud(str):
    """Text that prints itself in another way."""

    __slots__ = ()

    def __str__(self) -> str:
        return "loud"

    def __format__(self, spec: str) -> str:
        return "loud"

    def replace(self, *_: Any) -> str:
        return "loud"


Point = namedtuple("Point", "x y")  # noqa: PYI024 - as applications have them

SPELLINGS: list[tuple[object, str, str]] = [
    (None, "", "null"),
    ("", '""', '""'),
    ("NULL", '"NULL"', '"NULL"'),
    ('say "hi", now', '"say ""hi"", now"', '"say \\"hi\\", now"'),
    ("two\nlines\r\n", '"two\nlines\r\n"', '"two\\nlines\\r\\n"'),
    ("é😀\u2028\x00", '"é😀\u2028\x00"', '"é😀\u2028\\u0000"'),
    ("=1+1", '"=1+1"', '"=1+1"'),
    (" padded ", '" padded "', '" padded "'),
    (Loud("quiet"), '"quiet"', '"quiet"'),
    (0, "0", "0"),
    (-(2**70), "-1180591620717411303424", "-1180591620717411303424"),
    (True, "true", "true"),
    (False, "false", "false"),
    (0.1, "0.1", "0.1"),
    (1e16, "1e+16", "1e+16"),
    (5e-324, "5e-324", "5e-324"),
    (-0.0, "-0.0", "-0.0"),
    (Decimal("1.50"), "1.50", "1.50"),
    (Decimal("1E+3"), "1000", "1000"),
    (Decimal("-1E-7"), "-0.0000001", "-0.0000001"),
    (Decimal("12345678901234567890.123456789"), "12345678901234567890.123456789", "12345678901234567890.123456789"),
    (date(2026, 3, 1), '"2026-03-01"', '"2026-03-01"'),
    (date(1, 1, 1), '"0001-01-01"', '"0001-01-01"'),
    (datetime(2026, 3, 1, 9, 30), '"2026-03-01 09:30:00"', '"2026-03-01T09:30:00"'),  # noqa: DTZ001
    (
        datetime(2026, 3, 1, 9, 30, 0, 5, UTC),
        '"2026-03-01 09:30:00.000005+00"',
        '"2026-03-01T09:30:00.000005+00:00"',
    ),
    (datetime(2026, 3, 1, 2, 0, tzinfo=EAST), '"2026-02-28 20:30:00+00"', '"2026-02-28T20:30:00+00:00"'),
    (datetime(1, 1, 1, 2, 0, tzinfo=EAST), '"0001-01-01 02:00:00+05:30"', '"0001-01-01T02:00:00+05:30"'),
    (time(9, 30, 0, 5), '"09:30:00.000005"', '"09:30:00.000005"'),
    (timedelta(0), '"PT0S"', '"PT0S"'),
    (timedelta(days=1, milliseconds=500), '"P1DT0.5S"', '"P1DT0.5S"'),
    (timedelta(days=2), '"P2D"', '"P2D"'),
    (-timedelta(hours=1, microseconds=1), '"PT-1H-0.000001S"', '"PT-1H-0.000001S"'),
    (NUMBER, f'"{NUMBER}"', f'"{NUMBER}"'),
    (b"\x00\xff", '"00ff"', '"00ff"'),
    (bytearray(b"ab"), '"6162"', '"6162"'),
    (memoryview(b"ab"), '"6162"', '"6162"'),
    (Colour.RED, '"red"', '"red"'),
    (Colour.PAIR, '"[1,""x""]"', '[1,"x"]'),
    (Level.HIGH, "3", "3"),
    (State.DONE, '"done"', '"done"'),
    ([], '"[]"', "[]"),
    (Point(1, None), '"[1,null]"', "[1,null]"),
    (
        {"a": [Decimal("1.10"), {"é": NUMBER}]},
        f'"{{""a"":[1.10,{{""é"":""{NUMBER}""}}]}}"',
        f'{{"a":[1.10,{{"é":"{NUMBER}"}}]}}',
    ),
]


def written(encoder: Encoder, *batches: Sequence[Row]) -> str:
    return encoders.written(encoder, *batches).decode()


@pytest.mark.parametrize(("value", "csv", "jsonl"), SPELLINGS, ids=[repr(value)[:40] for value, _, _ in SPELLINGS])
def test_every_value_has_one_exact_spelling(value: object, csv: str, jsonl: str) -> None:
    assert written(encoder_of("csv", ["a", "b"]), [(value, 1)]) == f'"a","b"\n{csv},1\n'
    assert written(encoder_of("jsonl", ["a", "b"]), [(value, 1)]) == f'{{"a":{jsonl},"b":1}}\n'


@pytest.mark.parametrize(("value", "csv", "jsonl"), SPELLINGS, ids=[repr(value)[:40] for value, _, _ in SPELLINGS])
def test_the_careful_way_spells_as_the_quick_one(value: object, csv: str, jsonl: str) -> None:
    """A bad neighbour in the batch must not change how a value is written."""
    assert (
        written(encoder_of("csv", ["a"], unencodable="replace"), [(value,), ("\udcff",)]) == f'"a"\n{csv}\n"\ufffd"\n'
    )
    assert (
        written(encoder_of("jsonl", ["a"], unencodable="replace"), [(value,), ("\udcff",)])
        == f'{{"a":{jsonl}}}\n{{"a":"\ufffd"}}\n'
    )


def test_columns_with_strange_names_are_written_exactly() -> None:
    columns = ['a "b"', "100 %s", "x,y", "é\n"]

    assert written(encoder_of("csv", columns), []) == '"a ""b""","100 %s","x,y","é\n"\n'
    assert json.loads(written(encoder_of("jsonl", columns), [(1, 2, 3, 4)])) == {
        name: number for number, name in enumerate(columns, 1)
    }


@pytest.mark.parametrize("name", DEFAULT_FORMATS)
def test_no_rows_are_a_valid_file(name: str) -> None:
    assert written(encoder_of(name, ["a"])) == ('"a"\n' if name == "csv" else "")


UNENCODABLE: list[tuple[object, str]] = [
    (BAD_BYTES, "text that is not Unicode"),
    ({"k": ["\ud800"]}, "text that is not Unicode"),
    (UserString("secret"), "a value of the type UserString"),
    (float("nan"), "a number that is not finite"),
    (float("-inf"), "a number that is not finite"),
    (Decimal("sNaN"), "a number that is not finite"),
    ({"k": float("inf")}, "a number that is not finite"),
    ({7: "secret"}, "an object with a key that is not text"),
]


@pytest.mark.parametrize(("value", "why"), UNENCODABLE)
def test_a_value_that_json_cannot_carry_fails_with_its_place_only(value: object, why: str) -> None:
    encoder = text_encoder("jsonl", ["id", "the value"])
    encoder.encode([(1, "x"), (2, "x")])

    with pytest.raises(ExportFailedError) as failed:
        encoder.encode([(3, "x"), (4, value), (5, value)])

    assert failed.value.code is FailureCode.UNENCODABLE_VALUE
    assert failed.value.detail == f"row 4, column 'the value': {why}"


@pytest.mark.parametrize("value", [BAD_BYTES, UserString("secret"), {"k": float("inf")}, {7: "secret"}])
def test_a_value_that_csv_cannot_carry_fails(value: object) -> None:
    with pytest.raises(ExportFailedError, match="row 1, column 'a'"):
        text_encoder("csv", ["a"]).encode([(value,)])


def test_no_bytes_are_not_null_where_quotes_are_few() -> None:
    for values in ([b"", b"a"], [b"", None], [b"", "text"]):
        file = encoders.written(encoder_of("csv", ["v"], csv_quoting="minimal"), [(value,) for value in values])
        assert file.startswith(b'v\n""\n')


def test_json_text_that_becomes_hex_is_a_string() -> None:
    encoder = encoder_of("jsonl", ["v"], unencodable="hex")
    rows = [(RawJson('{"a":"\udcff"}'),), (RawJson("{}"),)]
    assert encoders.written(encoder, rows) == b'{"v":"7b2261223a22ff227d"}\n{"v":{}}\n'


def test_csv_carries_numbers_that_are_not_finite() -> None:
    row = (float("nan"), float("inf"), float("-inf"), Decimal("NaN"), Decimal("-Infinity"))

    assert written(encoder_of("csv", "abcde"), [row]).splitlines()[1] == "NaN,Infinity,-Infinity,NaN,-Infinity"


@pytest.mark.parametrize(
    ("policy", "value", "expected", "code"),
    [
        ("replace", BAD_BYTES, "caf\ufffd", "replaced"),
        ("hex", BAD_BYTES, "636166e9", "hex"),
        ("hex", "\ud800é", "eda080c3a9", "hex"),
        ("replace", UserString("x"), "\ufffd", "replaced"),
        ("replace", {"k": [BAD_BYTES]}, {"k": ["caf\ufffd"]}, "replaced"),
        ("replace", {BAD_BYTES: 1}, {"caf\ufffd": 1}, "replaced"),
        ("replace", {7: 1}, "\ufffd", "replaced"),
    ],
)
def test_a_policy_decides_and_the_result_says_so(
    policy: Unencodable, value: object, expected: object, code: str
) -> None:
    encoder = encoder_of("jsonl", ["id", "v"], unencodable=policy)
    text = written(encoder, [(1, "fine")], [(2, value), (3, "fine")])

    assert [json.loads(line) for line in text.splitlines()] == [
        {"id": 1, "v": "fine"},
        {"id": 2, "v": expected},
        {"id": 3, "v": "fine"},
    ]
    (warning,) = encoder.warnings
    assert (warning["code"], warning["column"], warning["first_rows"]) == (code, "v", [2])
    assert warning["count"] >= 1


def test_warnings_count_everything_and_keep_the_first_places() -> None:
    encoder = text_encoder("csv", ["a", "b"], unencodable="replace")
    for _ in range(3):
        encoder.encode([("\udc80", "fine"), ("fine", "fine"), ("\udc80", "\udc80")])

    assert encoder.warnings == (
        {"code": "replaced", "column": "a", "count": 6, "first_rows": [1, 3, 4, 6, 7]},
        {"code": "replaced", "column": "b", "count": 3, "first_rows": [3, 6, 9]},
    )
