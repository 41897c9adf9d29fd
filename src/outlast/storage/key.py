"""The form of a storage key: `{job}/{attempt}-{random}`, two plain names."""

from __future__ import annotations

import re

_KEY = re.compile(r"(?P<job>[0-9a-f-]{36})/(?P<name>[1-9][0-9]*-[0-9a-f]+)")


def is_key(text: str) -> bool:
    """Whether it looks like one of ours."""
    return _KEY.fullmatch(text) is not None


def parts(key: str) -> tuple[str, str]:
    """The job's part and the attempt's. Raises FileNotFoundError when it is no key: nothing lies there."""
    match = _KEY.fullmatch(key)
    if match is None:
        raise FileNotFoundError("not a storage key")
    return match["job"], match["name"]
