"""What each kind makes of SQLite's storage classes, exactly; and what a cast may make of the rest without loss."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, NoReturn, TypeAlias
from uuid import UUID

from outlast.formats import Kind, RawJson

Convert: TypeAlias = Callable[[Any], Any]

_NOTHING = type(None)
ANYTHING = frozenset({_NOTHING, int, float, str, bytes})
_NUMERAL = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]{1,4})?", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CLOCK = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
_TIME = re.compile(_CLOCK)
_DATETIME = re.compile(rf"{_DATE.pattern}[ T]{_CLOCK}")
_INSTANT = re.compile(rf"{_DATETIME.pattern}(?:Z|[+-][0-9]{{2}}(?::?[0-9]{{2}})?)?")
_UUID = re.compile(r"[0-9a-fA-F]{32}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_UUID_BYTES = 16
_TRUE, _FALSE = frozenset({"1", "true", "t", "yes", "on"}), frozenset({"0", "false", "f", "no", "off"})


@dataclass(frozen=True, slots=True)
class Conversion:
    """Types of values that stay as they are, and what is made of the others; it raises ValueError for a mismatch."""

    right: frozenset[type]
    convert: Convert


def _refuse(_: object) -> NoReturn:
    raise ValueError


def _text_in(pattern: re.Pattern[str], value: object) -> str:
    if isinstance(value, str) and pattern.fullmatch(value):
        return value
    raise ValueError


def _float(value: object) -> float:
    if isinstance(value, int) and int(float(value)) == value:
        return float(value)
    raise ValueError


def _decimal(value: object) -> Decimal:
    if isinstance(value, int):
        return Decimal(value)
    return Decimal(repr(value) if isinstance(value, float) else _text_in(_NUMERAL, value))


def _boolean(value: object) -> bool:
    if isinstance(value, int) and value in {0, 1}:
        return bool(value)
    raise ValueError


def _date(value: object) -> date:
    return date.fromisoformat(_text_in(_DATE, value))


def _time(value: object) -> time:
    return time.fromisoformat(_text_in(_TIME, value))


def _datetime(value: object) -> datetime:
    return datetime.fromisoformat(_text_in(_DATETIME, value))


def _instant(value: object) -> datetime:
    found = datetime.fromisoformat(_text_in(_INSTANT, value))
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _uuid(value: object) -> UUID:
    if isinstance(value, bytes) and len(value) == _UUID_BYTES:
        return UUID(bytes=value)
    return UUID(_text_in(_UUID, value))


def _json(value: object) -> int | Decimal | RawJson:
    """Keep the text, whose digits, members and order another writer would change."""
    if isinstance(value, int):  # the affinity of a column that is declared JSON makes numbers of their text
        return value
    if isinstance(value, float):
        return Decimal(repr(value)) if value - value == 0 else _refuse(value)
    if not isinstance(value, str):
        raise ValueError  # noqa: TRY004 - a mismatch like every other
    try:
        json.loads(value, parse_float=str, parse_int=str, parse_constant=_refuse)
    except RecursionError:
        raise ValueError from None
    return RawJson(value)


def _cast_integer(value: object) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and str(int(value)) == value:
        return int(value)
    raise ValueError


def _cast_float(value: object) -> float:
    text = _text_in(_NUMERAL, value)
    if Decimal(repr(float(text))) == Decimal(text):
        return float(text)
    raise ValueError


def _cast_boolean(value: object) -> bool:
    word = value.lower() if isinstance(value, str) else "" if isinstance(value, bytes) else f"{value:g}"
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise ValueError


def _cast_text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _cast_bytes(value: object) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    raise ValueError


def _cast_date(value: object) -> date:
    found = _datetime(value)
    if found.time() != time():
        raise ValueError
    return found.date()


def _cast_datetime(value: object) -> datetime:
    return datetime.combine(_date(value), time())


CONVERSIONS: dict[Kind, Conversion] = {
    Kind.UNKNOWN: Conversion(ANYTHING, _refuse),
    Kind.INTEGER: Conversion(frozenset({_NOTHING, int}), _refuse),
    Kind.FLOAT: Conversion(frozenset({_NOTHING, float}), _float),
    Kind.DECIMAL: Conversion(frozenset({_NOTHING}), _decimal),
    Kind.BOOLEAN: Conversion(frozenset({_NOTHING}), _boolean),
    Kind.TEXT: Conversion(frozenset({_NOTHING, str}), _refuse),
    Kind.BYTES: Conversion(frozenset({_NOTHING, bytes}), _refuse),
    Kind.DATE: Conversion(frozenset({_NOTHING}), _date),
    Kind.TIME: Conversion(frozenset({_NOTHING}), _time),
    Kind.DATETIME: Conversion(frozenset({_NOTHING}), _datetime),
    Kind.INSTANT: Conversion(frozenset({_NOTHING}), _instant),
    Kind.INTERVAL: Conversion(frozenset({_NOTHING, str}), _refuse),
    Kind.UUID: Conversion(frozenset({_NOTHING}), _uuid),
    Kind.JSON: Conversion(frozenset({_NOTHING}), _json),
    Kind.ARRAY: Conversion(frozenset({_NOTHING}), _json),
}
CASTS: dict[Kind, Convert] = {
    Kind.INTEGER: _cast_integer,
    Kind.FLOAT: _cast_float,
    Kind.BOOLEAN: _cast_boolean,
    Kind.TEXT: _cast_text,
    Kind.BYTES: _cast_bytes,
    Kind.DATE: _cast_date,
    Kind.DATETIME: _cast_datetime,
}
