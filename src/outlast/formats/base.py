"""What a format is: bytes out of rows, or out of rows' text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Protocol, TypeAlias

from outlast.formats.options import FileOptions
from outlast.formats.rowtext import Page, RowText
from outlast.formats.shape import Shape

Row: TypeAlias = Sequence[Any]


class Encoder(Protocol):
    """Writes one result. Rows come in their shape's order of columns, as batches or as pages, mixed as they please.

    `content_type` is the media type; `extension` goes behind the file's name, without its dot.
    """

    @property
    def content_type(self) -> str:
        """The media type."""
        ...

    @property
    def extension(self) -> str:
        """What goes behind the file's name, without its dot."""
        ...

    def begin(self) -> bytes:
        """Give what stands before the first row."""
        ...

    def encode(self, batch: Sequence[Row]) -> bytes:
        """Give the rows' bytes. Raises ExportFailedError UNENCODABLE_VALUE, naming row and column, under "fail"."""
        ...

    def take(self, page: Page) -> bytes:
        """Give the bytes of rows that the database has written as the format's `text`."""
        ...

    def end(self) -> Iterable[bytes]:
        """Give what stands after the last row, in pieces."""
        ...

    @property
    def warnings(self) -> tuple[dict[str, Any], ...]:
        """What was changed so far: `code`, `column`, `count`, and `first_rows`, the numbers of the first of them."""
        ...


@dataclass(frozen=True, slots=True)
class Format:
    """A format by its name; `text` says what a database may write in place of rows, None if only rows will do.

    `modules` are those that it needs beyond our own dependencies, and `extra` is what to install for them.
    """

    name: str
    encoder: Callable[[Shape, FileOptions], Encoder]
    text: Callable[[FileOptions], RowText | None]
    modules: tuple[str, ...] = ()
    extra: str = ""

    @property
    def missing(self) -> str:
        """What to install before it can be written; empty if nothing is missing. Imports none of it."""
        absent = [module for module in self.modules if find_spec(module) is None]
        return f"{', '.join(absent)} (pip install 'outlast[{self.extra}]')" if absent else ""
