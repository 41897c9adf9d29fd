"""Who is asking: bearer tokens of the tasks service's users."""

import hashlib
import secrets
from typing import Annotated

from fastapi import Depends, HTTPException, Request, status
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy import select

from outlast.demo.database import TasksDatabase
from outlast.demo.schema import User, UserToken, utc_now

_bearer = HTTPBearer(auto_error=False)


def issue_token(database: TasksDatabase, user_id: int) -> str:
    """Make a user's new bearer token. Only its hash is kept, so this is the one time to see it."""
    token = secrets.token_urlsafe(32)
    with database.writing() as session:
        session.add(UserToken(token_sha256=_digest(token), user_id=user_id, created_at=utc_now()))
    return token


def tasks_database(request: Request) -> TasksDatabase:
    """Give the database of the app that serves the request."""
    database: TasksDatabase = request.app.state.tasks_database
    return database


def current_user(
    database: Annotated[TasksDatabase, Depends(tasks_database)],
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> User:
    """Give the user whose token came with the request; 401 for none and for an unknown one."""
    user = _user_of(database, credentials.credentials) if credentials else None
    if user is None:
        raise HTTPException(
            status.HTTP_401_UNAUTHORIZED, "A valid bearer token is needed.", {"WWW-Authenticate": "Bearer"}
        )
    return user


def _user_of(database: TasksDatabase, token: str) -> User | None:
    with database.reading() as session:
        return session.scalar(select(User).join(UserToken).where(UserToken.token_sha256 == _digest(token)))


def _digest(token: str) -> str:
    # A fast hash is enough: the token is 256 random bits, not a password.
    return hashlib.sha256(token.encode()).hexdigest()
