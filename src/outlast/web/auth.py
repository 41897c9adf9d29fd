"""Built-in authentication: bearer tokens that `outlast tokens create` made (RFC 6750)."""

from __future__ import annotations

import time

from fastapi.security import HTTPBearer
from starlette.requests import Request

from outlast.database import tokens
from outlast.database.connection import Database
from outlast.errors import ProblemCode, RequestRefusedError
from outlast.model import Principal
from outlast.web.threads import Threads

REMEMBERED_SECONDS = 1.0
"""How long a revoked token may still be taken by a process that has just looked it up."""
REMEMBERED_LIMIT = 10_000


class BearerTokens(HTTPBearer):
    """A dependency that returns whose token the request carries."""

    def __init__(self, database: Database) -> None:
        """Nothing is opened before the first request."""
        super().__init__(auto_error=False, scheme_name="bearer", description="A token of `outlast tokens create`.")
        self._database = database
        self._threads = Threads()
        self._remembered: dict[str, tuple[Principal, float]] = {}

    async def __call__(self, request: Request) -> Principal:  # type: ignore[override]
        """Raises RequestRefusedError UNAUTHENTICATED for no token, and for one that is unknown, revoked or expired."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise RequestRefusedError(ProblemCode.UNAUTHENTICATED, "Send `Authorization: Bearer` and your token.")
        digest = tokens.digest(token.strip())
        principal, fresh_until = self._remembered.get(digest, (None, 0.0))
        if principal is None or time.monotonic() > fresh_until:
            principal = await self._threads.call(self._look_up, digest)
        return principal

    def _look_up(self, digest: str) -> Principal:
        fresh_until = time.monotonic() + REMEMBERED_SECONDS
        with self._database.read() as connection:
            principal = tokens.principal_of(connection, digest)
        if principal is None:
            self._remembered.pop(digest, None)
            raise RequestRefusedError(ProblemCode.UNAUTHENTICATED, "The token is unknown, revoked or expired.")
        if len(self._remembered) >= REMEMBERED_LIMIT:
            self._remembered.clear()
        self._remembered[digest] = principal, fresh_until
        return principal
