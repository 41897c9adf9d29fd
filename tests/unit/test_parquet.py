"""Parquet and Arrow IPC: what becomes of values that a typed column can't hold, and what the files are like."""

import io
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from outlast.errors import ExportFailedError, FailureCode
from outlast.formats import FORMATS, Column, CsvText, FileOptions, Kind, Page, Piece, RawJson
from outlast.formats.columnar.groups import GROUP_BYTES, GROUP_ROWS
from tests.support.encoders import encoder, written

NAMES = ("parquet", "arrow")
SECRET = "hunter2"


class Colour(Enum):
    RED = 7


def read(name: str, data: bytes) -> pa.Table:
    table = pq.read_table(io.BytesIO(data)) if name == "parquet" else pa.ipc.open_file(io.BytesIO(data)).read_all()
    table.validate(full=True)
    return table


def cells(column: Column, values: Sequence[Any], **options: Any) -> tuple[list[Any], tuple[dict[str, Any], ...]]:
    """Write values of one column, and give what pyarrow reads, and the warnings."""
    writer = encoder("parquet", [column], **options)
    table = read("parquet", written(writer, [(value,) for value in values]))
    return table.column(0).to_pylist(), writer.warnings


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", Kind)
def test_an_empty_result_is_a_whole_file_with_its_schema(name: str, kind: Kind) -> None:
    table = read(name, written(encoder(name, [Column("a", kind), Column('"b",\n.', kind)])))
    assert table.num_rows == 0
    assert table.column_names == ["a", '"b",\n.']
    assert [field.metadata[b"outlast.kind"].decode() for field in table.schema] == [kind, kind]


@pytest.mark.parametrize("name", NAMES)
def test_types_are_those_of_the_kinds(name: str) -> None:
    columns = [Column(kind.value, kind) for kind in Kind if kind is not Kind.UNKNOWN]
    table = read(name, written(encoder(name, [*columns, Column("price", Kind.DECIMAL, 10, 2)])))
    assert {field.name: str(field.type) for field in table.schema} == {
        "integer": "int64", "float": "double", "decimal": "string", "price": "decimal128(10, 2)", "boolean": "bool",
        "text": "string", "bytes": "binary", "date": "date32[day]", "time": "time64[us]", "datetime": "timestamp[us]",
        "instant": "timestamp[us, tz=UTC]", "interval": "string", "uuid": "extension<arrow.uuid>",
        "json": "extension<arrow.json>", "array": "extension<arrow.json>",
    }  # fmt: skip


def test_duckdb_sees_the_types(tmp_path: Path) -> None:
    columns = [Column(kind.value, kind) for kind in (Kind.INSTANT, Kind.UUID, Kind.JSON, Kind.DATETIME, Kind.TIME)]
    path = tmp_path / "empty.parquet"
    path.write_bytes(written(encoder("parquet", columns)))
    with duckdb.connect() as connection:
        seen = connection.execute(f"DESCRIBE SELECT * FROM '{path}'").fetchall()  # noqa: S608 - our own path
    assert [row[1] for row in seen] == ["TIMESTAMP WITH TIME ZONE", "UUID", "JSON", "TIMESTAMP", "TIME"]


@pytest.mark.parametrize(
    ("precision", "scale", "type_"),
    [(38, 38, "decimal128(38, 38)"), (3, -2, "decimal128(5, 0)"), (2, 5, "decimal128(5, 5)"), (39, 2, "string")],
)
def test_declared_decimals_are_decimals_if_128_bits_hold_them(precision: int, scale: int, type_: str) -> None:
    table = read("parquet", written(encoder("parquet", [Column("a", Kind.DECIMAL, precision, scale)])))
    assert str(table.schema.field(0).type) == type_


def test_a_chosen_zone_is_the_readers_and_the_instants_stay() -> None:
    instant = datetime(2026, 7, 1, 12, tzinfo=UTC)
    text = FORMATS["parquet"].text(FileOptions(time_zone="Europe/Berlin"))
    assert isinstance(text, CsvText)
    assert text.options.time_zone is None
    by_text = encoder("parquet", [Column("at", Kind.INSTANT)], time_zone="Europe/Berlin")
    for table in (
        read("parquet", written(by_text, Page(b'"2026-07-01 12:00:00+00"\n', 1))),
        read(
            "parquet", written(encoder("parquet", [Column("at", Kind.INSTANT)], time_zone="Europe/Berlin"), [[instant]])
        ),
    ):
        assert str(table.schema.field(0).type) == "timestamp[us, tz=Europe/Berlin]"
        assert table.column(0).to_pylist() == [instant]


