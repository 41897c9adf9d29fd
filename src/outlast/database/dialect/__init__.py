"""What SQLite and PostgreSQL really do differently, and nothing else. No module outside asks which database it is.

functions.py   times, and functions that each spells in its own way
backend.py     which of the two it is: engines, errors, catalogue
sqlite.py, postgresql.py   what backend.py chooses between
objects.py     triggers and indexes, wanted and found
signal.py      noticing that somebody has committed
"""

from outlast.database.dialect.backend import (
    broken_references,
    changing_schema,
    create_read_engine,
    create_write_engine,
    definitions,
    driver_errors,
    drop_trigger_ddl,
    is_busy,
    is_full,
    is_operational,
    is_read_only,
    locked_file,
    locks_rows,
    missing_checks,
    parse_url,
    sizes,
    transaction_exists,
    trigger_ddl,
)
from outlast.database.dialect.functions import (
    Instant,
    among,
    free_turn_lock,
    greatest,
    insert_or_ignore,
    items,
    later,
    least,
    member,
    now,
    records,
    schema_of,
    seconds_since,
    turn_lock,
    unindexed,
)
from outlast.database.dialect.objects import Definition, Kind, Trigger
from outlast.database.dialect.signal import ChangeSignal, change_signal
from outlast.database.dialect.sqlite import BUSY_WAIT_SECONDS, OLDEST_SQLITE, sqlite_path

__all__ = [
    "BUSY_WAIT_SECONDS",
    "OLDEST_SQLITE",
    "ChangeSignal",
    "Definition",
    "Instant",
    "Kind",
    "Trigger",
    "among",
    "broken_references",
    "change_signal",
    "changing_schema",
    "create_read_engine",
    "create_write_engine",
    "definitions",
    "driver_errors",
    "drop_trigger_ddl",
    "free_turn_lock",
    "greatest",
    "insert_or_ignore",
    "is_busy",
    "is_full",
    "is_operational",
    "is_read_only",
    "items",
    "later",
    "least",
    "locked_file",
    "locks_rows",
    "member",
    "missing_checks",
    "now",
    "parse_url",
    "records",
    "schema_of",
    "seconds_since",
    "sizes",
    "sqlite_path",
    "transaction_exists",
    "trigger_ddl",
    "turn_lock",
    "unindexed",
]
