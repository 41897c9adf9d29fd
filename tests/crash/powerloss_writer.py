"""What test_powerloss_harness traces: rows acknowledged after their commit, each with a result file made before it."""

import argparse
import os
import sqlite3
from pathlib import Path

ROWS = 25


def content(number: int) -> bytes:
    return f"result {number}\n".encode() * 700


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("marker_path", type=Path)
    parser.add_argument("--synchronous", default="FULL")
    parser.add_argument("--skip-file-sync", action="store_true")
    parser.add_argument("--skip-directory-sync", action="store_true")
    arguments = parser.parse_args()

    results = arguments.root / "results"
    results.mkdir()
    _sync(arguments.root)
    database = sqlite3.connect(arguments.root / "jobs.db", isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute(f"PRAGMA synchronous = {arguments.synchronous}")
    database.execute("PRAGMA wal_autocheckpoint = 40")  # so that checkpoints happen within these few rows
    database.execute("CREATE TABLE results (number INTEGER PRIMARY KEY, name TEXT NOT NULL, padding BLOB)")
    markers = os.open(arguments.marker_path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    for number in range(ROWS):
        path = results / f"{number}.csv"
        with path.open("wb") as file:
            file.write(content(number))
            file.flush()
            if not arguments.skip_file_sync:
                os.fsync(file.fileno())
        if not arguments.skip_directory_sync:
            _sync(results)
        database.execute("INSERT INTO results VALUES (?, ?, randomblob(3000))", (number, path.name))
        os.write(markers, f"{number}\n".encode())
    database.close()


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(descriptor)
    os.close(descriptor)


if __name__ == "__main__":
    main()
