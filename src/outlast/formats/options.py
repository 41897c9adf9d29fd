"""What an export may say about how its files are written: one model for Python, `outlast.toml` and the manifest."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

Unencodable: TypeAlias = Literal["fail", "replace", "hex"]
"""What becomes of a value that a format can't carry: the export fails; it is replaced; text becomes its bytes in hex.

Where hex has no meaning (a value of an unknown type) it replaces. Whatever was changed is counted in the result.
"""


class FileOptions(BaseModel):
    """How files are written, and what becomes of values that a format or a column can't carry.

    unencodable    bytes that are not UTF-8, characters that XML forbids, cells that are too long, unknown types
    mismatch       a value that doesn't fit its column's declared type: fail, keep it as text, or cast it
    non_finite     NaN and infinities where a format has none (JSON, XLSX): fail, their names as text, or null
    formulas       text that a spreadsheet would run: `guard` puts an apostrophe before it; None guards in CSV `excel`
    time_zone      IANA name of the zone in which instants are written; None is UTC
    binary         how bytes are spelled in text formats
    json_numbers   `text` writes integers past 2^53 and decimals as strings
    sheet_overflow rows past a sheet's 1,048,576: fail, or go on in a further sheet
    part_rows, part_bytes  split the result into parts of at most so many rows, or about so many bytes, in one ZIP
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    unencodable: Unencodable = "fail"
    mismatch: Literal["fail", "text", "cast"] = "fail"
    non_finite: Literal["fail", "text", "null"] = "fail"
    formulas: Literal["guard", "keep"] | None = None
    time_zone: str | None = None
    binary: Literal["hex", "base64"] = "hex"
    json_numbers: Literal["exact", "text"] = "exact"
    csv_dialect: Literal["rfc4180", "excel"] = "rfc4180"
    csv_quoting: Literal["all", "minimal"] = "all"
    csv_delimiter: Literal[",", ";", "\t", "|"] = ","
    csv_decimal_mark: Literal[".", ","] = "."
    sheet_overflow: Literal["fail", "split"] = "split"
    part_rows: Annotated[int, Field(ge=1)] | None = None
    part_bytes: Annotated[int, Field(ge=1)] | None = None

    @property
    def parted(self) -> bool:
        """Whether the result is a ZIP of parts."""
        return self.part_rows is not None or self.part_bytes is not None

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, name: str | None) -> str | None:
        if name is not None:
            try:
                ZoneInfo(name)
            except (ZoneInfoNotFoundError, ValueError, OSError):
                raise ValueError("it is not the name of a time zone, like Europe/Berlin") from None
        return name

    @model_validator(mode="after")
    def _told_apart(self) -> Self:
        if self.csv_decimal_mark == self.csv_delimiter:
            raise ValueError("csv_decimal_mark and csv_delimiter are the same: numbers would fall apart")
        return self
