"""Instants and intervals in CSV are spelled as PostgreSQL spells them: asked of PostgreSQL itself."""

from datetime import UTC, datetime, timedelta
from typing import cast
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, create_engine, text

from outlast.formats.times import duration, spell_instant

INTERVALS = st.timedeltas(timedelta(days=-4000), timedelta(days=4000)) | st.sampled_from(
    [timedelta(0), timedelta(seconds=-1), timedelta(days=1, seconds=3600), timedelta(microseconds=-5)]
)
INSTANTS = st.datetimes(datetime(1970, 1, 2), datetime(2037, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
ZONES = ("UTC", "Asia/Kolkata", "America/St_Johns")


def answer(connection: Connection, query: str, value: str) -> str:
    return cast("str", connection.scalar(text(query), {"value": value}))


def test_postgresql_spells_times_alike(postgresql_url: str) -> None:
    engine = create_engine(postgresql_url)
    with engine.connect() as connection:
        connection.execute(text("SET intervalstyle = 'iso_8601'"))

        @given(INTERVALS)
        def intervals(value: timedelta) -> None:
            sign, size = ("-", -value) if value < timedelta(0) else ("", value)
            stored = f"{sign}{size.days} days {sign}{size.seconds}.{size.microseconds:06} seconds"
            assert duration(value) == answer(connection, "SELECT CAST(CAST(:value AS interval) AS text)", stored)

        @given(INSTANTS)
        def instants(value: datetime) -> None:
            found = answer(connection, "SELECT CAST(CAST(:value AS timestamptz) AS text)", value.isoformat())
            assert spell_instant(value, zone, "sql") == found

        intervals()
        for name in ZONES:
            connection.execute(text(f"SET timezone = '{name}'"))
            zone = UTC if name == "UTC" else ZoneInfo(name)
            instants()
    engine.dispose()
