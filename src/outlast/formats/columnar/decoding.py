"""Arrow arrays of bytes and of UUIDs out of arrays of their text, many at once: Arrow has no function for it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_UUID_BYTES = 16
_UUID_CHARACTERS = 36
_DASHES = 4
_NIL = "00000000-0000-0000-0000-000000000000"


def bytes_of(array: Any) -> Any:  # noqa: ANN401 - pyarrow carries no types
    """Decode hexadecimal text. Raises ValueError for any other."""
    filled = pc.fill_null(array, "")
    if pc.any(pc.not_equal(pc.bit_wise_and(pc.binary_length(filled), 1), 0)).as_py():
        raise ValueError("an odd number of digits")
    starts = pa.Array.from_buffers(pa.int32(), len(filled) + 1, [None, filled.buffers()[1]])
    halves = pc.divide(starts, pa.scalar(2, pa.int32())).buffers()[1]
    return pa.Array.from_buffers(
        pa.binary(), len(filled), [_validity(array), halves, pa.py_buffer(_unhex(_data(filled)))]
    )


def uuids_of(array: Any) -> Any:  # noqa: ANN401 - pyarrow carries no types
    """Decode UUIDs to their 16 bytes. Raises ValueError for other text."""
    filled = pc.fill_null(array, _NIL)
    lengths = pc.equal(pc.binary_length(filled), _UUID_CHARACTERS)
    dashes = pc.equal(pc.count_substring(filled, "-"), _DASHES)
    if not pc.all(pc.and_(lengths, dashes)).as_py():
        raise ValueError("other text than UUIDs")
    data = _unhex(_data(filled).replace("-", ""))
    return pa.Array.from_buffers(pa.binary(_UUID_BYTES), len(filled), [_validity(array), pa.py_buffer(data)])


def _data(array: Any) -> str:  # noqa: ANN401 - pyarrow carries no types
    """Give all text on end, from the first value's beginning."""
    _, offsets, data = array.buffers()
    if not len(array) or data is None:
        return ""
    starts = pa.Array.from_buffers(pa.int32(), len(array) + 1, [None, offsets])
    if array.offset or starts[0].as_py():
        raise ValueError("a slice of an array")
    return str(memoryview(data)[: starts[-1].as_py()], "ascii")


def _validity(array: Any) -> Any:  # noqa: ANN401 - pyarrow carries no types
    return array.is_valid().buffers()[1] if array.null_count else None


def _unhex(text: str) -> bytes:
    data = bytes.fromhex(text)
    if 2 * len(data) != len(text):
        raise ValueError("blanks between digits")
    return data
