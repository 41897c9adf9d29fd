"""`outlast verify`: a file as it was served, cut, changed, in parts; and what is no manifest."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from outlast import Exports, Owner
from outlast.formats import FileOptions
from outlast.testing import run
from tests.support.shell import Shell
from tests.web.served import Served

ROWS = 2_500


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A directory in which there is nothing else: no app, no settings, no database."""
    return Shell(tmp_path)


def made(directory: Path, owner: str = "7", **options: Any) -> Path:
    """A file of ROWS rows with its manifest beside it, as the tests of an app make it."""
    exports = Exports(database_url=f"sqlite:///{directory / 'none' / 'jobs.db'}")

    def tasks(owner: Owner) -> Iterator[tuple[int, str]]:
        yield from ((number, f"{owner.id} ☃ {number}") for number in range(ROWS))

    exports.export("tasks", columns=["id", "title"], file_options=FileOptions(**options))(tasks)
    got = run(exports, "tasks", owner=owner)
    exports.close()
    file = directory / got.filename
    file.write_bytes(got.bytes)
    manifest_beside(file).write_text(json.dumps(got.manifest))
    return file


def manifest_beside(file: Path) -> Path:
    return file.with_name(f"{file.name}.manifest.json")


def verified(shell: Shell, file: Path, status: int = 0) -> dict[str, Any]:
    document: dict[str, Any] = shell.json("verify", str(file), "--manifest", str(manifest_beside(file)), status=status)
    return document


def test_a_download_is_verified_by_the_manifest_beside_it(server: Served, shell: Shell) -> None:
    content = b"id\n1\n2\n"
    with server.client() as client:
        job = client.get(f"/exports/{server.succeeded(client, content)}").json()
        file = shell.directory / job["result"]["filename"]
        file.write_bytes(client.get(job["links"]["result"]).content)
        manifest_beside(file).write_bytes(client.get(job["links"]["manifest"]).content)
    assert verified(shell, file) == {
        "ok": True,
        "file": str(file),
        "bytes": 7,
        "sha256": hashlib.sha256(content).hexdigest(),
        "rows": 3,
        "parts": None,
        "problems": [],
    }


def test_a_good_file_is_said_to_be_good_in_a_sentence(shell: Shell) -> None:
    file = made(shell.directory)
    said = shell.text("verify", file.name, "--manifest", manifest_beside(file).name)
    assert said == f"tasks.csv is what its manifest says: 2,500 rows, {file.stat().st_size:,} bytes.\n"


def test_a_manifest_may_come_by_standard_input(shell: Shell) -> None:
    file = made(shell.directory)
    assert shell.json("verify", file.name, "--manifest", "-", stdin=manifest_beside(file).read_bytes())["ok"]


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda data: data[:-1], "it ends after {less:,} of {whole:,} bytes"),
        (lambda _: b"", "it ends after 0 of {whole:,} bytes"),
        (lambda data: data + b"\n", "it is longer than the {whole:,} bytes that the manifest says"),
        (lambda data: data[:100] + bytes([data[100] ^ 1]) + data[101:], "its bytes are others: its SHA-256 is not "),
        (lambda data: bytes(len(data)), "its bytes are others: its SHA-256 is not "),
    ],
    ids=["cut", "empty", "longer", "one bit", "other bytes"],
)
def test_a_damaged_file_is_found_out(shell: Shell, damage: Callable[[bytes], bytes], problem: str) -> None:
    file = made(shell.directory)
    whole = file.stat().st_size
    file.write_bytes(damage(file.read_bytes()))
    document = verified(shell, file, status=1)
    assert not document["ok"]
    [said] = document["problems"]
    assert said.startswith(problem.format(whole=whole, less=whole - 1))
    shown = shell.run("verify", file.name, "--manifest", manifest_beside(file).name, status=1)
    assert shown.stdout == f"wrong: {file.name}: {said}\n"


def test_another_files_manifest_doesnt_fit(shell: Shell) -> None:
    file = made(shell.directory)
    (shell.directory / "other").mkdir()
    other = made(shell.directory / "other", owner="8")
    shell.run("verify", file.name, "--manifest", str(manifest_beside(other)), status=1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a manifest: Invalid JSON"),
        (b"id,title\n1,2\n", "is not a manifest: Invalid JSON"),
        (b"\xff\xfe{}", "is not a manifest: Invalid JSON"),
        (b"[]", "is not a manifest: Input should be an object"),
        (b"{}", "is not a manifest: filename: Field required"),
        ({"bytes": "10"}, "is not a manifest: bytes: Input should be a valid integer"),
        ({"bytes": -1}, "is not a manifest: bytes: Input should be greater"),
        ({"bytes": True}, "is not a manifest: bytes: Input should be a valid integer"),
        ({"sha256": "ABC"}, "is not a manifest: sha256: String should match"),
        ({"manifest": 2}, "is a manifest of version 2; this Outlast knows version 1"),
    ],
)
def test_what_is_no_manifest_is_not_understood(shell: Shell, content: bytes | dict[str, Any], message: str) -> None:
    file = made(shell.directory)
    manifest = manifest_beside(file)
    if isinstance(content, dict):
        content = json.dumps(json.loads(manifest.read_bytes()) | content).encode()
    manifest.write_bytes(content)
    refusal = shell.refusal("verify", file.name, "--manifest", manifest.name, status=2)
    assert refusal.startswith(f"{manifest.name} {message}")


