"""What single stages cost: compression, and guarding, hashing and counting."""

from __future__ import annotations

import statistics
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from isal import isal_zlib
from zlib_ng import zlib_ng

from bench.extraction import programs, tables
from bench.extraction.contest import Contender, Contest
from bench.extraction.stage import Stage, sqlite_sql
from bench.extraction.tables import SQLITE
from bench.extraction.turns import Ours
from bench.servers.bare_worker import NOTHING
from outlast.formats.compressed import COMPRESSIONS, CompressedEncoder

PIECE_BYTES = 256 * 1024
MIB = 1024 * 1024


def gzip(stage: Stage) -> None:
    """Our stage on the bytes of the CSV, beside others that do the same."""
    path = stage.directory / "plain.csv"
    programs.sqlite_csv(stage.strict, sqlite_sql(tables.walk(SQLITE)), path)
    ways: dict[str, Callable[[Path], int]] = {
        "zlib 1": lambda file: _by(zlib.compressobj(1, wbits=31), file),
        "csv.gz": lambda file: _stage(0, file),
        "csv.zst": lambda file: _stage(1, file),
        "zlib-ng 1": lambda file: _by(zlib_ng.compressobj(1, wbits=31), file),
        "isal 1": lambda file: _by(isal_zlib.compressobj(1, wbits=31), file),
    }
    size = path.stat().st_size
    rates: dict[str, list[float]] = {name: [] for name in ways}
    small: dict[str, float] = {}
    for _ in range(stage.rounds):
        for name, way in ways.items():
            began_at = time.process_time()
            small[name] = size / way(path)
            rates[name].append(size / MIB / (time.process_time() - began_at))
    path.unlink()
    lines = [(name, statistics.median(values), small[name]) for name, values in rates.items()]
    stage.report.table("Compression of the CSV in one thread", ("", "MB/s", "ratio"), lines)
    pairs = zip(rates["csv.gz"], rates["zlib 1"], strict=True)
    stage.report.median("gzip_vs_zlib1", [own / other for own, other in pairs])
    stage.report.note("gzip_ratio_vs_zlib1", small["csv.gz"] / small["zlib 1"])


def _by(stream: Any, path: Path) -> int:  # noqa: ANN401 - a compressobj of whichever library
    return sum(len(stream.compress(piece)) for piece in _pieces(path)) + len(stream.flush())


class _AsItIs:
    """An encoder whose pieces are the file's already."""

    content_type, extension, warnings = "text/csv", "csv", ()

    def stream(self, pieces: Iterable[Any]) -> Iterator[bytes]:
        """Give them."""
        yield from pieces


def _stage(number: int, path: Path) -> int:
    return sum(map(len, CompressedEncoder(_AsItIs(), COMPRESSIONS[number]).stream(_pieces(path))))


def _pieces(path: Path) -> Iterator[Any]:
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece


def guards(stage: Stage) -> None:
    """The same export with formulas guarded and hashed, and without; rows and bytes are counted in both.

    Counting is a few additions a page, so what is compared has it too. One row in a thousand holds a formula.
    """
    warm = ("strict_first", "csv")
    with stage.worker(warm) as works, stage.worker(warm, module="bench.servers.bare_worker") as bare:
        ours, without = Ours(works), Ours(bare)
        contest = Contest(
            "What guarding and hashing cost",
            [
                Contender("neither", without("strict_walk", "csv")),
                Contender("guarded", without("strict_disarmed", "csv")),
                Contender("hashed", ours("strict_walk", "csv")),
                Contender("both", ours("strict_disarmed", "csv")),
                Contender("both, dialect excel", ours("strict_excel", "csv")),
            ],
        )
        contest.hold(stage.rounds)
        contest.show(stage.report)
        assert without.last("strict_disarmed", "csv").sha256 == NOTHING
        assert ours.last("strict_disarmed", "csv").sha256 != NOTHING
    stage.report.note("guard_hash_count_cost", 1 - contest.ratio("both", "neither"))
