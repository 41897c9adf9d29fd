"""Power-loss images of one recorded history: where the power goes, and what it leaves."""

import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.powerloss.disk import EVERYTHING_SURVIVES, Disk, Loss, Rule, Survival
from tests.support.powerloss.operations import Marker, Operation, Sync, TraceError, is_dropped

_SECTOR_BYTES, _PAGE_BYTES = 512, 4096


@dataclass(frozen=True, slots=True)
class Image:
    """A directory as a power loss left it, and what had been acknowledged by then."""

    directory: Path
    acknowledged: tuple[str, ...]
    description: str


def images(
    operations: Sequence[Operation], directory: Path, *, seed: int, count: int, rule: Rule = Rule.STRICT
) -> Iterator[Image]:
    """`count` images below `directory`, by rising moment of the loss; the same ones for the same seed.

    An image is deleted when the next is asked for, so the one that failed a test stays. `rule` as in Rule.
    """
    chance = random.Random(f"powerloss {seed}")
    moments = sorted(_moment(operations, chance) for _ in range(count))
    disk, taken = Disk(rule), 0
    for number, cut in enumerate(moments):
        for operation in operations[taken:cut]:
            disk.apply(operation)
        taken = cut
        loss = _loss(chance)
        target = directory / f"image-{number}"
        disk.write_image(target, loss, chance)
        yield Image(
            target,
            tuple(operation.text for operation in operations[:cut] if isinstance(operation, Marker)),
            f"seed {seed}, image {number} of {count}: power lost after operation {cut} of {len(operations)} "
            f"({type(operations[cut - 1]).__name__}), {loss}, {rule.value} names",
        )
        shutil.rmtree(target)


def verify_replay(operations: Sequence[Operation], root: Path, scratch: Path) -> None:
    """Compare the replay of everything with what the processes really left below `root`.

    Raises:
        TraceError: they differ, so the trace misses something and no image can be believed.
    """
    disk = Disk()
    for operation in operations:
        disk.apply(operation)
    target = scratch / "replay"
    disk.write_image(target, EVERYTHING_SURVIVES, random.Random(0))
    replayed, real = _contents(target), _contents(root)
    differing = sorted(path for path in replayed.keys() | real.keys() if replayed.get(path) != real.get(path))
    shutil.rmtree(target)
    if differing:
        raise TraceError(f"the replay differs from what the processes left: {differing}")


def _moment(operations: Sequence[Operation], chance: random.Random) -> int:
    """How many operations had happened: mostly just after an acknowledgement, or around a sync."""
    markers = [index for index, operation in enumerate(operations) if isinstance(operation, Marker)]
    syncs = [index for index, operation in enumerate(operations) if isinstance(operation, Sync)]
    kind = chance.random()
    if markers and kind < 0.4:
        return chance.choice(markers) + 1
    if syncs and kind < 0.7:
        return chance.choice(syncs) + chance.randint(0, 1)
    return chance.randint(1, len(operations))


def _loss(chance: random.Random) -> Loss:
    survivals, weights = list(Survival), (5, 1, 4)
    return Loss(
        data=chance.choices(survivals, weights)[0],
        names=chance.choices(survivals, weights)[0],
        share=chance.choice((0.1, 0.5, 0.9)),
        torn_bytes=chance.choice((None, _SECTOR_BYTES, _PAGE_BYTES)),
    )


def _contents(directory: Path) -> dict[str, bytes | None]:
    """Every path below it with a file's bytes, or None for a directory."""
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None
        for path in directory.rglob("*")
        if not is_dropped(path.name)
    }
