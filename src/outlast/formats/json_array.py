"""A JSON array of objects, one row on each line: JSON Lines with brackets and commas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from outlast.formats.base import Row
from outlast.formats.jsonl import JsonlEncoder
from outlast.formats.options import FileOptions
from outlast.formats.rowtext import JsonText, Page

_SEPARATOR = ",\n"


class JsonArrayEncoder(JsonlEncoder):
    """Writes rows as one JSON array."""

    content_type = "application/json"
    extension = "json"
    line_end = _SEPARATOR

    def begin(self) -> bytes:
        """The bracket; the break behind it comes with the first row."""
        return b"["

    def encode(self, batch: Sequence[Row]) -> bytes:
        """Give the rows' bytes. Raises ExportFailedError UNENCODABLE_VALUE, naming row and column, under "fail"."""
        first = not self._rows
        return self._between(super().encode(batch), first=first)

    def take(self, page: Page) -> bytes:
        """Give the page's rows."""
        first = not self._rows
        return self._between(super().take(page), first=first)

    def end(self) -> Iterable[bytes]:
        """The other bracket."""
        yield b"\n]\n" if self._rows else b"]\n"

    def _between(self, rows: bytes, *, first: bool) -> bytes:
        """Move the separator from behind the last of these rows to before the first, where other rows precede."""
        if not rows:
            return rows
        return (b"\n" if first else _SEPARATOR.encode()) + rows[: -len(_SEPARATOR)]


def json_array_text(options: FileOptions) -> JsonText:
    """What a database may write in place of rows."""
    return JsonText(options, line_end=_SEPARATOR)
