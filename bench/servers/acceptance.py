"""What a host's app looks like: our router, and beside it an endpoint that does nothing, for the same principal.

Started as `uvicorn bench.servers.acceptance:app`; the database is `BENCH_DATABASE_URL`.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from datetime import date
from typing import Annotated, Literal

from fastapi import Depends, FastAPI, Header

from outlast import Exports, Owner, Principal

exports = Exports(database_url=os.environ["BENCH_DATABASE_URL"])


@exports.export("tasks", columns=["id", "title"])
def tasks(
    owner: Owner, status: Literal["todo", "doing", "done"] | None = None, created_since: date | None = None
) -> Iterator[tuple[int, str]]:
    """Nothing: here exports are accepted and never run."""
    del owner, status, created_since
    yield from ()


async def principal(x_owner: Annotated[str, Header()]) -> Principal:
    """The caller's word is taken for it: what is measured is not the host's authentication."""
    return Principal(x_owner)


app = FastAPI()
app.include_router(exports.router(principal=principal))


@app.post("/empty")
async def empty(who: Annotated[Principal, Depends(principal)]) -> dict[str, str]:
    """The least that an endpoint can do."""
    return {"owner": who.owner}


# As `outlast api` does: what is loaded by now stays, and collections need not go through it.
gc.freeze()
