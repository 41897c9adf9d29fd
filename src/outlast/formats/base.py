"""What a format is: bytes out of rows, or out of rows' text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol, TypeAlias

from outlast.formats.options import FileOptions
from outlast.formats.rowtext import Page, RowText
from outlast.formats.shape import Shape

Row: TypeAlias = Sequence[Any]
Piece: TypeAlias = Sequence[Row] | Page


def row_count(piece: Piece) -> int:
    """Count the rows, however they come."""
    return piece.rows if isinstance(piece, Page) else len(piece)


class Encoder(Protocol):
    """Writes one result."""

    @property
    def content_type(self) -> str:
        """The media type."""
        ...

    @property
    def extension(self) -> str:
        """What goes behind the file's name, without its dot."""
        ...

    def stream(self, pieces: Iterable[Piece]) -> Iterator[bytes]:
        """Give the file's bytes, once.

        Rows come in their shape's order of columns, as values or as the format's `text`, mixed as they please.
        Raises ExportFailedError UNENCODABLE_VALUE, naming row and column, under the policy "fail".
        """
        ...

    @property
    def warnings(self) -> tuple[dict[str, Any], ...]:
        """What was changed so far: `code`, `column`, `count`, and `first_rows`, the numbers of the first of them."""
        ...


class PieceEncoder(ABC):
    """An encoder that makes of each piece some bytes, before it sees the next."""

    def stream(self, pieces: Iterable[Piece]) -> Iterator[bytes]:
        """Give the file's bytes, once."""
        yield self.begin()
        for piece in pieces:
            yield self.take(piece) if isinstance(piece, Page) else self.encode(piece)
        yield from self.end()

    @abstractmethod
    def begin(self) -> bytes:
        """Give what stands before the first row."""

    @abstractmethod
    def encode(self, batch: Sequence[Row]) -> bytes:
        """Give the rows' bytes. Raises ExportFailedError UNENCODABLE_VALUE, naming row and column, under "fail"."""

    @abstractmethod
    def take(self, page: Page) -> bytes:
        """Give the bytes of rows that the database has written as the format's `text`."""

    @abstractmethod
    def end(self) -> Iterable[bytes]:
        """Give what stands after the last row, in pieces."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Modules beyond our own dependencies, and the extra of Outlast that installs them."""

    modules: tuple[str, ...] = ()
    extra: str = ""

    @property
    def missing(self) -> str:
        """What to install; empty if nothing is missing. Imports none of it."""
        absent = [module for module in self.modules if find_spec(module) is None]
        return f"{', '.join(absent)} (pip install 'outlast[{self.extra}]')" if absent else ""


@dataclass(frozen=True, slots=True)
class Format:
    """A format by its name; `text` says what a database may write in place of rows, None if only rows will do."""

    name: str
    encoder: Callable[[Shape, FileOptions], Encoder]
    text: Callable[[FileOptions], RowText | None]
    needs: Needs = Needs()
