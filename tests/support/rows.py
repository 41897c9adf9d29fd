"""What an extraction gave."""

from collections.abc import Iterator

from outlast.extract import Batch, Extraction
from outlast.formats import Page


def batches_of(extraction: Extraction) -> Iterator[Batch]:
    """Give the rows, which must have come as values."""
    for piece in extraction.pieces:
        assert not isinstance(piece, Page)
        yield piece
