"""A result in parts: each part a whole file, the ZIP's own manifest true, nothing lost at the seams."""

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.formats import FORMATS, Column, FileOptions, Page, Piece, Shape, encoder_of, text_of

SHAPE = Shape((Column("id"), Column("text")))


def parts_of(pieces: Sequence[Piece], name: str = "csv", **options: Any) -> tuple[dict[str, bytes], dict[str, Any]]:
    encoder = encoder_of(FORMATS[name], SHAPE, FileOptions(**options))
    assert (encoder.content_type, encoder.extension) == ("application/zip", "zip")
    with zipfile.ZipFile(io.BytesIO(b"".join(encoder.stream(pieces)))) as archive:
        assert archive.testzip() is None
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    return members, json.loads(members.pop("manifest.json"))


def rows(count: int, first: int = 1) -> list[tuple[int, str]]:
    return [(number, f'"{number}"\n') for number in range(first, first + count)]


def records(part: bytes) -> list[tuple[int, str]]:
    header, *found = csv.reader(io.StringIO(part.decode(), newline=""))
    assert header == ["id", "text"]
    return [(int(number), text) for number, text in found]


@given(st.lists(st.integers(1, 7), max_size=6), st.integers(1, 9))
def test_parts_by_rows_hold_each_row_once_in_order(sizes: list[int], limit: int) -> None:
    batches = [rows(size, 1 + sum(sizes[:index])) for index, size in enumerate(sizes)]
    members, manifest = parts_of(batches, part_rows=limit)

    assert [row for part in members.values() for row in records(part)] == rows(sum(sizes))
    full, rest = divmod(sum(sizes), limit)
    assert [part["rows"] for part in manifest["parts"]] == [limit] * full + [rest] * (rest > 0 or full == 0)


def test_the_manifest_in_the_zip_describes_each_part() -> None:
    members, manifest = parts_of([rows(5)], part_rows=2)

    assert list(members) == ["part-0001.csv", "part-0002.csv", "part-0003.csv"]
    assert manifest["parts"] == [
        {"filename": name, "bytes": len(part), "rows": len(records(part)), "sha256": hashlib.sha256(part).hexdigest()}
        for name, part in members.items()
    ]


def test_parts_by_bytes_take_pages_and_batches_as_they_come() -> None:
    pages: list[Piece] = [Page(b'1,"a"\n' * 100, 100), rows(100), Page(b'2,"b"\n' * 100, 100), rows(3)]
    members, manifest = parts_of(pages, part_bytes=700)

    assert [part["rows"] for part in manifest["parts"]] == [200, 103]
    assert sum(len(records(part)) for part in members.values()) == 303


def test_no_rows_are_one_part_with_its_header() -> None:
    members, manifest = parts_of([], part_rows=10)

    assert members == {"part-0001.csv": b'"id","text"\n'}
    assert [part["rows"] for part in manifest["parts"]] == [0]


def test_the_same_rows_are_the_same_bytes() -> None:
    made = [b"".join(encoder_of(FORMATS["csv"], SHAPE, FileOptions(part_rows=2)).stream([rows(5)])) for _ in range(2)]
    assert made[0] == made[1]


def test_what_was_changed_is_told_by_the_rows_number_in_the_whole() -> None:
    encoder = encoder_of(FORMATS["csv"], SHAPE, FileOptions(part_rows=2, unencodable="replace"))
    batch = [(1, "fine"), (2, "\udcff"), (3, "\udcff"), (4, "fine"), (5, "\udcff")]
    assert b"".join(encoder.stream([batch]))

    assert encoder.warnings == ({"code": "replaced", "column": "text", "count": 3, "first_rows": [2, 3, 5]},)


@pytest.mark.parametrize("name", ["csv.gz", "jsonl"])
def test_any_format_comes_in_parts(name: str) -> None:
    members, manifest = parts_of([rows(5)], name, part_rows=3)

    assert [part["rows"] for part in manifest["parts"]] == [3, 2]
    assert list(members) == [f"part-0001.{name}", f"part-0002.{name}"]


def test_rows_are_counted_only_where_they_come_as_values() -> None:
    assert text_of(FORMATS["csv"], FileOptions(part_rows=3)) is None
    assert text_of(FORMATS["csv"], FileOptions(part_bytes=3)) is not None
