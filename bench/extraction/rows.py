"""Seeded rows, the same in every run, into SQLite (STRICT and as people declare tables) and PostgreSQL."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

from bench.extraction.tables import LABELS

SEED = 20_260_301
BATCH_ROWS = 10_000
_NAMES = ("Ana Müller", "Li Wei 李伟", "O'Brien, Pat", "Søren Kjær", "Zoë Ngũgĩ", "Max Mustermann", "Iris Novák")
_WORDS = ("ledger", "quiet", "harbour", "seven", "amber", "window", "copper", "meadow", "signal", "winter", "paper")
_BODY_CHARACTERS = 70
_DAY_ZERO = date(1940, 1, 1)
_TIME_ZERO = datetime(2024, 1, 1, tzinfo=UTC)

_STRICT = """CREATE TABLE people (id INTEGER PRIMARY KEY, uid TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL,
    body TEXT NOT NULL, amount REAL NOT NULL, ratio REAL NOT NULL, active INTEGER NOT NULL, born TEXT NOT NULL,
    created TEXT NOT NULL, note TEXT) STRICT"""
_GUARDED = """CREATE TABLE people (id INTEGER PRIMARY KEY, uid VARCHAR(36) NOT NULL, name TEXT NOT NULL,
    email TEXT NOT NULL, body TEXT NOT NULL, amount DOUBLE NOT NULL, ratio DOUBLE NOT NULL, active BOOLEAN NOT NULL,
    born DATE NOT NULL, created DATETIME NOT NULL, note TEXT)"""
_POSTGRESQL = """CREATE TABLE people (id integer PRIMARY KEY, uid uuid NOT NULL, name text NOT NULL,
    email text NOT NULL, body text NOT NULL, amount numeric(12, 2) NOT NULL, ratio double precision NOT NULL,
    active boolean NOT NULL, born date NOT NULL, created timestamptz NOT NULL, note text)"""
_LABELS = "CREATE TABLE labels (id integer PRIMARY KEY, label text NOT NULL)"


class Person(NamedTuple):
    """A row."""

    id: int
    uid: UUID
    name: str
    email: str
    body: str
    cents: int
    ratio: float
    active: bool
    born: date
    created: datetime
    note: str | None


def people(count: int) -> Iterator[Person]:
    """Make rows, about 235 bytes each as CSV."""
    chance = random.Random(SEED)
    for number in range(1, count + 1):
        pick = chance.getrandbits(64)
        name = _NAMES[pick % len(_NAMES)]
        word = _WORDS[pick % len(_WORDS)]
        body = f'He said "{word} {_WORDS[(pick >> 8) % len(_WORDS)]}", then {pick} went on and on over the hill'
        yield Person(
            number, UUID(int=(pick << 64 | chance.getrandbits(64)), version=4), name, f"{word}.{number}@example.com",
            body[:_BODY_CHARACTERS].ljust(_BODY_CHARACTERS, "."), (pick >> 20) % 10_000_000, chance.random(),
            bool(pick & 1), _DAY_ZERO + timedelta((pick >> 5) % 30_000),
            _TIME_ZERO + timedelta(microseconds=(pick >> 3) % 60_000_000_000_000),
            "=1+1" if (pick >> 14) % 1000 == 0 else (None, "", "n/a", f"{word} {pick % 1000}")[(pick >> 12) % 4],
        )  # fmt: skip


def make_sqlite(directory: Path, count: int) -> tuple[Path, Path]:
    """Make both files: the table STRICT, and the same rows in one that is not."""
    strict, guarded = directory / "strict.db", directory / "guarded.db"
    with closing(sqlite3.connect(strict, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(_STRICT)
        _add_labels(connection)
        connection.execute("BEGIN")
        connection.executemany(f"INSERT INTO people VALUES ({', '.join('?' * 11)})", map(_stored, people(count)))  # noqa: S608
        connection.execute("COMMIT")
    with closing(sqlite3.connect(guarded, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(_GUARDED)
        _add_labels(connection)
        connection.execute("ATTACH ? AS strict", (str(strict),))
        connection.execute("INSERT INTO people SELECT * FROM strict.people ORDER BY id")
    return strict, guarded


def make_postgresql(url: str, count: int) -> None:
    """Fill a database: libpq's URL."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_POSTGRESQL)
        connection.execute(_LABELS)
        with connection.cursor() as cursor, cursor.copy("COPY labels FROM STDIN") as copy:
            for label in labels():
                copy.write_row(label)
        with connection.cursor() as cursor, cursor.copy("COPY people FROM STDIN") as copy:
            rows = people(count)
            while batch := list(islice(rows, BATCH_ROWS)):
                copy.write("".join(map(_line, batch)))
        connection.execute("VACUUM (ANALYZE, FREEZE)")
        connection.execute("CHECKPOINT")


def labels() -> list[tuple[int, str]]:
    """The rows of the small table."""
    return [(number, f"label {number}") for number in range(LABELS)]


def _add_labels(connection: sqlite3.Connection) -> None:
    connection.execute(_LABELS)
    connection.executemany("INSERT INTO labels VALUES (?, ?)", labels())


def _stored(person: Person) -> tuple[Any, ...]:
    """A row as SQLAlchemy stores it in SQLite."""
    return (
        person.id, str(person.uid), person.name, person.email, person.body, person.cents / 100, person.ratio,
        int(person.active), person.born.isoformat(), person.created.strftime("%Y-%m-%d %H:%M:%S.%f"), person.note,
    )  # fmt: skip


def _line(person: Person) -> str:
    """A row in COPY's text format; nothing in it needs an escape."""
    return (
        f"{person.id}\t{person.uid}\t{person.name}\t{person.email}\t{person.body}\t{person.cents / 100:.2f}\t"
        f"{person.ratio!r}\t{'t' if person.active else 'f'}\t{person.born}\t{person.created}\t"
        f"{chr(92) + 'N' if person.note is None else person.note}\n"
    )
