"""Datasette's CSV stream of the same table, which pages through it."""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import httpx

from bench.extraction.stage import Stage
from tests.support.processes import Process, free_port, running
from tests.support.wait import wait_until

START_SECONDS = 30.0
STREAMED_ROWS = 100_000


def measure(stage: Stage) -> None:
    """Rows a second; no more of them than it takes to know."""
    count, port = min(stage.rows, STREAMED_ROWS), free_port()
    command = [
        sys.executable, "-m", "datasette", "serve", str(stage.strict), "--port", str(port),
        "--setting", "max_csv_mb", "0", "--setting", "sql_time_limit_ms", "60000",
    ]  # fmt: skip
    url = f"http://127.0.0.1:{port}/{Path(stage.strict).stem}"
    with running(command, stage.directory, name="datasette") as process:
        wait_until(lambda: _answers(process, url), START_SECONDS, "Datasette to answer")
        rates = [_rate(f"{url}/people.csv?_stream=on&_size=max&id__lte={count}", count) for _ in range(stage.rounds)]
    stage.report.note("datasette_rows_per_second", statistics.median(rates))
    stage.report.say(f"Datasette streams {statistics.median(rates):,.0f} rows a second as CSV.")


def _answers(process: Process, url: str) -> bool:
    assert process.exit_status is None, process.transcript()
    try:
        return httpx.get(f"{url}.json").is_success
    except httpx.TransportError:
        return False


def _rate(url: str, count: int) -> float:
    began_at = time.perf_counter()
    with httpx.stream("GET", url, timeout=600.0) as answer:
        lines = sum(piece.count(b"\n") for piece in answer.iter_raw())
    seconds = time.perf_counter() - began_at
    assert lines == count + 1, f"{lines} lines of {count}"
    return count / seconds
