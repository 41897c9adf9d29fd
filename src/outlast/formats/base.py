"""What a format is: bytes out of batches of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

Row: TypeAlias = Sequence[Any]
Unencodable: TypeAlias = Literal["fail", "replace", "hex"]
"""What becomes of a value that a format can't carry: the export fails; it is replaced; text becomes its bytes in hex.

Where hex has no meaning (a number that is not finite, a value of an unknown type) it replaces.
"""


class Encoder(Protocol):
    """Writes one result. `encode` takes rows in the order of the columns; it and `begin` and `end` give whole records.

    `content_type` is the media type; `extension` goes behind the file's name, without its dot.
    """

    content_type: ClassVar[str]
    extension: ClassVar[str]

    def __init__(self, columns: Sequence[str], unencodable: Unencodable) -> None:
        """Write `columns` under that policy."""

    def begin(self) -> bytes:
        """Give what stands before the first row."""
        ...

    def encode(self, batch: Sequence[Row]) -> bytes:
        """Give the rows' bytes. Raises ExportFailedError UNENCODABLE_VALUE, naming row and column, under "fail"."""
        ...

    def end(self) -> bytes:
        """Give what stands after the last row."""
        ...

    @property
    def warnings(self) -> tuple[dict[str, Any], ...]:
        """What was changed so far: `code`, `column`, `count`, and `first_rows`, the numbers of the first of them."""
        ...
