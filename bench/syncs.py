"""Slower and counted fsyncs, by a small library that is built with the machine's C compiler and preloaded."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("sync_shim.c")


def build(directory: Path) -> Path | None:
    """The library, or None on a machine without a C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    library = directory / "sync_shim.so"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True)
    return library


def slowed(library: Path | None, milliseconds: float) -> dict[str, str]:
    """The environment of a process whose every sync takes so much longer."""
    if not milliseconds:
        return {}
    assert library is not None
    return {"LD_PRELOAD": str(library), "SYNC_DELAY_US": str(round(milliseconds * 1000))}


def counted(library: Path | None, count_file: Path) -> dict[str, str]:
    """The environment of a process that writes into `count_file`, when it ends, how often it synced."""
    return {} if library is None else {"LD_PRELOAD": str(library), "SYNC_COUNT_FILE": str(count_file)}


def count(count_file: Path) -> int | None:
    """How often the ended processes synced; None when nobody counted."""
    return sum(map(int, count_file.read_text().split())) if count_file.exists() else None


def durability(connection: sqlite3.Connection) -> str:
    """What a connection's commits survive, in SQLite's words."""
    (journal,) = connection.execute("PRAGMA journal_mode").fetchone()
    (level,) = connection.execute("PRAGMA synchronous").fetchone()
    return f"{journal}, synchronous={('OFF', 'NORMAL', 'FULL', 'EXTRA')[level]}"
