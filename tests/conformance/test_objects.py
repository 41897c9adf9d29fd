"""Results in a real object storage: whole or not there, in bounded memory, whatever the store does meanwhile."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from hashlib import sha256
from types import SimpleNamespace
from typing import Any, cast
from uuid import uuid4

import obstore
import pytest
from obstore.store import from_url

from outlast.model import Attempt
from outlast.storage.object_store import StoreOpener, store_at
from outlast.storage.objects import PART_BYTES, PART_LIMIT, READ_BYTES, ObjectResults, ObjectStaging, part_bytes_for
from tests.conftest import Bucket
from tests.support import s3
from tests.support.memory import forget_peak, held_bytes, peak_bytes
from tests.support.troubled_s3 import TroubledS3, troubled_s3

MIB = 1024 * 1024
SMALL_PART = 5 * MIB
"""S3 completes no upload of which a part is shorter, but for the last."""


@pytest.fixture
def results(objects_url: str) -> ObjectResults:
    return ObjectResults(StoreOpener(partial(store_at, objects_url)))


def an_attempt() -> Attempt:
    return cast("Attempt", SimpleNamespace(storage_key=f"{uuid4()}/1-ab"))  # a staging asks for nothing else


def staged(results: ObjectResults, attempt: Attempt, data: bytes, piece_bytes: int = 250_000) -> ObjectStaging:
    staging = results.stage(attempt)
    for start in range(0, len(data), piece_bytes):
        staging.write(data[start : start + piece_bytes])
    return staging


def keep(results: ObjectResults, data: bytes, piece_bytes: int = 250_000) -> str:
    attempt = an_attempt()
    staged(results, attempt, data, piece_bytes).finish()
    return attempt.storage_key


def read(results: ObjectResults, key: str, start: int, length: int) -> bytes:
    return b"".join(results.read(key, start, length))


@pytest.mark.parametrize("size", [0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES + 12_345])
def test_what_was_written_is_read(results: ObjectResults, size: int) -> None:
    data = os.urandom(size)
    assert read(results, keep(results, data), 0, size) == data


@pytest.mark.parametrize("piece_bytes", [PART_BYTES - 1, PART_BYTES, 2 * PART_BYTES + 7])
def test_pieces_may_lie_across_seams(results: ObjectResults, piece_bytes: int) -> None:
    data = os.urandom(2 * PART_BYTES + 7)
    assert read(results, keep(results, data, piece_bytes), 0, len(data)) == data


def test_ranges_at_the_seams_of_parts_and_reads(results: ObjectResults) -> None:
    size = PART_BYTES + READ_BYTES + 1
    data = os.urandom(size)
    key = keep(results, data)
    for seam in (1, READ_BYTES, PART_BYTES, size - 1):
        for start in (seam - 1, seam):
            for length in (0, 1, 2, READ_BYTES, READ_BYTES + 1):
                end = min(start + length, size)
                assert read(results, key, start, end - start) == data[start:end], (start, end)


def test_many_readers_at_once(results: ObjectResults) -> None:
    data = os.urandom(3 * MIB)
    key = keep(results, data)
    starts = range(0, 3 * MIB, 100_000)
    with ThreadPoolExecutor(len(starts)) as pool:
        found = list(pool.map(lambda start: read(results, key, start, 3 * MIB - start), starts))
    assert found == [data[start:] for start in starts]


def test_the_result_that_lost_its_object_is_missed_also_when_it_is_empty(results: ObjectResults) -> None:
    key = keep(results, b"")
    assert read(results, key, 0, 0) == b""
    results.delete(key)
    with pytest.raises(FileNotFoundError):
        read(results, key, 0, 0)


@pytest.mark.parametrize("size", [1, PART_BYTES, 2 * PART_BYTES + 1])
@pytest.mark.parametrize("finished", [False, True])
def test_what_is_given_up_leaves_nothing(results: ObjectResults, bucket: Bucket, size: int, finished: bool) -> None:
    attempt, before = an_attempt(), unfinished(bucket)
    staging = staged(results, attempt, bytes(size))
    assert results.keys("", 10) == []
    if finished:
        staging.finish()
        assert results.keys("", 10) == [attempt.storage_key]
    staging.abort()
    staging.abort()
    assert results.keys("", 10) == []
    assert unfinished(bucket) == before


def unfinished(bucket: Bucket) -> list[str]:
    """Give the uploads that still hold parts, where the server lets one look."""
    return bucket.server.unfinished() if bucket.server is not None else []


def test_two_hundred_mebibytes_in_bounded_memory(results: ObjectResults) -> None:
    piece, pieces = os.urandom(256 * 1024), 800
    keep(results, piece)  # what is loaded once
    forget_peak()
    before, attempt = held_bytes(), an_attempt()
    staging, digest = results.stage(attempt), sha256()
    for _ in range(pieces):
        staging.write(piece)
    staging.finish()
    for found in results.read(attempt.storage_key, 0, len(piece) * pieces):
        digest.update(found)
    assert peak_bytes() - before < 5 * PART_BYTES
    assert digest.digest() == sha256(piece * pieces).digest()
    results.delete(attempt.storage_key)


def test_the_largest_result_has_no_more_parts_than_s3_takes() -> None:
    assert part_bytes_for(1) == part_bytes_for(PART_BYTES * PART_LIMIT) == PART_BYTES
    for limit in (PART_BYTES * PART_LIMIT + 1, 2**40):
        assert part_bytes_for(limit) * PART_LIMIT >= limit


# Trouble


QUICK: dict[str, Any] = {"max_retries": 1, "backoff": {"init_backoff": timedelta(milliseconds=20)}}


def through(proxy: TroubledS3, url: str, timeout: str = "20s") -> ObjectResults:
    """Give the results of that URL, reached through the proxy, in small parts."""
    options: Any = {"client_options": {"timeout": timeout, "allow_http": True}, "retry_config": QUICK}
    config: Any = {"endpoint": proxy.endpoint, "checksum_algorithm": "SHA256"}
    return ObjectResults(StoreOpener(lambda: from_url(url, config=config, **options)), part_bytes=SMALL_PART)


@pytest.fixture
def proxy(bucket: Bucket) -> Iterator[TroubledS3]:
    if bucket.server is None:
        pytest.skip("it stands before a private server alone")
    with troubled_s3(bucket.server.endpoint) as proxy:
        yield proxy


def some_calls(results: ObjectResults, key: str) -> dict[str, Callable[[], object]]:
    return {
        "create": lambda: results.create(f"{uuid4()}/1-ab", b"data"),
        "read": lambda: read(results, key, 0, 4),
        "keys": lambda: results.keys("", 10),
        "delete": lambda: results.delete(key),
        "parts": lambda: keep(results, bytes(2 * SMALL_PART)),
    }


@pytest.mark.parametrize("trouble", ["throttled", "stalled"])
def test_a_store_that_throttles_or_stalls_is_an_error_that_tells_nothing(
    proxy: TroubledS3, objects_url: str, trouble: str
) -> None:
    results = through(proxy, objects_url, "300ms" if trouble == "stalled" else "20s")
    key = keep(results, b"data")
    setattr(proxy, trouble, lambda _method, _path: True)
    for name, call in some_calls(results, key).items():
        with pytest.raises(OSError, match=r"throttles|in time") as raised:
            call()
        assert raised.value.errno is not None, name
        assert raised.value.__cause__ is None
        assert raised.value.__suppress_context__
        assert not any(secret in str(raised.value) for secret in ("PRIVATE", key, "http://", s3.ACCESS_KEY)), name


def test_a_store_that_throttles_for_a_while_is_asked_again(proxy: TroubledS3, objects_url: str) -> None:
    results, data = through(proxy, objects_url), os.urandom(SMALL_PART + 1)
    seen: dict[str, int] = {}

    def first_time(method: str, path: str) -> bool:
        seen[f"{method} {path}"] = count = seen.get(f"{method} {path}", 0) + 1
        return count == 1

    proxy.throttled = first_time
    assert read(results, keep(results, data), 0, len(data)) == data
    assert len(seen) == 5  # beginning, two parts, completion, reading
    assert min(seen.values()) == 2


def test_an_upload_whose_last_part_is_refused_is_discarded(proxy: TroubledS3, objects_url: str, bucket: Bucket) -> None:
    results, before = through(proxy, objects_url), unfinished(bucket)
    proxy.throttled = lambda method, path: method == "PUT" and "partNumber=2" in path
    staging = staged(results, an_attempt(), bytes(SMALL_PART + 1))
    with pytest.raises(OSError, match="throttles"):
        staging.finish()
    staging.abort()
    assert unfinished(bucket) == before
    assert results.keys("", 10) == []


def test_a_part_that_arrives_altered_is_refused(proxy: TroubledS3, objects_url: str) -> None:
    results = through(proxy, objects_url)
    proxy.altered = lambda method, path: method == "PUT" and "partNumber=1" in path
    with pytest.raises(OSError, match="the object storage failed"):
        staged(results, an_attempt(), os.urandom(3 * SMALL_PART))
    assert results.keys("", 10) == []


def test_refused_credentials_and_a_bucket_that_is_not_there(objects_url: str, results: ObjectResults) -> None:
    key = keep(results, b"data")
    config: Any = {"secret_access_key": "another", "access_key_id": s3.ACCESS_KEY}
    stranger = ObjectResults(StoreOpener(lambda: from_url(objects_url, config=config)))
    for call in (lambda: read(stranger, key, 0, 4), lambda: stranger.create(key, b""), lambda: stranger.keys("", 1)):
        with pytest.raises(PermissionError, match="refuses the credentials"):
            call()
    nowhere = ObjectResults(StoreOpener(partial(store_at, f"s3://absent-{uuid4().hex}/prefix")))
    with pytest.raises(OSError, match="the bucket does not exist") as raised:
        read(nowhere, key, 0, 4)
    assert not isinstance(raised.value, FileNotFoundError)  # for a bucket that is misspelt, no result is lost
    assert read(results, key, 0, 4) == b"data"


def test_a_killed_server_loses_the_attempt_and_nothing_else(objects_url: str, bucket: Bucket) -> None:
    server = bucket.server
    if server is None:
        pytest.skip("it kills a private server alone")
    results = ObjectResults(StoreOpener(lambda: from_url(objects_url, retry_config=cast("Any", QUICK))))
    key = keep(results, b"acknowledged")
    staging = staged(results, an_attempt(), bytes(PART_BYTES + 1))
    server.kill()
    try:
        with pytest.raises(OSError, match="no object storage answered"):
            staging.write(bytes(2 * PART_BYTES))
        staging.abort()
    finally:
        server.start()
    data = os.urandom(2 * PART_BYTES + 1)
    second = keep(results, data)
    assert read(results, second, 0, len(data)) == data
    assert read(results, key, 0, 12) == b"acknowledged"
    assert results.keys("", 10) == sorted([key, second])


FORKED = """
import os, sys
from outlast.storage.object_store import StoreOpener, store_at
import obstore
before = StoreOpener(lambda: store_at("s3://bucket/prefix"))
if os.fork() == 0:
    before()
    os._exit(0)
assert os.wait()[1] == 0, "nothing was opened before the fork"
before()
if os.fork() == 0:
    for opener in (before, StoreOpener(lambda: store_at("s3://bucket/prefix"))):
        try:
            opener()
        except OSError as error:
            assert "forked" in str(error)
        else:
            os._exit(1)
    os._exit(0)
assert os.wait()[1] == 0, "a child of a process that uses the store is told so"
"""


def test_a_child_by_fork_is_refused_rather_than_left_waiting() -> None:
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=False, timeout=20)
    assert done.returncode == 0, done.stderr


def test_the_keys_of_others_beside_the_prefix_are_not_seen(results: ObjectResults, objects_url: str) -> None:
    beside = store_at(f"{objects_url}-beside")
    obstore.put(beside, f"{uuid4()}/1-ab", b"")
    key = keep(results, b"x")
    assert results.keys("", 10) == [key]
