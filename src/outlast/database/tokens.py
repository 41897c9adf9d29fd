"""Bearer tokens of the built-in authentication. A token is seen once, when it is made; its SHA-256 is kept."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from sqlalchemy import Float, String, case, cast, insert, null, or_, select, update
from sqlalchemy.engine import Connection

from outlast.database.dialect import later, now
from outlast.database.schema import api_tokens
from outlast.database.statement import Row, Statement, param
from outlast.database.writer import Batch, Write
from outlast.errors import ProblemCode, RequestRefusedError
from outlast.model import Principal

PREFIX = "outlast_"
"""Begins every token, so that one in the wrong place is recognised."""
LISTED_LIMIT = 1000

_tokens = api_tokens.c
_valid = (
    _tokens.token_sha256 == param("digest", String),
    _tokens.revoked_at.is_(None),
    or_(_tokens.expires_at.is_(None), _tokens.expires_at > now()),
)
_lifetime = cast(param("lifetime_seconds", Float), Float)  # else PostgreSQL can't tell what kind of NULL it is
_insert = Statement(
    "tokens.insert",
    insert(api_tokens)
    .values(
        {name: param(name) for name in ("id", "token_sha256", "tenant", "owner", "roles_json", "label")}
        | {
            "created_at": now(),
            "expires_at": case(
                (_lifetime.is_(None), null()),
                else_=later(now(), _lifetime),
            ),
        }
    )
    .returning(*api_tokens.c),
)
_by_id = Statement("tokens.by_id", select(api_tokens).where(_tokens.id == param("token_id", String)))
_by_digest = Statement("tokens.by_digest", select(api_tokens).where(*_valid))
_listed = Statement("tokens.listed", select(api_tokens).order_by(_tokens.created_at, _tokens.id).limit(LISTED_LIMIT))
_revoke = Statement(
    "tokens.revoke",
    update(api_tokens)
    .where(_tokens.id == param("token_id", String), _tokens.revoked_at.is_(None))
    .values(revoked_at=now()),
)


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token."""

    id: str
    tenant: str
    owner: str
    roles: tuple[str, ...]
    label: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


def new_token() -> str:
    """A fresh token: 256 random bits."""
    return PREFIX + secrets.token_urlsafe(32)


def digest(token: str) -> str:
    """What is kept of it. A fast hash is enough, for a token is no password: nobody can guess it."""
    return hashlib.sha256(token.encode()).hexdigest()


def issue(
    token: str, principal: Principal, *, label: str | None = None, lifetime_seconds: float | None = None
) -> Write[Token]:
    """Make a fresh token valid for the principal; for ever without `lifetime_seconds`."""
    token_id = str(uuid4())

    def perform(connection: Connection, _shared: Batch) -> Token:
        row = _insert.row(
            connection, id=token_id, token_sha256=digest(token), tenant=principal.tenant, owner=principal.owner,
            roles_json=json.dumps(principal.roles), label=label, lifetime_seconds=lifetime_seconds,
        )  # fmt: skip
        return _token_of(row)

    def recover(connection: Connection) -> Token:
        row = _by_id.row(connection, token_id=token_id)
        return perform(connection, Batch()) if row is None else _token_of(row)

    return Write("token", token_id, perform, recover)


def revoke(token_id: str) -> Write[Token]:
    """Make a token invalid for good; repeating it changes nothing. Raises RequestRefusedError NOT_FOUND."""

    def perform(connection: Connection, _shared: Batch) -> Token:
        _revoke.count(connection, token_id=token_id)
        row = _by_id.row(connection, token_id=token_id)
        if row is None:
            raise RequestRefusedError(ProblemCode.NOT_FOUND, "There is no such token.")
        return _token_of(row)

    return Write("token", token_id, perform, lambda connection: perform(connection, Batch()))


def principal_of(connection: Connection, token_digest: str) -> Principal | None:
    """Whose token has that `digest`; None when it is unknown, revoked or expired."""
    row = _by_digest.row(connection, digest=token_digest)
    return None if row is None else Principal(row.owner, row.tenant, tuple(json.loads(row.roles_json)))


def listed(connection: Connection) -> list[Token]:
    """The tokens, oldest first, at most LISTED_LIMIT."""
    return [_token_of(row) for row in _listed.rows(connection)]


def _token_of(row: Row) -> Token:
    return Token(
        row.id, row.tenant, row.owner, tuple(json.loads(row.roles_json)), row.label, row.created_at, row.expires_at,
        row.revoked_at,
    )  # fmt: skip
