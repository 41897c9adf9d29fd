"""Reads SQLite by apsw, behind the interface of PEP 249 as far as SQLAlchemy's dialect needs it: in children alone.

The only module that imports apsw. Its errors are the standard library's, with SQLite's codes, so that whoever judges
them need not know the driver.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from typing import Any, Final

import apsw

from outlast.extract import sqlite_driver
from outlast.extract.sqlite_text import packed, unpacked

apilevel: Final = "2.0"
threadsafety: Final = 1
paramstyle: Final = "qmark"
sqlite_version_info: Final = tuple(map(int, apsw.sqlite_lib_version().split(".")))
Warning = sqlite3.Warning  # noqa: A001 - PEP 249 calls it so
Error = sqlite3.Error
InterfaceError = sqlite3.InterfaceError
DatabaseError = sqlite3.DatabaseError
DataError = sqlite3.DataError
OperationalError = sqlite3.OperationalError
IntegrityError = sqlite3.IntegrityError
InternalError = sqlite3.InternalError
ProgrammingError = sqlite3.ProgrammingError
NotSupportedError = sqlite3.NotSupportedError

_FETCHED_ROWS = 500
_CLASSES: dict[int, type[sqlite3.Error]] = {
    **dict.fromkeys(
        (
            apsw.SQLITE_ERROR, apsw.SQLITE_PERM, apsw.SQLITE_ABORT, apsw.SQLITE_BUSY, apsw.SQLITE_LOCKED,
            apsw.SQLITE_READONLY, apsw.SQLITE_INTERRUPT, apsw.SQLITE_IOERR, apsw.SQLITE_FULL, apsw.SQLITE_CANTOPEN,
            apsw.SQLITE_PROTOCOL, apsw.SQLITE_EMPTY, apsw.SQLITE_SCHEMA,
        ),
        sqlite3.OperationalError,
    ),
    apsw.SQLITE_INTERNAL: sqlite3.InternalError,
    apsw.SQLITE_NOTFOUND: sqlite3.InternalError,
    apsw.SQLITE_TOOBIG: sqlite3.DataError,
    apsw.SQLITE_CONSTRAINT: sqlite3.IntegrityError,
    apsw.SQLITE_MISMATCH: sqlite3.IntegrityError,
    apsw.SQLITE_MISUSE: sqlite3.InterfaceError,
    apsw.SQLITE_RANGE: sqlite3.InterfaceError,
}  # fmt: skip
"""By the primary result code, as the standard library has it; the others are DatabaseErrors."""


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise _translation(error) from error


def _translation(error: apsw.Error) -> Exception:
    code = getattr(error, "extendedresult", None)
    if not isinstance(code, int):  # apsw's own: wrong bindings, a closed cursor
        return sqlite3.ProgrammingError(str(error))
    if code & 0xFF == apsw.SQLITE_NOMEM:
        return MemoryError()
    translated = _CLASSES.get(code & 0xFF, sqlite3.DatabaseError)(str(error))
    name = apsw.mapping_extended_result_codes.get(code) or apsw.mapping_result_codes.get(code)
    translated.sqlite_errorcode = code
    translated.sqlite_errorname = str(name)
    return translated


_LOOK = "SELECT 1 FROM sqlite_master LIMIT 1"


class Cursor:
    """One statement being read."""

    def __init__(self, raw: apsw.Connection) -> None:
        """Read by a cursor of that connection."""
        self._raw = raw
        self._cursor = raw.cursor()
        self._cursor.exec_trace = self._started
        self._statement: tuple[str, Sequence[Any]] = ("", ())
        self._rows: Iterator[Any] = iter(self._cursor)
        self._taken = 0
        self.description: tuple[tuple[Any, ...], ...] | None = None
        self.arraysize = 1
        self.rowcount = -1
        self.lastrowid = None

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Cursor:
        """Start to read."""
        self._statement = (sql, parameters)
        self.description, self._taken = None, 0
        with _translated():
            try:
                self._rows = iter(self._cursor.execute(sql, parameters))
            except UnicodeDecodeError as error:
                self._rows = self._again(error)
        return self

    def executemany(self, sql: str, parameters: Sequence[Sequence[Any]]) -> Cursor:
        """Run a statement once for each of the parameters."""
        with _translated():
            self._rows = iter(self._cursor.executemany(sql, parameters))
        return self

    def fetchone(self) -> Any:  # noqa: ANN401 - a row, or None
        """Give the next row, None behind the last."""
        rows = self.fetchmany(1)
        return rows[0] if rows else None

    def fetchmany(self, size: int | None = None) -> list[Any]:
        """Give the next rows; fewer than `size` only at the end."""
        size = size or self.arraysize
        rows: list[Any] = []
        with _translated():
            try:
                rows.extend(islice(self._rows, size))
            except UnicodeDecodeError as error:  # of the row behind those that are in the list already
                self._rows = self._again(error, len(rows))
                rows.extend(islice(self._rows, size - len(rows)))
        self._taken += len(rows)
        return rows

    def fetchall(self) -> list[Any]:
        """Give all remaining rows."""
        rows: list[Any] = []
        while found := self.fetchmany(_FETCHED_ROWS):
            rows += found
        return rows

    def close(self) -> None:
        """Read no more."""
        self._rows = iter(())
        self._cursor.close(True)  # noqa: FBT003 - apsw has it so

    def _started(self, cursor: apsw.Cursor, _: str, __: object) -> bool:
        """Keep the columns' names: apsw forgets them with the last row, and has none if there is none."""
        found = cursor.get_description()
        self.description = tuple((name, None, None, None, None, None, None) for name, _ in found) or None
        return True

    def _again(self, error: UnicodeDecodeError, more: int = 0) -> Iterator[tuple[Any, ...]]:
        """Read on from the row that holds text which is not UTF-8, in a form that carries it.

        apsw drops such a row. In one snapshot the same statement gives the same rows; that is tried on this one.
        """
        width, (sql, parameters) = len(self.description or ()), self._statement
        self._cursor.close(True)  # noqa: FBT003 - apsw has it so
        self._cursor = self._raw.cursor()
        names = [f"c{at}" for at in range(width)]
        inner = f"WITH s({','.join(names)}) AS ({sql}\n) SELECT * FROM s LIMIT -1 OFFSET {self._taken + more}"  # noqa: S608 - the statement is the export's
        # SQLite doesn't merge what has a LIMIT into what has a condition, which would compute random() twice.
        whole = f"SELECT {packed(names)} FROM ({inner}) WHERE random() IS NOT NULL"  # noqa: S608 - as above
        rows = (tuple(unpacked(row)) for (row,) in self._cursor.execute(whole, parameters))
        first = next(rows, ())
        wrong = bytes(error.object)
        if not any(isinstance(value, str) and value.encode("utf-8", "surrogateescape") == wrong for value in first):
            raise sqlite3.DataError("a row holds text that is not UTF-8, and is another when it is read again")
        yield first
        yield from rows


