"""Encoders for tests, by the names of formats and columns."""

from collections.abc import Sequence
from typing import Any

from outlast.formats import FORMATS, Column, Encoder, FileOptions, Piece, Shape
from outlast.formats.text import TextEncoder


def encoder(name: str, columns: Sequence[str | Column], **options: Any) -> Encoder:
    """Give the format's encoder of those columns, whose kinds are unknown where only a name stands."""
    shape = Shape(tuple(column if isinstance(column, Column) else Column(column) for column in columns))
    return FORMATS[name].encoder(shape, FileOptions(**options))


def text_encoder(name: str, columns: Sequence[str | Column], **options: Any) -> TextEncoder:
    """Give the encoder of a text format."""
    made = encoder(name, columns, **options)
    assert isinstance(made, TextEncoder)
    return made


def written(encoder: Encoder, *pieces: Piece) -> bytes:
    """Give the whole file."""
    return b"".join(encoder.stream(pieces))
