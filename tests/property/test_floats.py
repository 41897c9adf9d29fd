"""Floats as their sources spell them: asked of SQLite and PostgreSQL themselves."""

import math
import struct
from collections.abc import Sequence

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, text

from outlast.formats import FloatSpelling
from outlast.formats.floats import spell_float, spell_floats

EDGES = [0.0, 0.1, 0.1 + 0.2, 1 / 3, 100.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e15 + 0.5]
EDGES += [float(f"{digits}e{power}") for digits in ("1", "9.5", "9.99999999999999") for power in range(-308, 308)]
EDGES += [near for power in range(-1074, 1023) for near in (2.0**power, math.nextafter(2.0**power, 0.0))]
BITS = st.binary(min_size=8, max_size=8).map(lambda data: struct.unpack("<d", data)[0]).filter(math.isfinite)
FLOATS = st.lists(
    BITS
    | st.floats(0, 1)
    | st.integers(-(10**18), 10**18).map(float)
    | st.integers(-(10**9), 10**9).map(lambda cents: cents / 100),
    min_size=1,
    max_size=400,
)


def in_sqlite(values: Sequence[float]) -> list[str]:
    memory = apsw.Connection(":memory:")
    return [str(memory.execute("SELECT CAST(? AS TEXT)", (value,)).get) for value in values]


@given(FLOATS)
def test_sqlite_spells_alike(values: list[float]) -> None:
    assert spell_floats(values, "sqlite") == in_sqlite(values)


def test_sqlite_spells_the_edges_alike() -> None:
    assert [spell_float(value, "sqlite") for value in EDGES] == in_sqlite(EDGES)


def test_postgresql_spells_alike(postgresql_url: str) -> None:
    engine = create_engine(postgresql_url)
    with engine.connect() as connection:

        def in_postgresql(values: Sequence[float]) -> list[str]:
            query = text("SELECT x::text FROM unnest(CAST(:values AS float8[])) WITH ORDINALITY AS t (x, n) ORDER BY n")
            return list(connection.scalars(query, {"values": list(values)}))

        @given(FLOATS)
        def alike(values: list[float]) -> None:
            assert spell_floats(values, "postgresql") == in_postgresql(values)

        alike()
        edges = [*EDGES, *(-value for value in EDGES)]
        assert [spell_float(value, "postgresql") for value in edges] == in_postgresql(edges)
    engine.dispose()


@pytest.mark.parametrize("spelling", ["python", "sqlite", "postgresql"])
@given(FLOATS)
def test_every_spelling_reads_back_and_many_are_spelled_as_each(spelling: FloatSpelling, values: list[float]) -> None:
    texts = spell_floats(values, spelling)

    assert list(map(float, texts)) == values
    assert texts == [spell_float(value, spelling) for value in values]
