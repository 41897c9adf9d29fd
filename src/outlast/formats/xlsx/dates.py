"""Days, and parts of them, as a sheet counts them: day 1 is 1900-01-01, and 1900-02-29 is taken for a day.

So days are right from 1900-03-01 on. A cell's number is a float64: until 2079 it holds each microsecond, later on each
millisecond. What it can't hold is None here, and becomes text.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo

_DAY_ZERO = date(1899, 12, 30).toordinal()
DAY = timedelta(days=1)
_MILLISECOND = timedelta(milliseconds=1)
FIRST_DAY = date(1900, 3, 1)
EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001 - local times have no zone
EPOCH_UTC = EPOCH.replace(tzinfo=UTC)
FIRST = datetime(1900, 3, 1) - EPOCH  # noqa: DTZ001
EXACT_UNTIL = datetime(2079, 6, 1) - EPOCH  # noqa: DTZ001 - day 65,536, where half a unit is more than 0.5 µs, is soon
_END = datetime(9999, 12, 31, 23, 59, 59, 999_000) - EPOCH  # noqa: DTZ001
_LAST_SECOND, _ROUNDED_UP = 86_399, 999_500
LAST_TIME = timedelta(days=1) - _MILLISECOND / 2  # shown to the millisecond, a later one would be midnight


def day_number(value: date) -> int | None:
    """Give the day's number."""
    return value.toordinal() - _DAY_ZERO if value >= FIRST_DAY else None


def exact_serial(since: timedelta) -> float | None:
    """Give a time's number, from the time since EPOCH, if it stands for no other time."""
    if not FIRST <= since <= _END or any_rounded_up([since]):
        return None
    number = since / DAY
    if since < EXACT_UNTIL or not since.microseconds % 1000:
        return number
    return number if round(number * 86_400_000_000) == since // timedelta(microseconds=1) else None


def any_rounded_up(times: Sequence[timedelta]) -> bool:
    """Whether rounding to the millisecond, as sheets and their readers do, makes another date of one of them."""
    return any([since.microseconds >= _ROUNDED_UP and since.seconds == _LAST_SECOND for since in times])  # noqa: C419 - quicker so


def time_of_day(value: time) -> timedelta:
    """Give the time since midnight."""
    return timedelta(
        hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond
    )  # fmt: skip


def exact_fraction(since: timedelta) -> float | None:
    """Give the fraction of a day."""
    return since / DAY if since < LAST_TIME else None


def wall_time(value: datetime, zone: tzinfo) -> datetime | None:
    """Give the local time of an instant there; None if the clocks there show it twice, or it has no such date."""
    try:
        local = value.astimezone(zone)
    except OverflowError:
        return None
    twice = local.replace(fold=1 - local.fold).utcoffset() != local.utcoffset()
    return None if twice else local.replace(tzinfo=None, fold=0)
