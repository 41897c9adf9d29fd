"""Acceptance as it is usually written: an endpoint in the thread pool, and a connection per thread.

The same table, indexes, triggers and durability, and the same commit before the 202. Left out, in its favour: limits,
fingerprints of the meaning, replays, the job's document.
Started as `uvicorn bench.references.threads:app`; the database is `BENCH_DATABASE_URL`.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import sqlite3
import threading
import time
import uuid
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, Response

from outlast import Principal

BUSY_WAIT_SECONDS = 30.0
DAY_MILLISECONDS = 86_400_000

INSERT = """
INSERT INTO export_jobs (id, tenant, owner, request_key, request_fingerprint, parameters_fingerprint, export,
    parameters_json, format, columns_json, status, created_at, available_at, deadline_at, attempt_limit)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'csv', '["id","title"]', 'queued', ?, ?, ?, 5)
"""

app = FastAPI()
_thread = threading.local()


def connection() -> sqlite3.Connection:
    """This thread's own."""
    if not hasattr(_thread, "connection"):
        path = os.environ["BENCH_DATABASE_URL"].removeprefix("sqlite:///")
        _thread.connection = sqlite3.connect(path, timeout=BUSY_WAIT_SECONDS, isolation_level=None)
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            _thread.connection.execute(f"PRAGMA {pragma}")
    made: sqlite3.Connection = _thread.connection
    return made


async def principal(x_owner: Annotated[str, Header()]) -> Principal:
    """As in the app that it is measured beside."""
    return Principal(x_owner)


@app.post("/exports", status_code=202)
def accept(
    body: dict[str, Any],
    idempotency_key: Annotated[str, Header()],
    who: Annotated[Principal, Depends(principal)],
    response: Response,
) -> dict[str, str]:
    """Insert the job, commit it, answer."""
    job_id = str(uuid.uuid4())
    parameters = json.dumps(body["parameters"], sort_keys=True)
    fingerprint = hashlib.sha256(parameters.encode()).hexdigest()
    now = time.time_ns() // 1_000_000
    connection().execute(
        INSERT,
        (job_id, who.tenant, who.owner, idempotency_key, fingerprint, fingerprint, body["export"], parameters,
         now, now, now + DAY_MILLISECONDS),
    )  # fmt: skip
    response.headers["Location"] = f"/exports/{job_id}"
    return {"id": job_id, "status": "queued"}


gc.freeze()  # as in the app that it is measured beside
