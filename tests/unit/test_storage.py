"""Results lie where the storage says, whole, in any range; nothing outside of the directory is ever touched."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.database.chunks import Chunks
from outlast.errors import LeaseLostError
from outlast.model import Attempt
from outlast.storage.directory import DirectoryResults
from outlast.storage.results import ResultStorage
from tests.support.desk import Desk, desk_at

CHUNK = Chunks.chunk_bytes
LIMIT = 2 * CHUNK


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_at(tmp_path) as desk:
        yield desk


@pytest.fixture
def attempt(desk: Desk) -> Attempt:
    desk.accept()
    return desk.claim()


def storage_of(desk: Desk, *, wait_seconds: float = 5.0, limit: int = LIMIT) -> ResultStorage:
    chunks = Chunks(desk.exports.database, desk.exports.writer, wait_seconds=wait_seconds)
    return ResultStorage(chunks, desk.path.with_name("results"), database_limit_bytes=limit)


def stage(storage: ResultStorage, attempt: Attempt, data: bytes, piece_bytes: int = 100_000) -> str:
    staging = storage.stage(attempt)
    for start in range(0, len(data), piece_bytes):
        staging.write(data[start : start + piece_bytes])
    staging.finish()
    return staging.storage


def read(storage: ResultStorage, place: str, attempt: Attempt, start: int, length: int) -> bytes:
    return b"".join(storage.read(place, attempt.storage_key, start, length))


@pytest.mark.parametrize(
    ("size", "place"),
    [(0, "database"), (1, "database"), (LIMIT, "database"), (LIMIT + 1, "directory"), (3 * CHUNK + 7, "directory")],
)
@pytest.mark.parametrize("piece_bytes", [CHUNK, 100_000])
def test_the_cap_decides_where_a_result_lies(
    desk: Desk, attempt: Attempt, size: int, place: str, piece_bytes: int
) -> None:
    storage, data = storage_of(desk), os.urandom(size)
    assert stage(storage, attempt, data, piece_bytes) == place
    assert read(storage, place, attempt, 0, size) == data
    held = [name for name in storage.names if storage.keys(name, "", 10)]
    assert held == ([place] if size else [])


def test_a_cap_of_zero_keeps_all_bytes_out_of_the_database(desk: Desk, attempt: Attempt) -> None:
    assert stage(storage_of(desk, limit=0), attempt, b"x") == "directory"


@pytest.mark.parametrize("place", ["database", "directory"])
def test_any_range_can_be_read(tmp_path_factory: pytest.TempPathFactory, place: str) -> None:
    size = 3 * CHUNK - 5
    data = os.urandom(size)
    with desk_at(tmp_path_factory.mktemp("ranges")) as desk:
        desk.accept()
        attempt, storage = desk.claim(), storage_of(desk, limit=size if place == "database" else 0)
        assert stage(storage, attempt, data) == place

        @given(st.integers(0, size), st.integers(0, size))
        def ranges(start: int, end: int) -> None:
            start, end = sorted((start, end))
            assert read(storage, place, attempt, start, end - start) == data[start:end]

        ranges()


@pytest.mark.parametrize("place", ["database", "directory"])
def test_bytes_that_are_gone_are_missed(desk: Desk, attempt: Attempt, place: str) -> None:
    storage = storage_of(desk, limit=LIMIT if place == "database" else 0)
    stage(storage, attempt, b"some bytes")
    with pytest.raises(FileNotFoundError):
        read(storage, place, attempt, 0, 11)
    storage.delete(place, attempt.storage_key)
    storage.delete(place, attempt.storage_key)
    with pytest.raises(FileNotFoundError):
        read(storage, place, attempt, 0, 10)
    assert storage.keys(place, "", 10) == []


@pytest.mark.parametrize("size", [CHUNK, LIMIT + CHUNK])
def test_what_is_given_up_is_deleted_everywhere(desk: Desk, attempt: Attempt, size: int) -> None:
    storage = storage_of(desk)
    staging = storage.stage(attempt)
    staging.write(bytes(size))
    staging.abort()
    assert [storage.keys(name, "", 10) for name in storage.names] == [[], []]


def test_no_piece_enters_the_database_without_the_lease(desk: Desk, attempt: Attempt) -> None:
    staging = storage_of(desk).stage(attempt)
    staging.write(bytes(CHUNK))
    desk.pass_seconds(31)
    with pytest.raises(LeaseLostError):
        staging.write(bytes(CHUNK))


def test_a_database_that_stays_locked_is_an_error_of_the_storage(desk: Desk, attempt: Attempt) -> None:
    staging = storage_of(desk, wait_seconds=0.3).stage(attempt)
    with closing(sqlite3.connect(desk.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(OSError, match="the database can't hold or give the bytes"):
            staging.write(bytes(CHUNK))


# The directory


def key_of(name: str = "1-ab", job: str | None = None) -> str:
    return f"{job or uuid4()}/{name}"


def write(results: DirectoryResults, key: str, data: bytes = b"data") -> None:
    file = results.open(key)
    file.append(data)
    file.finish()


@pytest.mark.parametrize(
    "key",
    [
        "", "x", "../1-ab", f"{uuid4()}/../1-ab", f"/{uuid4()}/1-ab", f"{uuid4()}/1-ab/..", f"{uuid4()}/1-ab\n",
        f"{uuid4()}/0-ab", f"{uuid4()}/1-ab.csv", f"{'.' * 36}/1-ab", f"{uuid4()}//1-ab",
    ],
)  # fmt: skip
def test_a_key_that_is_no_key_is_refused(tmp_path: Path, key: str) -> None:
    results = DirectoryResults(tmp_path / "results")
    with pytest.raises(FileNotFoundError):
        results.open(key)
    with pytest.raises(FileNotFoundError):
        list(results.read(key, 0, 1))
    with pytest.raises(FileNotFoundError):
        results.delete(key)


def test_links_are_not_followed(tmp_path: Path) -> None:
    root, outside, job = tmp_path / "results", tmp_path / "outside", str(uuid4())
    results = DirectoryResults(root)
    outside.mkdir()
    (outside / "1-ab").write_bytes(b"private")
    root.mkdir()
    (root / job).symlink_to(outside)
    for attack in (lambda: results.open(key_of("2-ab", job)), lambda: list(results.read(key_of("1-ab", job), 0, 7))):
        with pytest.raises(OSError, match=r"Not a directory|symbolic links"):
            attack()
    assert results.keys("", 10) == []
    (root / job).unlink()
    (root / job).mkdir()
    (root / job / "1-ab").symlink_to(outside / "1-ab")
    with pytest.raises(OSError, match="symbolic links"):
        list(results.read(key_of("1-ab", job), 0, 7))
    results.delete(key_of("1-ab", job))
    assert (outside / "1-ab").read_bytes() == b"private"


def test_a_file_is_made_once_and_only_for_its_user(tmp_path: Path) -> None:
    results, key = DirectoryResults(tmp_path / "deep" / "results"), key_of()
    write(results, key)
    with pytest.raises(FileExistsError):
        results.open(key)
    path = tmp_path / "deep" / "results" / key
    assert [part.stat().st_mode & 0o777 for part in (path, path.parent, path.parents[1])] == [0o600, 0o700, 0o700]


def test_a_directory_that_was_removed_is_made_again(tmp_path: Path) -> None:
    results, key = DirectoryResults(tmp_path / "results"), key_of()
    write(results, key)
    results.delete(key)
    (tmp_path / "results").rmdir()
    write(results, key)
    assert b"".join(results.read(key, 0, 4)) == b"data"


def test_keys_are_listed_in_order_in_pages_and_without_strangers(tmp_path: Path) -> None:
    results = DirectoryResults(tmp_path / "results")
    assert results.keys("", 10) == []
    jobs = sorted(str(uuid4()) for _ in range(7))
    keys = sorted(key_of(f"{number}-ab", job) for job in jobs for number in (1, 2))
    for key in keys:
        write(results, key)
    (tmp_path / "results" / "stranger").write_bytes(b"")
    (tmp_path / "results" / jobs[0] / "notes.txt").write_bytes(b"")
    for limit in (1, 3, 5, 100):
        listed: list[str] = []
        while page := results.keys(listed[-1] if listed else "", limit):
            assert len(page) <= limit
            listed += page
        assert listed == keys


def test_empty_folders_end_no_listing(tmp_path: Path) -> None:
    results = DirectoryResults(tmp_path / "results")
    for _ in range(5):
        (tmp_path / "results" / str(uuid4())).mkdir(parents=True)
    key = key_of(job="f" * 8 + str(uuid4())[8:])
    write(results, key)
    assert results.keys("", 2) == [key]
    assert results.keys(key, 2) == []


def test_deleting_one_attempts_file_leaves_the_others(tmp_path: Path) -> None:
    results, job = DirectoryResults(tmp_path / "results"), str(uuid4())
    write(results, key_of("1-ab", job))
    write(results, key_of("2-ab", job))
    results.delete(key_of("1-ab", job))
    assert results.keys("", 10) == [key_of("2-ab", job)]
    results.delete(key_of("2-ab", job))
    assert list((tmp_path / "results").iterdir()) == []
