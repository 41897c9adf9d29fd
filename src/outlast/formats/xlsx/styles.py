"""How cells look: each style's name, and what XlsxWriter is told of it."""

from __future__ import annotations

from typing import Any

from outlast.formats.shape import Kind, Shape

HEADER = "header"
INTEGER = "integer"
DATE = "date"
SECONDS = "seconds"
FRACTION = "fraction"
TIME = "time"
TIME_FRACTION = "time_fraction"

_BASE: dict[str, dict[str, Any]] = {
    HEADER: {"bold": True},
    INTEGER: {"num_format": "0"},  # without it, long ones are shown with an exponent
    DATE: {"num_format": "yyyy-mm-dd"},
    SECONDS: {"num_format": "yyyy-mm-dd hh:mm:ss"},
    FRACTION: {"num_format": "yyyy-mm-dd hh:mm:ss.000"},
    TIME: {"num_format": "hh:mm:ss"},
    TIME_FRACTION: {"num_format": "hh:mm:ss.000"},
}
_MOST_PLACES = 15


def scale_style(places: int | None) -> str | None:
    """Give the style's name of a decimal with that many declared places; None if it needs none."""
    return f"scale_{places}" if places is not None and 0 < places <= _MOST_PLACES else None


def styles_of(shape: Shape) -> dict[str, dict[str, Any]]:
    """Give all styles that rows of that shape may need."""
    scales = {
        name: {"num_format": f"0.{'0' * (column.scale or 0)}"}
        for column in shape.columns
        if column.kind is Kind.DECIMAL and (name := scale_style(column.scale))
    }
    return _BASE | scales
