"""Ids of jobs: UUIDv7 (RFC 9562 section 5.7), so that rows that were made together lie together."""

from __future__ import annotations

import os
import time
from uuid import UUID

_VERSION = 0x7 << 76
_VARIANT = 0b10 << 62
_BELOW_VERSION = (1 << 76) - 1
_BELOW_VARIANT = (1 << 62) - 1


def job_id() -> str:
    """A new id: 48 bits of milliseconds since the epoch, then 74 random ones."""
    random = int.from_bytes(os.urandom(10), "big")
    high = (time.time_ns() // 1_000_000 << 80 | random & _BELOW_VERSION) & ~(0xF << 76) | _VERSION
    return str(UUID(int=high & ~(0b11 << 62) | _VARIANT | random & _BELOW_VARIANT))