MISMATCHED: list[tuple[Kind, Any]] = [
    (Kind.INTEGER, SECRET), (Kind.INTEGER, 1.5), (Kind.FLOAT, SECRET), (Kind.FLOAT, 2**53 + 1),
    (Kind.FLOAT, 10**400), (Kind.BOOLEAN, 2), (Kind.BYTES, SECRET), (Kind.DATE, SECRET),
    (Kind.DATE, datetime(2026, 1, 1, 5)),  # noqa: DTZ001
    (Kind.TIME, 5), (Kind.DATETIME, datetime(2026, 1, 1, tzinfo=UTC)), (Kind.INSTANT, datetime(2026, 1, 1)),  # noqa: DTZ001
    (Kind.UUID, SECRET), (Kind.INTERVAL, 5), (Kind.DECIMAL, "1"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), MISMATCHED)
def test_a_value_of_another_type_fails_or_becomes_null_that_is_counted(kind: Kind, value: object) -> None:
    with pytest.raises(ExportFailedError) as failed:
        cells(Column("odd", kind), [None, value])
    assert failed.value.code is FailureCode.UNENCODABLE_VALUE
    assert "row 2, column 'odd'" in failed.value.detail
    assert SECRET not in failed.value.detail
    for policy in ("text", "cast"):
        found, warnings = cells(Column("odd", kind), [None, value, value], mismatch=policy)
        assert found == [None, None, None]
        assert warnings == ({"code": "nulled", "column": "odd", "count": 2, "first_rows": [2, 3]},)


@pytest.mark.parametrize("value", ["1.505", "100000000", "1e-3"])
def test_a_decimal_of_more_digits_than_declared_is_never_rounded(value: str) -> None:
    column = Column("price", Kind.DECIMAL, 10, 2)
    with pytest.raises(ExportFailedError, match="row 1, column 'price'"):
        cells(column, [Decimal(value)])
    found, warnings = cells(
        column, [Decimal(value), Decimal("1e7"), Decimal("-1.500"), Decimal("0e-9")], mismatch="text"
    )
    assert found == [None, Decimal(10**7), Decimal("-1.5"), 0]
    assert warnings[0]["first_rows"] == [1]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (Column("odd", Kind.INTEGER), 2**63),
        (Column("odd", Kind.DECIMAL, 10, 2), Decimal("NaN")),
        (Column("odd", Kind.DATE), "infinity"),
        (Column("odd", Kind.DATETIME), "0044-03-15 00:00:00 BC"),
        (Column("odd", Kind.INSTANT), "10000-01-01 00:00:00+00"),
        (Column("odd", Kind.INSTANT), datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))),
        (Column("odd", Kind.TIME), "24:00:00"),
        (Column("odd", Kind.TIME), time(1, tzinfo=UTC)),
    ],
)
def test_what_no_such_column_can_hold_is_judged_as_unencodable(column: Column, value: object) -> None:
    with pytest.raises(ExportFailedError, match="row 1, column 'odd'"):
        cells(column, [value], mismatch="text")
    found, warnings = cells(column, [value], unencodable="replace")
    assert found == [None]
    assert warnings == ({"code": "nulled", "column": "odd", "count": 1, "first_rows": [1]},)


@pytest.mark.parametrize(
    ("kind", "value", "cast"),
    [
        (Kind.INTEGER, 5.0, 5), (Kind.INTEGER, "-12", -12), (Kind.INTEGER, True, 1),
        (Kind.FLOAT, Decimal("0.5"), 0.5), (Kind.BOOLEAN, 1, True),
        (Kind.UUID, "00000000-0000-0000-0000-000000000005", UUID(int=5)), (Kind.DECIMAL, 0.1, "0.1"),
    ],
)  # fmt: skip
def test_cast_changes_the_type_where_nothing_is_lost(kind: Kind, value: object, cast: object) -> None:
    with pytest.raises(ExportFailedError):
        cells(Column("a", kind), [value])
    assert cells(Column("a", kind), [value], mismatch="cast") == ([cast], ())


def test_a_column_of_text_keeps_other_values_as_text() -> None:
    with pytest.raises(ExportFailedError, match="row 2, column 'a'"):
        cells(Column("a", Kind.TEXT), ["x", 5])
    found, warnings = cells(Column("a", Kind.TEXT), ["x", 5, date(2026, 3, 1)], mismatch="text")
    assert found == ["x", "5", "2026-03-01"]
    assert warnings == ({"code": "as_text", "column": "a", "count": 2, "first_rows": [2, 3]},)


