"""Results lie where the storage says, whole, in any range; nothing outside of the directory is ever touched."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlast.database.chunks import Chunks
from outlast.errors import LeaseLostError
from outlast.model import Attempt
from outlast.storage.directory import DirectoryResults
from outlast.storage.object_store import StoreOpener, store_at
from outlast.storage.objects import ObjectResults
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


def storage_of(
    desk: Desk, *, wait_seconds: float = 5.0, limit: int = LIMIT, objects: ObjectResults | None = None
) -> ResultStorage:
    chunks = Chunks(desk.exports.database, desk.exports.writer, wait_seconds=wait_seconds)
    return ResultStorage(chunks, desk.path.with_name("results"), database_limit_bytes=limit, objects=objects)


def objects_at(url: str) -> ObjectResults:
    return ObjectResults(StoreOpener(partial(store_at, url)))


@dataclass(frozen=True)
class Place:
    """A place for results, and a way to put every result there."""

    name: str
    storage: Callable[[Desk], ResultStorage]

    def __str__(self) -> str:
        return self.name


@pytest.fixture(params=["database", "directory", "objects"])
def place(request: pytest.FixtureRequest) -> Place:
    name: str = request.param
    if name == "objects":
        objects = objects_at(request.getfixturevalue("objects_url"))
        return Place(name, lambda desk: storage_of(desk, objects=objects))
    return Place(name, lambda desk: storage_of(desk, limit=4 * CHUNK if name == "database" else 0))


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


def test_an_object_storage_takes_results_of_every_size(desk: Desk, attempt: Attempt, objects_url: str) -> None:
    storage = storage_of(desk, objects=objects_at(objects_url))
    assert stage(storage, attempt, b"x") == "objects"
    assert [name for name in storage.names if storage.keys(name, "", 10)] == ["objects"]


def test_any_range_can_be_read(desk: Desk, attempt: Attempt, place: Place) -> None:
    size, storage = 3 * CHUNK - 5, place.storage(desk)
    data = os.urandom(size)
    assert stage(storage, attempt, data) == place.name

    @given(st.integers(0, size), st.integers(0, size))
    def ranges(start: int, end: int) -> None:
        start, end = sorted((start, end))
        assert read(storage, place.name, attempt, start, end - start) == data[start:end]

    ranges()


def test_bytes_that_are_gone_are_missed(desk: Desk, attempt: Attempt, place: Place) -> None:
    storage = place.storage(desk)
    stage(storage, attempt, b"some bytes")
    for start, length in ((0, 11), (9, 2), (10, 1), (11, 1)):
        with pytest.raises(FileNotFoundError):
            read(storage, place.name, attempt, start, length)
    storage.delete(place.name, attempt.storage_key)
    storage.delete(place.name, attempt.storage_key)
    with pytest.raises(FileNotFoundError):
        read(storage, place.name, attempt, 0, 10)
    assert storage.keys(place.name, "", 10) == []


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


# The places whose keys are names


def key_of(name: str = "1-ab", job: str | None = None) -> str:
    return f"{job or uuid4()}/{name}"


def write(results: DirectoryResults | ObjectResults, key: str, data: bytes = b"data") -> None:
    if isinstance(results, ObjectResults):
        results.create(key, data)
        return
    file = results.open(key)
    file.append(data)
    file.finish()


@dataclass(frozen=True)
class Named:
    """Results under their names, and a way to put something else beside them."""

    results: DirectoryResults | ObjectResults
    put: Callable[[str], None]


@pytest.fixture(params=["directory", "objects"])
def named(request: pytest.FixtureRequest, tmp_path: Path) -> Named:
    if request.param == "objects":
        opener = StoreOpener(partial(store_at, request.getfixturevalue("objects_url")))
        return Named(ObjectResults(opener), lambda name: void(opener().put(name, b"")))

    def put(name: str) -> None:
        path = tmp_path / "results" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")

    return Named(DirectoryResults(tmp_path / "results"), put)


def void(_answer: object) -> None:
    """Drop what a call gives back."""


@pytest.mark.parametrize(
    "key",
    [
        "", "x", "../1-ab", f"{uuid4()}/../1-ab", f"/{uuid4()}/1-ab", f"{uuid4()}/1-ab/..", f"{uuid4()}/1-ab\n",
        f"{uuid4()}/0-ab", f"{uuid4()}/1-ab.csv", f"{'.' * 36}/1-ab", f"{uuid4()}//1-ab",
    ],
)  # fmt: skip
def test_a_key_that_is_no_key_is_refused(named: Named, key: str) -> None:
    results = named.results
    with pytest.raises(FileNotFoundError):
        write(results, key)
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


def test_a_file_is_made_for_its_user_alone(tmp_path: Path) -> None:
    results, key = DirectoryResults(tmp_path / "deep" / "results"), key_of()
    write(results, key)
    path = tmp_path / "deep" / "results" / key
    assert [part.stat().st_mode & 0o777 for part in (path, path.parent, path.parents[1])] == [0o600, 0o700, 0o700]


def test_a_directory_that_was_removed_is_made_again(tmp_path: Path) -> None:
    results, key = DirectoryResults(tmp_path / "results"), key_of()
    write(results, key)
    results.delete(key)
    (tmp_path / "results").rmdir()
    write(results, key)
    assert b"".join(results.read(key, 0, 4)) == b"data"


def test_keys_are_listed_in_order_in_pages_and_without_strangers(named: Named) -> None:
    results = named.results
    assert results.keys("", 10) == []
    jobs = sorted(str(uuid4()) for _ in range(7))
    keys = sorted(key_of(f"{number}-ab", job) for job in jobs for number in (1, 2))
    for key in keys:
        write(results, key)
    for name in ("0-stranger", "stranger", f"{jobs[0]}/notes.txt", f"{jobs[0]}/1-ab.csv"):
        named.put(name)
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


def test_deleting_one_attempts_bytes_leaves_the_others(named: Named) -> None:
    results, job = named.results, str(uuid4())
    write(results, key_of("1-ab", job))
    write(results, key_of("2-ab", job))
    results.delete(key_of("1-ab", job))
    assert results.keys("", 10) == [key_of("2-ab", job)]
    results.delete(key_of("2-ab", job))
    assert results.keys("", 10) == []


def test_results_are_made_once(named: Named) -> None:
    key = key_of()
    write(named.results, key)
    with pytest.raises(FileExistsError):
        write(named.results, key, b"other")
    assert b"".join(named.results.read(key, 0, 4)) == b"data"


def test_a_folder_goes_with_its_last_file(tmp_path: Path) -> None:
    results, key = DirectoryResults(tmp_path / "results"), key_of()
    write(results, key)
    results.delete(key)
    assert list((tmp_path / "results").iterdir()) == []
