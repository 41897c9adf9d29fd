"""Files written as people write them, and as the quickest libraries do.

`python -m bench.references.files WAY SOURCE STATEMENT TARGET` prints one JSON object. SOURCE is a SQLite file or
libpq's URL of a PostgreSQL database. Imports are not timed, and the peak is what lies above their memory.
"""

from __future__ import annotations

import csv
import json
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import adbc_driver_postgresql.dbapi
import adbc_driver_sqlite.dbapi
import orjson
import psycopg
import pyarrow as pa
import xlsxwriter
from pyarrow import csv as arrow_csv
from pyarrow import parquet
from sqlalchemy import create_engine, select
from sqlalchemy.orm import DeclarativeBase, Session

from bench.extraction.memory_of import forget_peak, peak_kb, resident_kb
from bench.extraction.tables import POSTGRESQL, SQLITE, walk

BATCH_ROWS = 5000


def cursor_csv(source: str, statement: str, target: Path) -> None:
    """`csv.writer` over a cursor, on PostgreSQL a server's."""
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if _is_sqlite(source):
            with closing(sqlite3.connect(source)) as connection:
                cursor = connection.execute(statement)
                writer.writerow(column[0] for column in cursor.description)
                writer.writerows(cursor)
        else:
            with psycopg.connect(source) as server, server.cursor("bench") as rows:
                rows.itersize = BATCH_ROWS
                rows.execute(statement.encode())
                writer.writerow(column.name for column in rows.description or ())
                writer.writerows(rows)


def dict_csv(source: str, statement: str, target: Path) -> None:
    """`csv.DictWriter` over rows by name."""
    with closing(sqlite3.connect(source)) as connection, target.open("w", encoding="utf-8", newline="") as file:
        connection.row_factory = sqlite3.Row
        cursor = connection.execute(statement)
        writer = csv.DictWriter(file, [column[0] for column in cursor.description])
        writer.writeheader()
        for row in cursor:
            writer.writerow(dict(row))


def orm_csv(source: str, statement: str, target: Path) -> None:
    """`csv.writer` over SQLAlchemy's objects, streamed."""
    del statement
    people = SQLITE if _is_sqlite(source) else POSTGRESQL

    class Base(DeclarativeBase):
        metadata = people.metadata

    class Person(Base):
        __table__ = people

    names = [column.name for column in people.columns]
    with Session(_engine(source)) as session, target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for person in session.scalars(select(Person).execution_options(yield_per=1000)):
            writer.writerow([getattr(person, name) for name in names])


def sqlalchemy_csv(source: str, statement: str, target: Path) -> None:
    """`csv.writer` over SQLAlchemy's rows, streamed."""
    del statement
    query = walk(SQLITE if _is_sqlite(source) else POSTGRESQL)
    with _engine(source).connect() as connection, target.open("w", encoding="utf-8", newline="") as file:
        result = connection.execution_options(yield_per=1000).execute(query)
        writer = csv.writer(file)
        writer.writerow(result.keys())
        writer.writerows(result)


def orjson_jsonl(source: str, statement: str, target: Path) -> None:
    """orjson, a row at a time."""
    with closing(sqlite3.connect(source)) as connection, target.open("wb") as file:
        cursor = connection.execute(statement)
        names = [column[0] for column in cursor.description]
        for row in cursor:
            file.write(orjson.dumps(dict(zip(names, row, strict=True))) + b"\n")


def adbc_csv(source: str, statement: str, target: Path) -> None:
    """ADBC's record batches into Arrow's CSV writer."""
    with _adbc(source, statement) as reader, arrow_csv.CSVWriter(target, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def adbc_parquet(source: str, statement: str, target: Path) -> None:
    """ADBC's record batches into Arrow's Parquet writer."""
    with _adbc(source, statement) as reader, parquet.ParquetWriter(target, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)


def cursor_parquet(source: str, statement: str, target: Path) -> None:
    """A cursor's rows into Arrow's Parquet writer."""
    with closing(sqlite3.connect(source)) as connection:
        cursor = connection.execute(statement)
        names = [column[0] for column in cursor.description]
        writer = None
        while rows := list(islice(cursor, 50_000)):
            table = pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))
            writer = writer or parquet.ParquetWriter(target, table.schema)
            writer.write_table(table)
        assert writer is not None
        writer.close()


def xlsxwriter_constant(source: str, statement: str, target: Path) -> None:
    """XlsxWriter in constant memory, dates and times as such."""
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with closing(sqlite3.connect(source)) as connection, xlsxwriter.Workbook(target, options) as book:
        sheet = book.add_worksheet()
        day, moment = book.add_format({"num_format": "yyyy-mm-dd"}), book.add_format({"num_format": "yyyy-mm-dd hh:mm"})
        cursor = connection.execute(statement)
        names = [column[0] for column in cursor.description]
        sheet.write_row(0, 0, names)
        for number, row in enumerate(cursor, 1):
            _write_sheet_row(sheet, number, dict(zip(names, row, strict=True)), day, moment)


def _write_sheet_row(sheet: Any, number: int, row: dict[str, Any], day: Any, moment: Any) -> None:  # noqa: ANN401
    for column, (name, value) in enumerate(row.items()):
        if name == "born":
            sheet.write_datetime(number, column, date.fromisoformat(value), day)
        elif name == "created":
            sheet.write_datetime(number, column, datetime.fromisoformat(value), moment)
        elif name == "active":
            sheet.write_boolean(number, column, value)
        elif isinstance(value, str):
            sheet.write_string(number, column, value)
        elif value is not None:
            sheet.write_number(number, column, value)


@contextmanager
def _adbc(source: str, statement: str) -> Iterator[Any]:
    """Open a reader of record batches."""
    driver = adbc_driver_sqlite.dbapi if _is_sqlite(source) else adbc_driver_postgresql.dbapi
    with driver.connect(source) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        with cursor.fetch_record_batch() as reader:
            yield reader


def _engine(source: str) -> Any:  # noqa: ANN401 - an Engine
    return create_engine(f"sqlite:///{source}" if _is_sqlite(source) else source.replace("://", "+psycopg://", 1))


def _is_sqlite(source: str) -> bool:
    return "://" not in source


WAYS: dict[str, Callable[[str, str, Path], None]] = {
    way.__name__: way
    for way in (
        cursor_csv, dict_csv, orm_csv, sqlalchemy_csv, orjson_jsonl, adbc_csv, adbc_parquet, cursor_parquet,
        xlsxwriter_constant,
    )
}  # fmt: skip


def main(arguments: Iterable[str]) -> None:
    """Write one file."""
    way, source, statement, target = arguments
    before = resident_kb(os.getpid())
    forget_peak(os.getpid())
    began_at, spent = time.perf_counter(), time.process_time()
    WAYS[way](source, statement, Path(target))
    seconds = time.perf_counter() - began_at
    used = {"processor_seconds": time.process_time() - spent, "peak_mb": (peak_kb(os.getpid()) - before) / 1024}
    print(json.dumps({"seconds": seconds, **used}))


if __name__ == "__main__":
    main(sys.argv[1:])
