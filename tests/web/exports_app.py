"""An app with exports, served by the web tests: whoever names himself in X-Owner is believed.

The environment changes it as a deploy would: EXPORTS_VARIANT.
"""
# ruff: noqa: ARG001 - they take what callers may send; rows are not what these tests are about

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import Depends, FastAPI, Header, HTTPException

from outlast import Exports, Owner, OwnerId, Principal

VARIANT = os.environ.get("EXPORTS_VARIANT", "")
REVOKED = Path("revoked")
"""While this file is in the working directory, nobody may have anything."""

Rows: TypeAlias = Iterator[tuple[object, ...]]

exports = Exports()

COLUMNS = ["id", "title", "state" if VARIANT == "renamed" else "status"]

if VARIANT == "default":

    @exports.export("tasks", columns=COLUMNS)
    def tasks_by_status(owner: Owner, status: Literal["todo", "done"] | None = None, urgent: bool = False) -> Rows:
        """The tasks of the person who asks."""
        return rows()

elif VARIANT != "dropped":

    @exports.export("tasks", columns=COLUMNS)
    def tasks(owner: Owner, status: Literal["todo", "done"] | None = None) -> Rows:
        """The tasks of the person who asks."""
        return rows()


@exports.export("numbers", columns=["n"], formats=("jsonl",), filename="zähler ☃")
def numbers(owner: Annotated[int, OwnerId], above: int, label: str = "") -> Rows:
    """Numbers, for owners who are numbers."""
    return rows()


def rows() -> Rows:
    yield (1, "Call", "todo")


if VARIANT == "authorized":

    @exports.authorize
    def authorize(owner: Owner, export: str, parameters: dict[str, Any]) -> bool:
        return not REVOKED.exists() and parameters.get("status") != "done"


def tenant(x_tenant: Annotated[str, Header()] = "default") -> str:
    return x_tenant


async def principal(
    tenant: Annotated[str, Depends(tenant)], x_owner: Annotated[str | None, Header()] = None
) -> Principal:
    if x_owner is None:
        raise HTTPException(401, "Say who you are.", {"WWW-Authenticate": "Owner"})
    return Principal(owner=x_owner, tenant=tenant)


app = FastAPI()
app.include_router(exports.router(principal=principal))


@app.get("/empty")
async def empty() -> dict[str, str]:
    return {}


outer = FastAPI()
outer.mount("/inner", app)
"""The same app inside another one, as whose part its lifespan doesn't run."""
