"""JSON that a database has written already."""

from __future__ import annotations


class RawJson(str):
    """Valid JSON text: JSON formats write it as it is, others as text."""

    __slots__ = ()
