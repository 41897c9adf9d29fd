"""`storage_url` decides where results go; a wrong one is refused at start, and its value never shown."""

import subprocess
import sys
from pathlib import Path

import pytest

from outlast import Exports
from outlast.errors import DefinitionError
from outlast.storage.directory import DirectoryResults
from outlast.storage.results import ResultStorage


def storage_of(tmp_path: Path, **settings: str) -> ResultStorage:
    storage = Exports(database_url=f"sqlite:///{tmp_path / 'jobs.db'}", **settings).storage
    assert isinstance(storage, ResultStorage)
    return storage


@pytest.mark.parametrize(
    "url",
    [
        "", "secret", "/secret", "http://secret/x", "https://secret/x", "memory:///", "s3:///secret", "s3:secret",
        "s3://key:secret@bucket/x", "s3://bucket/x?secret", "s3://bucket/x#secret", "file://secret/x", "file:///",
        "file:secret",
    ],
)  # fmt: skip
def test_a_wrong_url_is_refused_at_start(url: str) -> None:
    with pytest.raises(DefinitionError, match=r"storage_url: .*must be s3://bucket/prefix") as raised:
        Exports(storage_url=url)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("url", ["s3://bucket", "s3://bucket/pre/fix", "gs://bucket/prefix", "az://container/prefix"])
def test_objects_take_all_new_results_and_the_old_places_are_still_swept(tmp_path: Path, url: str) -> None:
    assert storage_of(tmp_path, storage_url=url).names == ("database", "directory", "objects")


def test_a_file_url_is_a_directory(tmp_path: Path) -> None:
    storage = storage_of(tmp_path, storage_url=f"file://{tmp_path}/with%20space")
    assert storage.names == ("database", "directory")
    assert storage.database_limit == 0
    key = f"{'0' * 36}/1-ab"
    file = DirectoryResults(tmp_path / "with space").open(key)
    file.append(b"data")
    file.finish()
    assert storage.keys("directory", "", 10) == [key]


def test_without_it_results_stay_on_the_host(tmp_path: Path) -> None:
    assert storage_of(tmp_path).names == ("database", "directory")


WITHOUT = """
import sys
sys.modules["obstore"] = None
from outlast import Exports
Exports(storage_url="file:///tmp/results").storage
Exports(storage_url="s3://bucket").storage
"""


def test_without_the_library_the_error_says_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].endswith("pip install 'outlast[objects]'")
