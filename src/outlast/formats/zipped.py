"""A ZIP of members that are still being made, by stream-zip: the same members give the same bytes."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from importlib import import_module
from typing import Any

_TIME = datetime(1980, 1, 1)  # noqa: DTZ001 - ZIP's first day: no member has a time of its own
_MODE = 0o100644
_LEVEL = 1


def zipped(members: Iterable[tuple[str, Iterable[bytes]]], method: str) -> Iterator[bytes]:
    """Give the ZIP of names and contents; `method` is ZIP_32 or ZIP_64. Raises stream-zip's ZipOverflowError."""
    library = import_module("stream_zip")  # by name, since it comes with an extra
    kind = getattr(library, method)
    files = ((name, _TIME, _MODE, kind, data) for name, data in members)
    yield from library.stream_zip(files, get_compressobj=_deflate, extended_timestamps=False)


def _deflate() -> Any:  # noqa: ANN401 - zlib's own object, or isal's, which is made alike and several times as fast
    try:
        return import_module("isal.isal_zlib").compressobj(level=_LEVEL, wbits=-zlib.MAX_WBITS)
    except ModuleNotFoundError:
        return zlib.compressobj(level=_LEVEL, wbits=-zlib.MAX_WBITS)