def test_what_cant_be_read_is_said(shell: Shell) -> None:
    file = made(shell.directory)
    manifest = manifest_beside(file).name
    for arguments, message in [
        (["nothing.csv", "--manifest", manifest], "nothing.csv can't be read: No such file or directory"),
        ([".", "--manifest", manifest], ". can't be read: Is a directory"),
        ([file.name, "--manifest", "nothing.json"], "nothing.json can't be read: No such file or directory"),
    ]:
        assert shell.refusal("verify", *arguments, status=2) == message
    shell.run("verify", file.name, status=2)


def test_a_large_file_for_a_manifest_is_not_read_whole(shell: Shell) -> None:
    file = made(shell.directory)
    with file.open("r+b") as grown:
        grown.truncate(20_000_000_000)  # a hole, which nobody could hold in memory
    refusal = shell.refusal("verify", file.name, "--manifest", file.name, status=2)
    assert refusal == "tasks.csv is too large to be a manifest"


def test_each_part_of_a_zip_is_checked(shell: Shell) -> None:
    file = made(shell.directory, part_rows=1000)
    document = verified(shell, file)
    assert (document["parts"], document["rows"]) == (3, ROWS)
    said = shell.text("verify", file.name, "--manifest", manifest_beside(file).name)
    assert "2,500 rows, 3 parts" in said


def repacked(file: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """The ZIP made anew after a change to its members, by name, and the manifest outside made to fit it."""
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    file.write_bytes(data.getvalue())
    manifest = json.loads(manifest_beside(file).read_bytes())
    fitting = {"bytes": len(data.getvalue()), "sha256": hashlib.sha256(data.getvalue()).hexdigest()}
    manifest_beside(file).write_text(json.dumps(manifest | fitting))


def swap_the_rows_of_a_part(members: dict[str, bytes]) -> None:
    members["part-0002.csv"] = members["part-0002.csv"].swapcase()


def cut_a_part(members: dict[str, bytes]) -> None:
    members["part-0002.csv"] = members["part-0002.csv"][:-10]


def lengthen_a_part(members: dict[str, bytes]) -> None:
    members["part-0003.csv"] += b"1,2\n"


def lose_a_part(members: dict[str, bytes]) -> None:
    del members["part-0001.csv"]


def add_a_file(members: dict[str, bytes]) -> None:
    members["part-0004.csv"] = b""


def forget_a_part(members: dict[str, bytes]) -> None:
    document = json.loads(members["manifest.json"])
    del document["parts"][0]
    members["manifest.json"] = json.dumps(document).encode()


def break_the_manifest(members: dict[str, bytes]) -> None:
    members["manifest.json"] = b"{}"


@pytest.mark.parametrize(
    ("change", "problems"),
    [
        (swap_the_rows_of_a_part, ["part-0002.csv: its bytes are others"]),
        (cut_a_part, ["part-0002.csv: it ends after"]),
        (lengthen_a_part, ["part-0003.csv: it is longer than"]),
        (lose_a_part, ["part-0001.csv is not in the ZIP"]),
        (add_a_file, ["part-0004.csv is in the ZIP, but not in its manifest"]),
        (
            forget_a_part,
            [
                "part-0001.csv is in the ZIP, but not in its manifest",
                "its parts have 1,500 rows together, the manifest says 2,500",
            ],
        ),
        (break_the_manifest, ["in the ZIP, manifest.json is not a manifest: parts: Field required"]),
    ],
)
def test_a_zip_whose_parts_dont_fit(
    shell: Shell, change: Callable[[dict[str, bytes]], None], problems: list[str]
) -> None:
    file = made(shell.directory, part_rows=1000)
    repacked(file, change)
    found = verified(shell, file, status=1)["problems"]
    assert len(found) == len(problems)
    for said, expected in zip(found, problems, strict=True):
        assert said.startswith(expected)


def test_of_a_damaged_zip_the_damaged_part_is_named(shell: Shell) -> None:
    file = made(shell.directory, part_rows=1000)
    with zipfile.ZipFile(file) as archive:
        second = archive.getinfo("part-0002.csv")
    data = bytearray(file.read_bytes())
    data[second.header_offset + 100] ^= 255
    file.write_bytes(data)
    first, *others = verified(shell, file, status=1)["problems"]
    assert first.startswith("its bytes are others")
    assert [said.split()[0].rstrip(":") for said in others] == ["part-0002.csv"]


def test_a_cut_zip_is_no_zip_any_more(shell: Shell) -> None:
    file = made(shell.directory, part_rows=1000)
    file.write_bytes(file.read_bytes()[:-100])
    cut, unreadable = verified(shell, file, status=1)["problems"]
    assert cut.startswith("it ends after")
    assert unreadable == "its parts can't be looked at: it is no whole ZIP (BadZipFile)"
