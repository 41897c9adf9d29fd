"""Triggers and indexes: as they are wanted, and as either database tells what exists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["index", "trigger"]


class Definition(NamedTuple):
    """An index or trigger that exists: its table, and the SQL that made it."""

    table: str
    sql: str


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger in words that both databases know: when it fires, on what, under which condition, and what it does.

    Tables in its condition and statement have an `@` before their names. `IS NOT` compares where there may be a NULL.
    """

    name: str
    moment: str
    table: str
    condition: str | None
    refusal: str | None = None
    statement: str | None = None
