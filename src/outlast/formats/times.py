"""Dates, times and intervals as text: as SQL databases write them, or as RFC 3339 does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, Literal, TypeAlias
from zoneinfo import ZoneInfo

TimeStyle: TypeAlias = Literal["sql", "json"]

_NO_OFFSET = timedelta(0)
_MINUTE = timedelta(minutes=1)


def time_cells(style: TimeStyle, zone_name: str | None = None) -> dict[type, Callable[[Any], str]]:
    """Give what spells each type of time, without quotes; instants in that zone, UTC unless said."""
    zone = UTC if zone_name is None else ZoneInfo(zone_name)
    between = "T" if style == "json" else " "

    def moment(value: datetime) -> str:
        if value.tzinfo is None:
            text = value.isoformat(between)
            return text.rstrip("0") if value.microsecond else text
        return spell_instant(value, zone, style)

    return {date: date.isoformat, time: lambda value: spell_time(value, style), datetime: moment, timedelta: duration}


def spell_instant(value: datetime, zone: tzinfo, style: TimeStyle) -> str:
    """Spell an aware datetime in the zone: 2026-03-01 09:30:00.5+00, or 2026-03-01T09:30:00.5+00:00.

    One that lies outside of the calendar there keeps its own offset. JSON's are in UTC where the zone's offset has
    seconds, as before standard time: RFC 3339 section 5.6 knows none.
    """
    if value.tzinfo is not zone:
        try:
            value = value.astimezone(zone)
        except OverflowError:
            zone = value.tzinfo or zone
    offset = value.utcoffset() or _NO_OFFSET
    if style == "json" and offset % _MINUTE and zone is not UTC:
        return spell_instant(value, UTC, style)
    text = value.replace(tzinfo=None).isoformat("T" if style == "json" else " ")
    return (text.rstrip("0") if value.microsecond else text) + spell_offset(offset, style)


def spell_time(value: time, style: TimeStyle) -> str:
    """Spell a time of day: 09:30:00.5, with its offset if it has one."""
    offset = value.utcoffset()
    text = value.replace(tzinfo=None).isoformat()
    text = text.rstrip("0") if value.microsecond else text
    return text if offset is None else text + spell_offset(offset, style)


def spell_offset(offset: timedelta, style: TimeStyle) -> str:
    """Spell an offset from UTC: +00, +05:30, as PostgreSQL does; RFC 3339's always has minutes."""
    if not offset:
        return "+00:00" if style == "json" else "+00"
    sign, offset = ("-", -offset) if offset < _NO_OFFSET else ("+", offset)
    minutes, seconds = divmod(offset.seconds, 60)
    text = f"{sign}{minutes // 60:02}"
    if minutes % 60 or seconds or style == "json":
        text += f":{minutes % 60:02}"
    return f"{text}:{seconds:02}" if seconds else text


def duration(value: timedelta) -> str:
    """ISO 8601 as PostgreSQL's IntervalStyle iso_8601 has it, exact to the microsecond: P1DT1H0.5S, PT-3S, PT0S."""
    sign, value = ("-", -value) if value < _NO_OFFSET else ("", value)
    minutes, seconds = divmod(value.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    whole = f"{seconds}.{value.microseconds:06}".rstrip("0") if value.microseconds else f"{seconds}"
    parts = ((hours, hours, "H"), (minutes, minutes, "M"), (seconds or value.microseconds, whole, "S"))
    clock = "".join(f"{sign}{text}{unit}" for size, text, unit in parts if size)
    days = f"{sign}{value.days}D" if value.days else ""
    return f"P{days}T{clock}" if clock else f"P{days}" if days else "PT0S"
