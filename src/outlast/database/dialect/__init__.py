"""What SQLite and PostgreSQL really do differently, and nothing else. No module outside asks which database it is.

functions.py  times, and functions that each spells in its own way
sqlite.py     SQLite's engines, errors and catalogue
signal.py     noticing that somebody has committed
"""

from outlast.database.dialect.functions import (
    Instant,
    among,
    greatest,
    insert_or_ignore,
    items,
    later,
    least,
    member,
    now,
    records,
    seconds_since,
    unindexed,
)
from outlast.database.dialect.signal import ChangeSignal
from outlast.database.dialect.sqlite import (
    BUSY_WAIT_SECONDS,
    DRIVER_ERRORS,
    OLDEST_SQLITE,
    Definition,
    Kind,
    allow_rebuilds,
    broken_references,
    create_read_engine,
    create_write_engine,
    definitions,
    file_sizes,
    is_busy,
    is_full,
    is_operational,
    parse_url,
    sqlite_path,
    transaction_exists,
)

__all__ = [
    "BUSY_WAIT_SECONDS",
    "DRIVER_ERRORS",
    "OLDEST_SQLITE",
    "ChangeSignal",
    "Definition",
    "Instant",
    "Kind",
    "allow_rebuilds",
    "among",
    "broken_references",
    "create_read_engine",
    "create_write_engine",
    "definitions",
    "file_sizes",
    "greatest",
    "insert_or_ignore",
    "is_busy",
    "is_full",
    "is_operational",
    "items",
    "later",
    "least",
    "member",
    "now",
    "parse_url",
    "records",
    "seconds_since",
    "sqlite_path",
    "transaction_exists",
    "unindexed",
]
