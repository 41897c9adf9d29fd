"""Writes `expected/`: `python -m tests.corpus.write`, after a table, a case or a promise has changed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.corpus.expected import EXPECTED, contents
from tests.corpus.exporting import Database, postgresql_database, reading_by_apsw, sqlite_database
from tests.support.postgres import fresh_database, serving


@contextmanager
def _databases() -> Iterator[list[Database]]:
    with TemporaryDirectory() as folder, serving(fsync=False) as server, fresh_database(server.url) as url:
        yield [sqlite_database(Path(folder, "corpus.db")), postgresql_database(url)]


if __name__ == "__main__":
    with _databases() as databases, reading_by_apsw():
        for database in databases:
            shutil.rmtree(EXPECTED / database.name, ignore_errors=True)
            (EXPECTED / database.name).mkdir(parents=True)
            for path, content in contents(database):
                (EXPECTED / path).write_bytes(content)
