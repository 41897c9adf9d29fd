"""The tasks service: tasks at /tasks, exports of them at /exports. Started as `uvicorn outlast.demo.app:app`."""

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI, Request, Response, status
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import OperationalError

from outlast import Exports, Principal
from outlast.demo.database import TasksDatabase, demo_database_url
from outlast.demo.exports import exports
from outlast.demo.schema import User
from outlast.demo.tasks import router
from outlast.demo.users import current_user

_PASSING = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}


def principal(user: Annotated[User, Depends(current_user)]) -> Principal:
    """Say whose exports the request is about."""
    return Principal(owner=str(user.id))


def create_app(database_url: str, exports: Exports) -> FastAPI:
    """Build the service on a SQLite file, whose tables it creates at start if they are missing."""
    database = TasksDatabase(database_url)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        await run_in_threadpool(database.create_tables)
        yield
        database.close()

    app = FastAPI(title="Tasks", summary="A tasks service whose users export their tasks.", lifespan=lifespan)
    app.state.tasks_database = database
    app.add_exception_handler(OperationalError, _database_error)
    app.add_exception_handler(RequestValidationError, _bad_request)
    app.include_router(router)
    app.include_router(exports.router(principal=principal))
    return app


def _database_error(_request: Request, error: Exception) -> Response:
    """Answer 503 where trying again may help; anything else is a defect and stays a 500."""
    cause = error.orig if isinstance(error, OperationalError) else None
    code: int = getattr(cause, "sqlite_errorcode", 0)
    if code & 0xFF not in _PASSING:
        raise error
    return _json(status.HTTP_503_SERVICE_UNAVAILABLE, "The database is busy or full.", {"Retry-After": "1"})


def _bad_request(_request: Request, error: Exception) -> Response:
    """Name what is wrong without repeating it: the input may be secret, and may not even be encodable."""
    wrong = error.errors() if isinstance(error, RequestValidationError) else []
    detail = [{key: item[key] for key in ("type", "loc", "msg")} for item in wrong]
    return _json(status.HTTP_422_UNPROCESSABLE_CONTENT, detail)


def _json(status_code: int, detail: object, headers: dict[str, str] | None = None) -> Response:
    # ASCII, since a misspelt name in `loc` may hold a lone surrogate.
    body = json.dumps({"detail": detail}, ensure_ascii=True)
    return Response(body, status_code, headers, media_type="application/json")


app = create_app(demo_database_url(), exports)