@pytest.mark.parametrize(("policy", "text", "code"), [("replace", "a\ufffdb", "replaced"), ("hex", "61ff62", "hex")])
def test_text_that_is_not_unicode_is_judged_in_values_and_in_pages(policy: str, text: str, code: str) -> None:
    pieces: list[Piece] = [[("a\udcffb",)], Page(b'"a\xffb"\n', 1)]
    for piece in pieces:
        with pytest.raises(ExportFailedError, match="row 1, column 'a'"):
            written(encoder("parquet", [Column("a", Kind.TEXT)]), piece)
        writer = encoder("parquet", [Column("a", Kind.TEXT)], unencodable=policy)
        assert read("parquet", written(writer, piece)).column(0).to_pylist() == [text]
        assert writer.warnings == ({"code": code, "column": "a", "count": 1, "first_rows": [1]},)


def test_json_is_text_of_a_database_or_made_of_values() -> None:
    found, _ = cells(Column("a", Kind.JSON), [RawJson('{"a": 1.0}'), {"a": [1, None]}, "text", 5, None])
    assert found == ['{"a": 1.0}', '{"a":[1,null]}', '"text"', "5", None]


def test_enums_are_their_values() -> None:
    assert cells(Column("a", Kind.INTEGER), [Colour.RED]) == ([7], ())


@pytest.mark.parametrize(
    ("values", "type_", "found"),
    [
        ([1, None, 2], "int64", [1, None, 2]),
        ([1, 0.5], "double", [1.0, 0.5]),
        ([2**53 + 1, 0.5], "string", ["9007199254740993", "0.5"]),
        ([2**63], "string", ["9223372036854775808"]),
        ([None], "string", [None]),
        ([1, "a", b"\xff", True, 1.5], "string", ["1", "a", "ff", "true", "1.5"]),
        ([1, True], "string", ["1", "true"]),
        ([Decimal("1.10"), 1], "string", ["1.10", "1"]),
        ([{"a": 1}, [None]], "extension<arrow.json>", ['{"a":1}', "[null]"]),
        ([date(2026, 1, 1), datetime(2026, 1, 1, 5)], "string", ["2026-01-01", "2026-01-01 05:00:00"]),  # noqa: DTZ001
    ],
)
def test_columns_of_unknown_kind(values: list[Any], type_: str, found: list[Any]) -> None:
    table = read("parquet", written(encoder("parquet", ["a"]), [(value,) for value in values]))
    assert str(table.schema.field(0).type) == type_
    assert table.column(0).to_pylist() == found


def test_a_later_value_that_does_not_fit_an_unknown_columns_type_is_named() -> None:
    def batches() -> Iterator[Piece]:
        yield from ([(number,)] * 5000 for number in range(3))
        yield [(SECRET,)]

    with pytest.raises(ExportFailedError) as failed:
        written(encoder("parquet", ["a"]), *batches())
    assert "row 15001, column 'a'" in failed.value.detail
    assert SECRET not in failed.value.detail


def test_trouble_in_a_page_is_judged_where_it_stands_and_the_rest_is_kept() -> None:
    columns = [Column("n", Kind.INTEGER), Column("at", Kind.INSTANT), Column("b", Kind.BYTES), Column("t", Kind.TEXT)]
    page = Page(
        b'1,"2026-03-01 09:30:00+00","00ff","a\nb"\n2,"infinity","","""\r\n"\n,,,\n99999999999999999999,,,""\n', 4
    )
    with pytest.raises(ExportFailedError, match="row 3, column 'at'"):
        written(encoder("parquet", columns), [(None,) * 4], page)
    writer = encoder("parquet", columns, unencodable="replace")
    table = read("parquet", written(writer, [(None,) * 4], page))
    assert table.column("n").to_pylist() == [None, 1, 2, None, None]
    assert table.column("at").to_pylist() == [None, datetime(2026, 3, 1, 9, 30, tzinfo=UTC), None, None, None]
    assert table.column("b").to_pylist() == [None, b"\0\xff", b"", None, None]
    assert table.column("t").to_pylist() == [None, "a\nb", '"\r\n', None, ""]
    assert writer.warnings == (
        {"code": "nulled", "column": "at", "count": 1, "first_rows": [3]},
        {"code": "nulled", "column": "n", "count": 1, "first_rows": [5]},
    )


def test_a_page_of_one_column_of_nulls_keeps_its_rows() -> None:
    table = read("parquet", written(encoder("parquet", [Column("a", Kind.TEXT)]), Page(b'\n\n""\n\n', 4)))
    assert table.column(0).to_pylist() == [None, None, "", None]


