"""What other readers find in a file, as text that a person can judge: DuckDB, pyarrow, openpyxl, Python's zipfile.

A line for the columns with their types, then one for each row. A value is JSON's own, or an object that names its type.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import duckdb
import openpyxl
import pyarrow as pa
from openpyxl.cell import Cell
from openpyxl.utils.escape import unescape

from tests.support.workbooks import cells

Columns = list[tuple[str, str]]
Rows = list[list[Any]]


def readable(format_: str, data: bytes) -> bytes:
    """Give the text of a file in that format; of a text format the file itself."""
    if data.startswith(b"PK") and format_ != "xlsx":
        return "\n".join(_zip_lines(data)).encode()
    match format_:
        case "parquet":
            return _table(*by_duckdb(data))
        case "arrow":
            return _table(*by_pyarrow(data))
        case "xlsx":
            return _lines(_workbook_lines(data))
        case _:
            return data


def suffix(format_: str) -> str:
    """Give the ending of the file that holds the text."""
    return "json" if format_ in {"parquet", "arrow", "xlsx"} else format_


def by_duckdb(data: bytes) -> tuple[Columns, Rows]:
    """Read Parquet. Instants come as microseconds, since DuckDB needs another library to make them Python's."""
    with TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder, "file.parquet")
        path.write_bytes(data)
        file = f"read_parquet('{path}')"
        columns = [(name, kind) for name, kind, *_ in connection.sql(f"DESCRIBE FROM {file}").fetchall()]
        instants = {at for at, (_, kind) in enumerate(columns) if kind == "TIMESTAMP WITH TIME ZONE"}
        fields = [
            f"epoch_us({quoted})" if at in instants else quoted
            for at, quoted in enumerate('"' + name.replace('"', '""') + '"' for name, _ in columns)
        ]
        found = connection.sql(f"SELECT {','.join(fields)} FROM {file}").fetchall()  # noqa: S608 - as above
    rows = [[_instant(value) if at in instants else value for at, value in enumerate(row)] for row in found]
    return columns, rows


def by_pyarrow(data: bytes) -> tuple[Columns, Rows]:
    """Read Arrow IPC."""
    with pa.ipc.open_stream(data) if data[:4] != b"ARRO" else pa.ipc.open_file(pa.BufferReader(data)) as file:
        table = file.read_all()
    columns = [(field.name, str(field.type)) for field in table.schema]
    return columns, [list(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]


def _instant(microseconds: int | None) -> datetime | None:
    if microseconds is None:
        return None
    seconds, rest = divmod(microseconds, 1_000_000)
    day, seconds = divmod(seconds, 86_400)
    ordinal = date.fromordinal(date(1970, 1, 1).toordinal() + day)
    clock = time(seconds // 3600, seconds // 60 % 60, seconds % 60, rest, tzinfo=UTC)
    return datetime.combine(ordinal, clock)


def _table(columns: Columns, rows: Rows) -> bytes:
    header = [f"{name}: {kind}" for name, kind in columns]
    return _lines([header, *([spelled(value) for value in row] for row in rows)])


def _lines(lines: Iterable[Any]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def spelled(value: object) -> Any:  # noqa: ANN401 - any JSON
    """Give a value as JSON that says exactly what it is."""
    match value:
        case None | bool() | str() | int():
            return value
        case float():
            return {"float": repr(value)}
        case bytes():
            return {"bytes": value.hex()}
        case datetime():
            return {"datetime" if value.tzinfo is None else "instant": str(value)}
        case date() | time() | Decimal() | UUID():
            return {type(value).__name__.lower(): str(value)}
        case _:
            raise TypeError(type(value))


def _workbook_lines(data: bytes) -> Iterator[Any]:
    book = openpyxl.load_workbook(io.BytesIO(data))
    for number, sheet in enumerate(book.worksheets, 1):
        yield {"sheet": sheet.title, "frozen": sheet.freeze_panes}
        written = cells(data, number)
        yield from ([_cell(cell, written) for cell in row] for row in sheet.iter_rows())


def _cell(cell: Any, written: dict[str, tuple[str | None, str]]) -> Any:  # noqa: ANN401 - openpyxl's many kinds
    assert isinstance(cell, Cell)
    if isinstance(cell.value, str):
        assert cell.data_type in {"s", "inlineStr"}, cell.data_type
        return unescape(cell.value)
    if isinstance(cell.value, datetime | time):
        found = _shown(float(written[cell.coordinate][1]), as_time=isinstance(cell.value, time))
    else:
        found = spelled(cell.value)
    return found if cell.number_format == "General" else {"cell": found, "format": cell.number_format}


def _shown(days: float, *, as_time: bool) -> dict[str, str]:
    """Give the time that a cell's number means, to the microsecond; openpyxl rounds to the millisecond."""
    moment = datetime(1899, 12, 30) + timedelta(days=days)  # noqa: DTZ001 - a workbook knows no zones
    return spelled(moment.time() if as_time else moment)  # type: ignore[no-any-return]


def _zip_lines(data: bytes) -> Iterator[str]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            yield f"=== {name}"
            yield archive.read(name).decode()
