"""Which rows are written together: as many as are asked for, of one piece."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from outlast.formats.base import Piece, Row
from outlast.formats.rowtext import Page


class Slices:
    """The rows of all pieces, to be taken slice by slice."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        """Take nothing yet."""
        self._batches = (_values(piece) for piece in pieces)
        self._batch: Sequence[Row] = ()
        self._start = 0

    def sample(self, row_limit: int) -> list[Row]:
        """Give so many of the first rows, which `take` gives again. To be asked before any was taken."""
        rows: list[Row] = []
        for batch in self._batches:
            rows.extend(batch)
            if len(rows) >= row_limit:
                break
        self._batches = (batch for batch in chain([rows], self._batches))
        return rows[:row_limit]

    @property
    def more(self) -> bool:
        """Whether a row is left."""
        while self._start == len(self._batch):
            batch = next(self._batches, None)
            if batch is None:
                return False
            self._batch, self._start = batch, 0
        return True

    def take(self, row_limit: int) -> Sequence[Row]:
        """Give the next rows, none only if none is left or the limit is zero."""
        if not self.more:
            return ()
        start = self._start
        self._start = min(start + row_limit, len(self._batch))
        return self._batch[start : self._start]


def _values(piece: Piece) -> Sequence[Row]:
    if isinstance(piece, Page):
        raise TypeError("a workbook's cells are made of values, not of a database's text")
    return piece
