"""What is compared takes turns, round after round; a ratio is the median of those within each round."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bench.extraction.attempts import Whole
from bench.figures import Report


class Measured(Protocol):
    """What a turn gives."""

    @property
    def seconds(self) -> float:
        """How long it took."""
        ...

    @property
    def peak_mb(self) -> float:
        """The most memory that it held; of ours, beyond what the warm child had."""
        ...

    @property
    def processor_seconds(self) -> float:
        """Its own processor time, without a server's."""
        ...


@dataclass(frozen=True, slots=True)
class Contender:
    """Somebody's way; a slow one takes part in the first `rounds` only."""

    name: str
    turn: Callable[[], Measured]
    rounds: int = 10**6


@dataclass(slots=True)
class Contest:
    """Contenders and what they were measured with; the first is what the others are held against."""

    title: str
    contenders: Sequence[Contender]
    turns: dict[str, list[Measured]] = field(default_factory=dict)

    def hold(self, rounds: int) -> None:
        """Let everybody take his turn in every round."""
        for number in range(rounds):
            for contender in self.contenders:
                if number < contender.rounds:
                    self.turns.setdefault(contender.name, []).append(contender.turn())

    def ratio(self, name: str, against: str) -> float:
        """Give how many times as fast as another it was."""
        pairs = zip(self.turns[name], self.turns[against], strict=False)
        return statistics.median(other.seconds / own.seconds for own, other in pairs)

    def show(self, report: Report) -> None:
        """Print the table."""
        first = self.contenders[0].name
        header = ("", "seconds", "ratio", "processor seconds", "peak MB more", "")
        report.table(self.title, header, [self._line(contender.name, first) for contender in self.contenders])

    def _line(self, name: str, first: str) -> tuple[object, ...]:
        turns = self.turns[name]
        last = turns[-1]
        how = f"by {last.way}; worker {last.worker_seconds:.2f} s" if isinstance(last, Whole) else ""
        return (
            name, statistics.median(turn.seconds for turn in turns), self.ratio(name, first),
            statistics.median(turn.processor_seconds for turn in turns),
            statistics.median(turn.peak_mb for turn in turns), how,
        )  # fmt: skip
