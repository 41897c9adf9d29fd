"""What the power-loss harness lets a disk keep and lose."""

import random
from collections.abc import Iterable
from pathlib import Path

from tests.support.powerloss import NOTHING_SURVIVES, Disk, Loss, Operation, Rule, Survival, images
from tests.support.powerloss.operations import ROOT, Entries, Existing, Marker, Node, Sync, Truncate, Write

FILE = Node(1, is_directory=False)
NOTHING = Existing(())
NEW_FILE = Entries(ROOT, (("a", FILE),))


def left(
    tmp_path: Path, operations: Iterable[Operation], loss: Loss, *, rule: Rule = Rule.STRICT, seed: int = 0
) -> dict[str, bytes]:
    disk = Disk(rule)
    for operation in operations:
        disk.apply(operation)
    target = tmp_path / f"left-{len(list(tmp_path.iterdir()))}"
    disk.write_image(target, loss, random.Random(seed))
    return {str(path.relative_to(target)): path.read_bytes() for path in target.rglob("*") if path.is_file()}


NAMES_ONLY = Loss(Survival.NONE, Survival.ALL)


def test_a_synced_file_needs_its_directory_synced_too(tmp_path: Path) -> None:
    written: list[Operation] = [NOTHING, NEW_FILE, Write(FILE, 0, b"bytes"), Sync(FILE, 3)]
    assert left(tmp_path, written, NOTHING_SURVIVES) == {}
    assert left(tmp_path, written, NOTHING_SURVIVES, rule=Rule.JOURNALLED) == {"a": b"bytes"}
    assert left(tmp_path, [*written, Sync(ROOT, 4)], NOTHING_SURVIVES) == {"a": b"bytes"}


def test_a_directory_that_was_not_synced_into_its_parent_takes_its_files_along(tmp_path: Path) -> None:
    directory = Node(2, is_directory=True)
    written: list[Operation] = [
        NOTHING,
        Entries(ROOT, (("d", directory),)),
        Entries(directory, (("a", FILE),)),
        Sync(FILE, 3),
        Sync(directory, 4),
    ]
    assert left(tmp_path, written, NOTHING_SURVIVES) == {}
    assert left(tmp_path, written, NOTHING_SURVIVES, rule=Rule.JOURNALLED) == {"d/a": b""}
    assert left(tmp_path, [*written, Sync(ROOT, 5)], NOTHING_SURVIVES) == {"d/a": b""}


def test_a_sync_vouches_only_for_what_came_before_it_began(tmp_path: Path) -> None:
    written: list[Operation] = [NOTHING, NEW_FILE, Write(FILE, 0, b"before"), Write(FILE, 6, b"during"), Sync(FILE, 3)]
    assert left(tmp_path, written, NAMES_ONLY) == {"a": b"before"}


def test_a_rename_within_a_directory_happens_whole_or_not_at_all(tmp_path: Path) -> None:
    replaced = Node(2, is_directory=False)
    written: list[Operation] = [
        Existing((Entries(ROOT, (("a", FILE),)), Write(FILE, 0, b"new"), Entries(ROOT, (("b", replaced),)))),
        Write(replaced, 0, b"old"),
        Sync(replaced, 2),
        Entries(ROOT, (("a", None), ("b", FILE))),
    ]
    seen = [left(tmp_path, written, Loss(Survival.NONE, Survival.SOME), seed=seed) for seed in range(20)]
    assert {"b": b"new"} in seen
    assert {"a": b"new", "b": b"old"} in seen
    assert all(contents in ({"b": b"new"}, {"a": b"new", "b": b"old"}) for contents in seen)


def test_truncation_may_be_lost_and_what_was_there_returns(tmp_path: Path) -> None:
    written: list[Operation] = [
        Existing((NEW_FILE, Write(FILE, 0, b"everything"))),
        Truncate(FILE, 0),
        Write(FILE, 0, b"some"),
    ]
    seen = {left(tmp_path, written, Loss(Survival.SOME, Survival.NONE), seed=seed)["a"] for seed in range(30)}
    assert seen == {b"everything", b"", b"someything", b"some"}


def test_a_torn_write_survives_in_whole_sectors(tmp_path: Path) -> None:
    written: list[Operation] = [Existing((NEW_FILE, Write(FILE, 0, b"-" * 1536))), Write(FILE, 100, b"+" * 1300)]
    loss = Loss(Survival.SOME, Survival.NONE, torn_bytes=512)
    seen = {left(tmp_path, written, loss, seed=seed)["a"] for seed in range(60)}
    for content_left in seen:
        signs = content_left[100:512], content_left[512:1024], content_left[1024:1400]
        assert all(len(set(sector)) == 1 for sector in signs)
        assert content_left[:100] + content_left[1400:] == b"-" * 236
    assert len(seen) == 8


def test_the_same_seed_gives_the_same_images(tmp_path: Path) -> None:
    written: list[Operation] = [NOTHING, NEW_FILE]
    for number in range(40):
        written += [Write(FILE, number, bytes([number])), Marker(str(number))]

    def drawn(seed: int) -> list[tuple[str, bytes | None]]:
        return [
            (image.description, path.read_bytes() if (path := image.directory / "a").exists() else None)
            for image in images(written, tmp_path, seed=seed, count=20)
        ]

    assert drawn(1) == drawn(1)
    assert [found for _, found in drawn(1)] != [found for _, found in drawn(2)]
