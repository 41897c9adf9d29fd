"""Ids of jobs: UUIDv7 (RFC 9562 section 5.7), so that rows that were made together lie together."""

from __future__ import annotations

import os
import random
import time

_VERSION = 0x7 << 76
_VARIANT = 0b10 << 62
_LOW_BITS = 62
_HIGH_BITS = 12

# Ids are no secrets: an owner sees only his own. The system's randomness would cost a system call each.
_random = random.Random()  # noqa: S311
os.register_at_fork(after_in_child=_random.seed)


def job_id() -> str:
    """A new id: 48 bits of milliseconds since the epoch, then 74 random ones."""
    milliseconds = time.time_ns() // 1_000_000
    high, low = _random.getrandbits(_HIGH_BITS), _random.getrandbits(_LOW_BITS)
    digits = f"{milliseconds << 80 | _VERSION | high << 64 | _VARIANT | low:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def request_id() -> str:
    """A new id of a request: 128 random bits in hex."""
    return f"{_random.getrandbits(128):032x}"
