"""Times and sizes as people read them."""

from __future__ import annotations

from datetime import datetime


def moment(at: datetime) -> str:
    """A time as people read it: UTC, exact to the millisecond."""
    return at.isoformat(sep=" ", timespec="milliseconds").replace("+00:00", "Z")


def bytes_text(count: int) -> str:
    """A size as people read it, in powers of ten."""
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:  # noqa: PLR2004 - the next unit
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