def _opened(address: str) -> apsw.Connection:
    raw = apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    raw.set_busy_timeout(round(sqlite_driver.BUSY_SECONDS * 1000))
    raw.execute("PRAGMA query_only = ON")
    raw.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)  # attaching a file that isn't there makes one
    return raw


def _version(raw: apsw.Connection) -> int | None:
    """Take a look at the file, and give the version that was seen; None if a lock forbids it."""
    try:
        raw.execute(_LOOK).fetchall()
        return int(raw.pragma("data_version"))
    except apsw.BusyError:
        return None


class Connection:
    """A file opened for reading; `raw` is apsw's own connection, `twin` another one in the same snapshot, if any."""

    isolation_level: str | None = None

    def __init__(self, address: str) -> None:
        """Open the file of a `file:` URI."""
        self._address = address
        self.twin: apsw.Connection | None = None
        with _translated():
            self.raw = _opened(address)

    def fix_snapshot(self) -> None:
        """Take the snapshot of the transaction that was begun, and let a twin take the same.

        There is none if somebody commits meanwhile, or if it would have to wait for a lock. A connection's data_version
        tells whether others have committed since it last looked (https://sqlite.org/pragma.html#pragma_data_version):
        here since before our snapshot.
        """
        with _translated():
            twin = _opened(self._address)
            twin.set_busy_timeout(0)
            before = _version(twin)
            self.raw.execute(_LOOK).fetchall()
            twin.execute("BEGIN")
            if before is not None and _version(twin) == before:
                self.twin = twin
            else:
                twin.close()

    @property
    def in_transaction(self) -> bool:
        """Whether one was begun."""
        return not self.raw.get_autocommit()

    def cursor(self) -> Cursor:
        """Make a cursor."""
        return Cursor(self.raw)

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Cursor:
        """Start to read with a cursor of its own."""
        return self.cursor().execute(sql, parameters)

    def names(self, sql: str, parameters: Sequence[Any]) -> tuple[str, ...]:
        """Give the names of a statement's columns without running it."""
        found: list[str] = []

        def stop(cursor: apsw.Cursor, _: str, __: object) -> bool:
            found.extend(name for name, _ in cursor.get_description())
            return False

        cursor = self.raw.cursor()
        cursor.exec_trace = stop
        with _translated():
            try:
                cursor.execute(sql, parameters)
            except apsw.ExecTraceAbort:
                return tuple(found)
            finally:
                cursor.close(True)  # noqa: FBT003 - apsw has it so
        return tuple(found)

    def translating(self) -> AbstractContextManager[None]:
        """Give what turns apsw's errors into the standard library's, for those who use `raw`."""
        return _translated()

    def commit(self) -> None:
        """End the transaction, if there is one."""
        self._end("COMMIT")

    def rollback(self) -> None:
        """End the transaction, if there is one."""
        self._end("ROLLBACK")

    def close(self) -> None:
        """Let the file go."""
        with _translated():
            if self.twin is not None:
                self.twin.close(True)  # noqa: FBT003 - apsw has it so
            self.raw.close(True)  # noqa: FBT003 - apsw has it so

    def create_function(
        self, name: str, arguments: int, function: Callable[..., Any], *, deterministic: bool = False
    ) -> None:
        """Let SQL call a Python function."""
        self.raw.create_scalar_function(name, function, arguments, deterministic=deterministic)

    def set_progress_handler(self, handler: Callable[[], bool] | None, steps: int) -> None:
        """Call `handler` every so many steps of SQLite's machine; its True ends the statement."""
        self.raw.set_progress_handler(handler, steps)

    def _end(self, sql: str) -> None:
        if self.in_transaction:
            with _translated():
                self.raw.execute(sql)


def without_statistics() -> None:
    """Let SQLite keep no account of its memory: its lock is held for every piece, and two threads wait for each other.

    To be called before any connection is opened (https://sqlite.org/c3ref/c_config_covering_index_scan.html).
    """
    apsw.shutdown()
    apsw.config(apsw.SQLITE_CONFIG_MEMSTATUS, False)  # noqa: FBT003 - apsw has it so
    apsw.initialize()


APSW = sqlite_driver.Driver(sys.modules[__name__], Connection)
