"""CSV that a database has written, as columns: parsed by Arrow, and again with care where Arrow refuses a field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.csv as pa_csv

from outlast.errors import ExportFailedError, FailureCode
from outlast.formats.columnar import schema
from outlast.formats.columnar.arrays import ArrayMaker, all_made
from outlast.formats.columnar.decoding import bytes_of, uuids_of
from outlast.formats.columnar.misfits import Misfits
from outlast.formats.raw import RawJson
from outlast.formats.shape import Kind

_DECODE: dict[Kind, Callable[[Any], Any]] = {Kind.BYTES: bytes_of, Kind.UUID: uuids_of}


class PageParser:
    """Parses pages of the format's `text`."""

    def __init__(self, makers: Sequence[ArrayMaker], misfits: Misfits, file_schema: object) -> None:
        """Give columns as `makers` make them, judged at `misfits`, under the file's schema."""
        self._misfits = misfits
        self._schema = file_schema
        self._columns = {f"c{at}": maker for at, maker in enumerate(makers)}
        self._types = {
            name: pa.string() if maker.column.kind in _DECODE else schema.storage(maker.type)
            for name, maker in self._columns.items()
        }

    def parse(self, data: bytes, rows: int, first_row: int) -> Any:  # noqa: ANN401 - a RecordBatch
        """Give the rows; the number of the first one is for reports.

        Raises ExportFailedError UNENCODABLE_VALUE as `ArrayMaker` does, INTERNAL_ERROR if they are not so many rows.
        """
        try:
            columns = self._read(data, self._types)
            arrays = [_made(maker, columns[name]) for name, maker in self._columns.items()]
        except (pa.ArrowException, ValueError):
            makes = [partial(self._alone, data, name, first_row) for name in self._columns]
            arrays = all_made(makes, self._misfits)
        batch = pa.RecordBatch.from_arrays(arrays, schema=self._schema)
        if batch.num_rows != rows:
            detail = f"the database wrote {rows} rows from row {first_row} on, of which {batch.num_rows} were read"
            raise ExportFailedError(FailureCode.INTERNAL_ERROR, detail)
        return batch

    def _alone(self, data: bytes, name: str, first_row: int) -> Any:  # noqa: ANN401 - an Array
        """Read one column of all, value by value where it must be."""
        maker = self._columns[name]
        try:
            return _made(maker, self._read(data, {name: self._types[name]})[name])
        except (pa.ArrowException, ValueError):
            texts = self._texts(data, name, first_row)
            value_of = _VALUES.get(maker.column.kind, str)
            return maker.careful([None if text is None else _value(text, value_of) for text in texts], first_row)

    def _texts(self, data: bytes, name: str, first_row: int) -> list[bytes | None]:
        try:
            texts: list[bytes | None] = self._read(data, {name: pa.binary()})[name].to_pylist()
        except pa.ArrowException:  # its message holds values
            detail = f"what the database wrote for row {first_row} and those after it is not the CSV that was wanted"
            raise ExportFailedError(FailureCode.INTERNAL_ERROR, detail) from None
        return texts

    def _read(self, data: bytes, types: dict[str, Any]) -> dict[str, Any]:
        table = pa_csv.read_csv(
            pa.BufferReader(data),
            # In one block: a row that is larger than one would be refused.
            read_options=pa_csv.ReadOptions(
                use_threads=False, block_size=len(data) + 1, column_names=list(self._columns)
            ),
            parse_options=pa_csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            convert_options=pa_csv.ConvertOptions(
                column_types=types, include_columns=list(types), null_values=[""], strings_can_be_null=True,
                quoted_strings_can_be_null=False, true_values=["true"], false_values=["false"],
            ),
        )  # fmt: skip
        return {name: table.column(name).combine_chunks() for name in types}


def _made(maker: ArrayMaker, array: Any) -> Any:  # noqa: ANN401 - Arrays
    decode = _DECODE.get(maker.column.kind)
    return schema.as_type(decode(array) if decode else array, maker.type)


def _value(text: bytes, value_of: Callable[[str], Any]) -> Any:  # noqa: ANN401 - whatever the column holds
    """Give the value; text that is none stays text, for the policies to judge."""
    decoded = text.decode("utf-8", "surrogateescape")
    try:
        return value_of(decoded)
    except (ValueError, LookupError, ArithmeticError):
        return decoded


_VALUES: dict[Kind, Callable[[str], Any]] = {
    Kind.INTEGER: int,
    Kind.FLOAT: float,
    Kind.DECIMAL: Decimal,
    Kind.BOOLEAN: {"true": True, "false": False}.__getitem__,
    Kind.BYTES: bytes.fromhex,
    Kind.DATE: date.fromisoformat,
    Kind.TIME: time.fromisoformat,
    Kind.DATETIME: datetime.fromisoformat,
    Kind.INSTANT: datetime.fromisoformat,
    Kind.UUID: UUID,
    Kind.JSON: RawJson,
    Kind.ARRAY: RawJson,
}