@pytest.mark.parametrize(("data", "rows"), [(b"1\n2\n", 3), (b"1,2\n", 1), (b"1\n", 2)])
def test_a_page_that_falls_apart_fails(data: bytes, rows: int) -> None:
    with pytest.raises(ExportFailedError) as failed:
        written(encoder("parquet", [Column("a", Kind.INTEGER)]), Page(data, rows))
    assert failed.value.code is FailureCode.INTERNAL_ERROR
    assert failed.value.__cause__ is None


def test_kinds_that_may_come_as_text_are_those_that_are_known() -> None:
    text = FORMATS["arrow"].text(
        FileOptions(csv_dialect="excel", csv_delimiter=";", csv_decimal_mark=",", binary="base64")
    )
    assert isinstance(text, CsvText)
    assert text.kinds == frozenset(Kind) - {Kind.UNKNOWN}
    assert (text.delimiter, text.quoting, text.decimal_mark, text.guard_formulas) == (",", "all", ".", False)
    assert (text.options.csv_dialect, text.options.binary) == ("rfc4180", "hex")


@pytest.mark.parametrize("name", NAMES)
def test_groups_are_bounded_by_rows_and_by_bytes(name: str) -> None:
    columns = [Column("n", Kind.INTEGER), Column("t", Kind.TEXT)]
    narrow: list[Piece] = [[(number, "")] * 1000 for number in range(200)]
    wide: list[Piece] = [[(number, "x" * 1024**2)] for number in range(40)]
    data = written(encoder(name, columns), *narrow, Page(b'1,""\n' * 200_000, 200_000), *wide)
    groups = list(groups_of(name, data))
    assert sum(rows for rows, _ in groups) == 400_040
    assert max(rows for rows, _ in groups) <= GROUP_ROWS
    assert max(size for _, size in groups) <= GROUP_BYTES + 1024**2 + 2 * 1024**2


def groups_of(name: str, data: bytes) -> Iterator[tuple[int, int]]:
    """Give each group's rows and bytes in memory."""
    if name == "parquet":
        file = pq.ParquetFile(io.BytesIO(data))
        yield from ((table.num_rows, table.nbytes) for table in map(file.read_row_group, range(file.num_row_groups)))
    else:
        file = pa.ipc.open_file(io.BytesIO(data))
        yield from ((batch.num_rows, batch.nbytes) for batch in map(file.get_batch, range(file.num_record_batches)))


@pytest.mark.parametrize("name", NAMES)
def test_bytes_come_while_rows_go_in(name: str) -> None:
    taken = 0

    def batches() -> Iterator[Piece]:
        nonlocal taken
        for _ in range(100):
            taken += 1
            yield [(str(number) * 100,) for number in range(5000)]

    stream = encoder(name, [Column("t", Kind.TEXT)]).stream(batches())
    size = 0
    while size < 1000:
        size += len(next(stream))
    assert taken < 20
    stream.close()  # type: ignore[attr-defined]  # it is a generator


@pytest.mark.parametrize("name", NAMES)
def test_what_the_source_raises_is_raised(name: str) -> None:
    def broken() -> Iterator[Piece]:
        yield [("a",)]
        raise TimeoutError

    with pytest.raises(TimeoutError):
        b"".join(encoder(name, [Column("t", Kind.TEXT)]).stream(broken()))


def test_of_many_misfits_the_first_rows_is_named_and_it_comes_before_what_the_source_raises() -> None:
    def broken(piece: Piece) -> Iterator[Piece]:
        yield piece
        raise ExportFailedError(FailureCode.UNENCODABLE_VALUE, "row 4")

    pieces: list[Piece] = [[(1, 1), (1, "x"), ("x", "x")], Page(b"1,1\n1,x\nx,x\n", 3)]
    for piece in pieces:
        with pytest.raises(ExportFailedError, match="row 2, column 'b'"):
            b"".join(encoder("parquet", [Column("a", Kind.INTEGER), Column("b", Kind.INTEGER)]).stream(broken(piece)))


def test_warnings_come_in_the_order_of_their_first_rows() -> None:
    writer = encoder("parquet", [Column("a", Kind.INTEGER), Column("b", Kind.INTEGER)], mismatch="text")
    written(writer, [(1, "x"), ("x", "x")])
    assert [(found["column"], found["first_rows"]) for found in writer.warnings] == [("b", [1, 2]), ("a", [2])]


def test_arrow_is_loaded_only_for_those_who_write_such_files() -> None:
    code = "import sys, outlast.formats, outlast.declare, outlast.worker; sys.exit('pyarrow' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
