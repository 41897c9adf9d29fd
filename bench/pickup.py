"""An idle worker: how soon it begins with an accepted job, and what its waiting costs.

`python -m bench.pickup JOBS IDLE_SECONDS DIRECTORY` prints one JSON object.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

from bench.figures import percentile
from bench.jobs import url_in
from bench.processes import working
from bench.servers.exports import declared
from outlast import Exports, Principal
from outlast.model import Status
from tests.support.wait import wait_until

WAIT_SECONDS = 30.0
WARMING = 3
PAUSES_SECONDS = (0.05, 0.071, 0.093)
"""Between two jobs; uneven, so that they meet the worker's polling at every moment of its turn."""
PRINCIPAL = Principal("pickup")


def main() -> None:
    """Send jobs one by one to a worker that waits for them, then let it wait."""
    jobs, idle_seconds, directory = int(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3])
    database_url = url_in(directory)
    exports = declared(database_url)
    with working(database_url, directory) as process:
        took = [picked_up_seconds(exports, number) for number in range(jobs + WARMING)][WARMING:]
        busy = cpu_seconds(process.pid)
        time.sleep(idle_seconds)
        busy = cpu_seconds(process.pid) - busy
    exports.close()
    print(json.dumps({
        "median_ms": 1000 * statistics.median(took), "p99_ms": 1000 * percentile(took, 0.99),
        "idle_core_share": busy / idle_seconds,
    }))  # fmt: skip


def picked_up_seconds(exports: Exports, number: int) -> float:
    """From the moment in which the job is durable to its export's first call, which it tells in its file."""
    accepted = exports.service.accept(PRINCIPAL, f"job-{number}", {"export": "called"})
    durable_at = time.monotonic_ns()
    wait_until(lambda: _ended(exports, accepted.job.id), WAIT_SECONDS, "the job's end")
    download = exports.service.open_result(PRINCIPAL, accepted.job.id)
    content = b"".join(download.read(0, download.result.bytes))
    time.sleep(PAUSES_SECONDS[number % len(PAUSES_SECONDS)])
    return (int(content.splitlines()[1]) - durable_at) / 1e9


def _ended(exports: Exports, job_id: str) -> bool:
    status = exports.service.get(PRINCIPAL, job_id).job.status
    assert status in (Status.QUEUED, Status.RUNNING, Status.SUCCEEDED)
    return status.ended


def cpu_seconds(pid: int) -> float:
    """What the process, its threads and its children have used of the processor so far (Linux: schedstat)."""
    tasks = list(Path(f"/proc/{pid}/task").iterdir())
    own = sum(int((task / "schedstat").read_text().split()[0]) / 1e9 for task in tasks)
    children = {child for task in tasks for child in (task / "children").read_text().split()}
    return own + sum(cpu_seconds(int(child)) for child in children)


if __name__ == "__main__":
    main()
