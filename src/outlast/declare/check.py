"""Tries every definition before anybody else does: `outlast check`.

Each is called with sample parameters, without and with what is optional, for an owner who doesn't exist; his id must
then be among the values that the statement binds. That finds the forgotten condition. It proves neither that the
condition is the right one, nor anything about branches that the samples don't reach.

An iterable isn't read: a generator's code doesn't even begin before that, and reading might be slow or send something
somewhere. So nothing is known of its owner and columns before it runs, and the report says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Dialect, TextClause, make_url, select, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.sql import visitors
from sqlalchemy.sql.elements import BindParameter

from outlast.declare.definition import Definition, Rows
from outlast.declare.samples import sample_owners, sample_parameters
from outlast.errors import FailureCode
from outlast.extract import Statement, classify, difference, is_iterable, is_statement, select_names, snapshot
from outlast.model import Owner

_TELLING_CHARACTERS = 6
"""A shorter id may be part of some other text by chance."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about an export: something wrong, or something that could not be verified."""

    export: str
    wrong: bool
    message: str


def check(definitions: Iterable[Definition]) -> list[Finding]:
    """Try every definition; its sources are read where that is needed and possible, and nothing is written."""
    return [finding for definition in definitions for finding in dict.fromkeys(_Check(definition).findings())]


class _Check:
    """The check of one definition."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition

    def findings(self) -> Iterator[Finding]:
        samples, missing = sample_parameters(self._definition)
        if missing is not None:
            yield self._unverified(f"not tried with all parameters: {missing}")
        with ExitStack() as opened:
            connection = None
            if self._definition.connection_argument is not None and self._definition.source is not None:
                try:
                    connection, _ = opened.enter_context(snapshot(self._definition.source))
                except Exception as error:  # noqa: BLE001 - whatever a driver or the user's function may raise
                    yield self._unverified(f"not tried, for its source can't be opened: {classify(error).detail}")
                    return
            yield from self._try(samples, connection)

    def _try(self, samples: Iterable[Mapping[str, Any]], connection: Connection | None) -> Iterator[Finding]:
        for sample in samples:
            try:
                owner, rows = self._call(json.dumps(sample), connection)
            except Exception as error:  # noqa: BLE001 - whatever the export's code may raise
                owners = " and ".join(map(repr, sample_owners(self._definition)))
                yield self._wrong(
                    f"it raises for the owner {owners} ({classify(error).detail}); "
                    "if his id must look otherwise, give one: sample_owner="
                )
                return
            yield from self._judge(owner, rows)

    def _call(self, parameters_json: str, connection: Connection | None) -> tuple[str, Rows]:
        """Call the definition for the first of the sample owners that it takes."""
        *others, last = sample_owners(self._definition)
        for owner in others:
            try:
                return owner, self._definition.rows_of(Owner(owner), parameters_json, connection)
            except Exception:  # noqa: BLE001, S112 - the next one may be of the kind that it wants
                continue
        return last, self._definition.rows_of(Owner(last), parameters_json, connection)

    def _judge(self, owner: str, rows: object) -> Iterator[Finding]:
        if is_statement(rows):
            yield from self._judge_statement(owner, rows)
        elif is_iterable(rows):
            yield self._unverified("it yields rows itself: owner and columns can't be verified before it runs")
        else:
            yield self._wrong(f"it returns a {type(rows).__name__}, neither a select nor an iterable of rows")

    def _judge_statement(self, owner: str, statement: Statement) -> Iterator[Finding]:
        if self._definition.source is None:
            yield self._wrong("it selects, but has no source to select from: source=")
        if self._definition.owner_scoped and not _mentions(_bound(statement, self._dialect()), _spellings(owner)):
            yield self._wrong("the owner's id is not among the values that its statement binds: whose rows are these?")
        if isinstance(statement, TextClause):
            yield from self._judge_sql(statement)
        else:
            yield from self._compare(select_names(statement))

    def _judge_sql(self, statement: TextClause) -> Iterator[Finding]:
        """Ask the database for the columns of SQL, without asking for rows."""
        if self._definition.source is None:
            return
        nothing = select(text("*")).select_from(statement.columns().subquery("export")).limit(0)
        try:
            with (
                snapshot(self._definition.source) as (connection, _),
                closing(connection.execute(nothing)) as result,
            ):
                names = tuple(result.keys())
        except DBAPIError as error:
            failure = classify(error)
            if failure.code is not FailureCode.TEMPORARILY_UNAVAILABLE:
                # Nothing was bound but samples, so the database's own words tell nothing about anybody.
                yield self._wrong(f"the database refuses its SQL: {error.orig}")
            else:
                yield self._unverified(f"columns not verified, for its source can't be read: {failure.detail}")
        except Exception as error:  # noqa: BLE001 - whatever a driver or the user's function may raise
            yield self._unverified(f"columns not verified, for its source can't be opened: {classify(error).detail}")
        else:
            yield from self._compare(names)

    def _compare(self, names: Iterable[str]) -> Iterator[Finding]:
        problem = difference(self._definition.columns, names)
        if problem:
            yield self._wrong(f"its result's columns are not the declared ones: {problem}")

    def _dialect(self) -> Dialect | None:
        """Give the dialect of the source, if its URL says which; constructs of one database compile for no other."""
        source = self._definition.source
        if not isinstance(source, str) or "://" not in source:
            return None
        dialect: type[Dialect] = make_url(source).get_dialect()
        return dialect()

    def _wrong(self, message: str) -> Finding:
        return Finding(self._definition.name, wrong=True, message=message)

    def _unverified(self, message: str) -> Finding:
        return Finding(self._definition.name, wrong=False, message=message)


def _bound(statement: Statement, dialect: Dialect | None) -> list[Any]:
    """Give the values that a statement binds."""
    try:
        return list(statement.compile(dialect=dialect).params.values())
    except SQLAlchemyError:
        return [part.effective_value for part in visitors.iterate(statement) if isinstance(part, BindParameter)]


def _spellings(owner: str) -> set[Any]:
    """Give all the values that mean this owner."""
    spellings: set[Any] = {owner, owner.encode()}
    if re.fullmatch("-?[0-9]+", owner):
        spellings.add(int(owner))
    try:
        number = UUID(owner)
    except ValueError:
        return spellings
    return spellings | {number, number.hex, number.bytes}


def _mentions(value: object, spellings: set[Any]) -> bool:
    """Whether a bound value means the owner, or holds one that does (as IN's do), or is text about him ("user:…")."""
    if isinstance(value, list | tuple | set | frozenset):
        return any(_mentions(item, spellings) for item in value)
    if isinstance(value, dict):
        return _mentions(list(value.values()), spellings)
    if any(type(value) is type(spelling) and value == spelling for spelling in spellings):
        return True
    texts = (spelling for spelling in spellings if isinstance(spelling, str) and len(spelling) >= _TELLING_CHARACTERS)
    return isinstance(value, str) and any(spelling in value for spelling in texts)
