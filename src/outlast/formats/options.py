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
    """How an export's files are written, and what becomes of values that a format or a column can't carry.

    Raises ValidationError for options that contradict one another.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    unencodable: Unencodable = Field(
        "fail",
        description="What a format can't carry (bytes that are not UTF-8, characters that XML forbids, text too long "
        "for a cell, a value of an unknown type): fail; replace it; or write text as its bytes in hex.",
    )
    mismatch: Literal["fail", "text", "cast"] = Field(
        "fail",
        description="A value that doesn't fit its column's declared type, as SQLite allows: fail; keep it as text; or "
        "cast it where nothing is lost by that, else keep it as text.",
    )
    non_finite: Literal["fail", "text", "null"] = Field(
        "fail", description="NaN and infinities where a format has none (JSON, XLSX): fail; their names as text; null."
    )
    formulas: Literal["guard", "keep"] | None = Field(
        None,
        description="Text that a spreadsheet would run as a formula: guard it with an apostrophe, or keep it exactly. "
        "Unless said, it is guarded in CSV of the dialect `excel`, and kept everywhere else.",
    )
    time_zone: str | None = Field(
        None, description="The zone in which instants are written, like `Europe/Berlin`; UTC unless said."
    )
    binary: Literal["hex", "base64"] = Field("hex", description="How bytes are spelled where a format has only text.")
    json_numbers: Literal["exact", "text"] = Field(
        "exact",
        description="`text` writes integers past 2^53 and decimals past 15 digits as strings, for readers that round.",
    )
    csv_dialect: Literal["rfc4180", "excel"] = Field(
        "rfc4180", description="`excel` begins with a BOM, ends records in CRLF, and guards formulas."
    )
    csv_quoting: Literal["all", "minimal"] = Field(
        "all", description="Whether every text value is quoted, or only those that must be."
    )
    csv_delimiter: Literal[",", ";", "\t", "|"] = Field(",", description="What stands between two fields.")
    csv_decimal_mark: Literal[".", ","] = Field(".", description="What stands before a number's fraction.")
    sheet_overflow: Literal["fail", "split"] = Field(
        "split", description="Rows past a sheet's 1,048,576: fail, or go on in a further sheet."
    )
    part_rows: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Split the result into parts of so many rows, in one ZIP with a manifest."
    )
    part_bytes: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Split the result into parts of about so many bytes, in one ZIP with a manifest."
    )

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
