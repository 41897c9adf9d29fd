"""Bearer tokens of the built-in authentication. Only hashes are kept, so a token is seen once: when it is made."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from sqlalchemy import Float, Integer, String, case, insert, or_, select, update
from sqlalchemy.engine import Connection

from outlast.database.dialect import later, now
from outlast.database.schema import api_tokens
from outlast.database.statement import Row, Statement, param
from outlast.database.writer import Batch, Write
from outlast.errors import ProblemCode, RequestRefusedError
from outlast.model import Principal

PREFIX = "outlast_"
"""Begins every token, so that scanners for leaked secrets find it."""
LIST_LIMIT = 1_000

_tokens = api_tokens.c
_lifetime = param("lifetime_seconds", Float)

_insert = Statement(
    "tokens.insert",
    insert(api_tokens)
    .values(
        {name: param(name) for name in ("id", "token_sha256", "tenant", "owner", "roles_json", "label")}
        | {
            "created_at": now(),
            "expires_at": case((_lifetime.is_(None), None), else_=later(now(), _lifetime)),
        }
    )
    .returning(*_tokens),
)
_valid = Statement(
    "tokens.valid",
    select(_tokens.tenant, _tokens.owner, _tokens.roles_json).where(
        _tokens.token_sha256 == param("token_sha256", String),
        _tokens.revoked_at.is_(None),
        or_(_tokens.expires_at.is_(None), _tokens.expires_at > now()),
    ),
)
_by_id = Statement("tokens.by_id", select(api_tokens).where(_tokens.id == param("id", String)))
_list = Statement(
    "tokens.list", select(api_tokens).order_by(_tokens.created_at, _tokens.id).limit(param("most", Integer))
)
_revoke = Statement(
    "tokens.revoke",
    update(api_tokens).where(_tokens.id == param("id", String), _tokens.revoked_at.is_(None)).values(revoked_at=now()),
)


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token; not the token itself."""

    id: str
    tenant: str
    owner: str
    roles: tuple[str, ...]
    label: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None


def new_token() -> str:
    """256 random bits with a recognisable beginning."""
    return PREFIX + secrets.token_urlsafe(32)


def issue(
    token: str, principal: Principal, *, label: str | None = None, lifetime_seconds: float | None = None
) -> Write[Token]:
    """The write that makes `token` (from `new_token`) valid for the principal, for ever or for its lifetime."""
    token_id, digest = str(uuid4()), _digest(token)

    def perform(connection: Connection, _shared: Batch) -> Token:
        row = _insert.row(
            connection, id=token_id, token_sha256=digest, tenant=principal.tenant, owner=principal.owner,
            roles_json=json.dumps(principal.roles), label=label, lifetime_seconds=lifetime_seconds,
        )  # fmt: skip
        assert row is not None  # noqa: S101 - an insert returns its row
        return _token_of(row)

    def recover(connection: Connection) -> Token:
        row = _by_id.row(connection, id=token_id)
        return perform(connection, Batch()) if row is None else _token_of(row)

    return Write("token", token_id, perform, recover)


def revoke(token_id: str) -> Write[Token]:
    """The write that makes a token invalid from now on; repeating it changes nothing.

    Raises RequestRefusedError NOT_FOUND.
    """

    def perform(connection: Connection, _shared: Batch) -> Token:
        _revoke.count(connection, id=token_id)
        row = _by_id.row(connection, id=token_id)
        if row is None:
            raise RequestRefusedError(ProblemCode.NOT_FOUND, "No token has this id.")
        return _token_of(row)

    return Write("token", token_id, perform, lambda connection: perform(connection, Batch()))


def principal_of(connection: Connection, token: str) -> Principal | None:
    """Whose token it is; None for one that is unknown, expired or revoked."""
    row = _valid.row(connection, token_sha256=_digest(token))
    return None if row is None else Principal(row.owner, row.tenant, tuple(json.loads(row.roles_json)))


def listed(connection: Connection) -> list[Token]:
    """All tokens, oldest first, LIST_LIMIT at most."""
    return [_token_of(row) for row in _list.rows(connection, most=LIST_LIMIT)]


def _digest(token: str) -> str:
    # A fast hash is enough: the token is 256 random bits, not a password.
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def _token_of(row: Row) -> Token:
    return Token(
        id=row.id, tenant=row.tenant, owner=row.owner, roles=tuple(json.loads(row.roles_json)), label=row.label,
        created_at=row.created_at, expires_at=row.expires_at, revoked_at=row.revoked_at,
    )  # fmt: skip
