"""Finite floats as text, to the digit as each source spells them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from math import frexp, inf, nextafter
from statistics import median
from typing import TypeAlias

from outlast.formats.shape import FloatSpelling

Spell: TypeAlias = Callable[[float], str]

_EXPONENT = 1e15
_HALVES = 2.0**53  # from here on, and below the other, a short text may lie halfway between two doubles
_NO_HALVES = 1e41
_SHORT = 14
_SMALL = 0.001
_KEPT = 17  # digits that tell any two doubles apart
_SAMPLE = 9
_TWO_53 = 2.0**53
_FIXED = range(-3, 18)  # where SQLite writes no exponent: how many digits stand before the point


def spell_float(value: float, spelling: FloatSpelling) -> str:
    """Give a finite float's text in its source's spelling; every one of them reads back as the same float.

    SQLite's knows no negative zero.
    """
    return speller(spelling)(value)


def speller(spelling: FloatSpelling) -> Spell:
    """Give what spells one finite float."""
    return _SPELLERS[spelling]


def spell_floats(values: Sequence[float], spelling: FloatSpelling) -> list[str]:
    """Spell many finite floats, of the type float itself."""
    if spelling == "sqlite":
        return _sqlite_floats(values)
    texts = list(map(float.__repr__, values))
    if spelling == "postgresql":
        if min(values) > -_EXPONENT and max(values) < _EXPONENT:
            return [text.removesuffix(".0") for text in texts]
        return list(map(postgresql_float, values))
    return texts


def postgresql_float(value: float) -> str:
    """As PostgreSQL's float8out with extra_float_digits above 0: no ".0", and an exponent from 1e+15 on."""
    text = float.__repr__(value)
    size = abs(value)
    if size >= _HALVES and size < _NO_HALVES:
        text = _strictly_inside(value, text)
    text = text.removesuffix(".0")
    if size < _EXPONENT or "e" in text:
        return text
    sign, digits = ("-", text[1:]) if value < 0 else ("", text)
    fraction = digits[1:].replace(".", "").rstrip("0")
    return f"{sign}{digits[0]}.{fraction}e+15" if fraction else f"{sign}{digits[0]}e+15"


def _strictly_inside(value: float, text: str) -> str:
    """Give the shortest text that is not halfway to a neighbour: readers that break ties in any way agree on it."""
    halves = {int(value) + int(nextafter(value, 0)), int(value) + int(nextafter(value, inf * value))}
    precision = len(text.partition("e")[0].strip("-0").replace(".", "")) - 1
    while 2 * int(Decimal(text)) in halves:
        precision += 1
        text = f"{value:.{precision}e}"
    return text


def _sqlite_floats(values: Sequence[float]) -> list[str]:
    texts = list(map(float.__repr__, values[:_SAMPLE]))
    if median(map(len, texts)) > _SHORT:  # where most are long, looking whether one is short costs more than it saves
        return _by_17_digits(values)
    texts = list(map(float.__repr__, values))
    if max(map(len, texts)) <= _SHORT and min(values) >= _SMALL and "e" not in "".join(texts):
        return texts
    return list(map(sqlite_float, values))


def sqlite_float(value: float) -> str:
    """As SQLite's CAST(x AS TEXT), from 3.53 on: 17 digits, or fewer where a run of 9s or 0s shows that fewer will do.

    Follows what SQLite answers: multiply by a power of ten of which 64 bits are known, keep 17 digits of 18.
    """
    text = float.__repr__(value)
    # So few digits end in zeros in any case, and from 0.001 on the multiplication is exact enough.
    if len(text) <= _SHORT and "e" not in text and (value >= _SMALL or value <= -_SMALL):
        return text
    return _by_17_digits([value])[0]


def _by_17_digits(values: Sequence[float]) -> list[str]:
    written = []
    for value in values:  # one loop and no calls: each costs as much as the arithmetic
        fraction, exponent = frexp(value)
        multiplier, shift, power = _SCALES[exponent]
        number = (int(abs(fraction) * _TWO_53) * multiplier >> shift) + 1 >> 1
        digits = str(number)
        point = len(digits) - power
        if len(digits) > _KEPT:
            if len(digits) > _KEPT + 1 or power <= 0 or (run := digits[13:16]) == "000" or run[1:] == "99":
                digits, point = _rounded(abs(value), digits, point)
            elif digits[_KEPT] < "5":
                digits = digits[:_KEPT]
            else:
                digits = str(number // 10 + 1)
                point += len(digits) - _KEPT
        text = f"0.{digits.rstrip('0')}" if point == 0 and value else _laid_out(digits.rstrip("0"), point)
        written.append(text if value >= 0 else f"-{text}")
    return written


class _Scales(dict[int, tuple[int, int, int]]):
    """For doubles below 2**exponent, what makes twice an integer of 18 digits of their 53 bits, and its power of ten.

    Multiply, shift; the last bit is for rounding.
    """

    def __missing__(self, exponent: int) -> tuple[int, int, int]:
        power = 17 - ((exponent - 1) * 78913 >> 18)  # log10(2)
        multiplier, shift = _power_of_ten(power)
        self[exponent] = multiplier, 52 - exponent - shift, power
        return self[exponent]


_SCALES = _Scales()


def _power_of_ten(power: int) -> tuple[int, int]:
    """Give the first 64 bits of 10**power, cut off, and the exponent of two that belongs to them."""
    if power >= 0:
        whole = 10**power
        shift = whole.bit_length() - 64
        return (whole >> shift if shift >= 0 else whole << -shift), shift
    divisor = 10**-power
    bits = divisor.bit_length() + 64
    quotient = (1 << bits) // divisor
    shift = quotient.bit_length() - 64
    return quotient >> shift, shift - bits


def _rounded(value: float, digits: str, point: int) -> tuple[str, int]:
    """Give 17 digits, or those before a run of 9s or 0s if they are `value` exactly; and where the point stands."""
    keep = _KEPT
    if digits[14:16] == "99":
        head = digits[:14].rstrip("9")
        if float(f"{int(head or '0') + 1}e{point - len(head)}") == value:
            keep = len(head) + 1
    elif digits[13:16] == "000" or point >= len(digits):
        head = digits[:13].rstrip("0")
        if float(f"{head}e{point - len(head)}") == value:
            keep = len(head) + 1
    if digits[keep] < "5":
        return digits[:keep], point
    up = str(int(digits[:keep]) + 1)
    return up, point + len(up) - keep


def _laid_out(digits: str, point: int) -> str:
    if not digits:
        return "0.0"
    if point not in _FIXED:
        return f"{digits[0]}.{digits[1:] or '0'}e{point - 1:+03}"
    if point <= 0:
        return f"0.{'0' * -point}{digits}"
    return f"{digits[:point]:0<{point}}.{digits[point:] or '0'}"


_SPELLERS: dict[FloatSpelling, Spell] = {
    "python": float.__repr__,
    "sqlite": sqlite_float,
    "postgresql": postgresql_float,
}
