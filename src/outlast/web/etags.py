"""Entity tags, and the preconditions that compare them (RFC 9110 section 13)."""

from __future__ import annotations

import hashlib
import re
from typing import TypeAlias

from outlast.database.jobs import Seen
from outlast.model import Status

State: TypeAlias = tuple[Status, int, bool]
"""What a waiter waits to change: the status, the attempt's number, and whether the job is erased."""

_TAG = re.compile(r'(?:W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
_DIGEST_LENGTH = 16


def state_of(seen: Seen) -> State:
    """The job's state."""
    return seen.job.status, seen.job.attempt_count, seen.job.erased_at is not None


def job_tag(state: State, document: bytes) -> str:
    """The strong tag of a job's document, in two parts: one for its state, and one for everything in it."""
    return f'"{_digest(repr(state).encode())}-{_digest(document)}"'


def opaque_tags(header: str | None) -> frozenset[str] | None:
    """The tags in an If-Match or If-None-Match header without their quotes; None without one; `*` stands for any."""
    if header is None:
        return None
    return frozenset({"*"}) if header.strip() == "*" else frozenset(_TAG.findall(header))


def strong_tags(header: str | None) -> frozenset[str] | None:
    """As `opaque_tags`, without those that are weak: If-Match and If-Range compare strongly (section 8.8.3.2)."""
    if header is None:
        return None
    return opaque_tags(re.sub(r'W/"[^"]*"', "", header))


def matches(tags: frozenset[str] | None, tag: str) -> bool:
    """Whether a header names this tag."""
    return tags is not None and ("*" in tags or tag.strip('"') in tags)


def names_state(tags: frozenset[str], state: State) -> bool:
    """Whether a header names a document of this state, whatever else it says."""
    digest = _digest(repr(state).encode())
    return "*" in tags or any(tag.partition("-")[0] == digest for tag in tags)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_DIGEST_LENGTH]
