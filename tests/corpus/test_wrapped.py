"""What stands around a file changes nothing in it: compression and parts; and text that no cell holds."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zipfile
from dataclasses import replace

import pytest
import zstandard

from tests.corpus.cases import Case
from tests.corpus.exporting import Database, made, reading_by_apsw
from tests.corpus.readers import csv_by_duckdb, workbook_readings
from tests.corpus.values import values_of

LIMIT = 32_767
"""Of a cell, in units of UTF-16: a character beyond the first plane is two."""


@pytest.mark.parametrize("name", ["csv", "tsv", "jsonl", "json"])
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_compressed_files_hold_the_plain_one(name: str, database: str, databases: dict[str, Database]) -> None:
    case = Case(database, "texts", name)
    with reading_by_apsw():
        plain = made(case, databases[database], by_database=True).data
        gzipped = made(replace(case, format=f"{name}.gz"), databases[database], by_database=True).data
        zstd = made(replace(case, format=f"{name}.zst"), databases[database], by_database=True).data
    assert gzip.decompress(gzipped) == plain
    assert zstandard.ZstdDecompressor().decompressobj().decompress(zstd) == plain


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_parts_hold_the_rows_of_the_whole_and_their_manifest_is_right(
    database: str, databases: dict[str, Database]
) -> None:
    with reading_by_apsw():
        whole = made(Case(database, "texts", "csv"), databases[database], by_database=True).data
        parted = made(Case(database, "texts", "csv", "parts"), databases[database], by_database=True).data
    with zipfile.ZipFile(io.BytesIO(parted)) as archive:
        *names, manifest = archive.namelist()
        listed = json.loads(archive.read(manifest))["parts"]
        contents = [archive.read(name) for name in names]
    header = whole[: whole.index(b"\n") + 1]
    assert all(content.startswith(header) for content in contents)
    assert header + b"".join(content.removeprefix(header) for content in contents) == whole
    assert [part["filename"] for part in listed] == names
    assert [(part["bytes"], part["sha256"]) for part in listed] == [
        (len(content), hashlib.sha256(content).hexdigest()) for content in contents
    ]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_text_longer_than_a_cell_is_whole_in_csv_and_judged_in_a_workbook(
    database: str, databases: dict[str, Database]
) -> None:
    def file(format_: str, policy: str = "") -> bytes:
        case = Case(database, "long", format_, policy)
        made_file = made(case, databases[database], by_database=True)
        assert made_file.failure is None
        notes = [(warning["column"], warning["count"], warning["first_rows"]) for warning in made_file.warnings]
        assert notes == ([("value", 2, [2, 3])] if policy else [])
        return made_file.data

    with reading_by_apsw():
        _, rows = values_of(databases[database], "long")
        assert csv_by_duckdb(file("csv"))[1:] == [[str(number), text] for number, text in rows]
        failed = made(Case(database, "long", "xlsx"), databases[database], by_database=True)
        assert str(failed.failure).startswith("unencodable_value: row 2, column 'value': ")
        for reading in workbook_readings(file("xlsx", "replace")):
            cells = [cell for _, cell in reading[1:]]
            assert cells == ["é" * LIMIT, "é" * LIMIT, "x" * (LIMIT - 1)]
