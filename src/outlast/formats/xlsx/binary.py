"""Bytes as text."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable

from outlast.formats.options import FileOptions


def spell_bytes(options: FileOptions) -> Callable[[bytes], str]:
    """Give what spells bytes, or what is like them, as the export wants it."""
    if options.binary == "base64":
        return lambda value: b64encode(value).decode()
    return lambda value: bytes(value).hex()
