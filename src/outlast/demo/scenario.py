"""What `outlast demo` plays: an export from request to verified file, then another through a killed worker.

prepare.py    the data           processes.py  API and workers, started and killed for real
client.py     the user's side    outcome.py    the file held against the database (verify.py, facts.py)
narration.py  what people see
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory

from outlast.demo import processes
from outlast.demo.client import ENDED, DemoError, ExportsClient, JobDocument
from outlast.demo.data import TASK_COUNT
from outlast.demo.narration import Narration
from outlast.demo.outcome import Outcome, judge
from outlast.demo.prepare import FIRST_USER, prepare
from outlast.demo.processes import EXPORTS, Running, Stage
from outlast.errors import OutlastError
from outlast.worker.frames import DATA_LIMIT_BYTES

LEASE_SECONDS = 2.0
READY_SECONDS = 30.0
READY_POLL_SECONDS = 0.05
EXPORT_SECONDS = 60.0
LEAST_TASK_COUNT = 100
MEGABYTE = 1_000_000


def run(*, task_count: int = TASK_COUNT, directory: Path | None = None, as_json: bool = False) -> int:
    """Play, and give the exit status: 0 only if everything was verified.

    The files are kept if `directory` says where. With `as_json` nothing but one summary object goes to standard output.
    """
    narration = Narration(quiet=as_json)
    started = time.monotonic()
    try:
        with _directory(directory) as place:
            outcomes = _play(Stage.at(place, LEASE_SECONDS), narration, max(task_count, LEAST_TASK_COUNT))
    except (OutlastError, OSError, HTTPException) as error:
        sys.stderr.write(f"outlast: the demo failed: {error}\n")
        outcomes = []
    verified = bool(outcomes) and all(outcome.verified for outcome in outcomes)
    seconds = time.monotonic() - started
    if as_json:
        summary = {"verified": verified, "seconds": round(seconds, 1), "exports": [one.summary for one in outcomes]}
        sys.stdout.write(json.dumps(summary) + "\n")
    narration.verdict(f"{'Everything was verified' if verified else 'Not verified'}, {seconds:.1f} s", passed=verified)
    return 0 if verified else 1


def _play(stage: Stage, narration: Narration, task_count: int) -> list[Outcome]:
    narration.step(f"A tasks service with {task_count:,} tasks of three users, in {stage.database_path}")
    with narration.counting("tasks", task_count) as count:
        token, _ = prepare(stage.database_url, task_count, on_progress=count)
    with processes.api(stage) as (api, url):
        narration.say(f"serves at {url} (pid {api.pid}), with our router at /exports")
        client = ExportsClient(url, token)
        with api.quoted():
            _await(client, api)
        play = Play(stage, narration, client)
        first = play.undisturbed()
        return [first, play.through_a_killed_worker(first.bytes)]


def _await(client: ExportsClient, api: Running) -> None:
    give_up = time.monotonic() + READY_SECONDS
    while not client.ready():
        api.require()
        if time.monotonic() > give_up:
            raise DemoError(f"the API isn't ready after {READY_SECONDS:g} s")
        time.sleep(READY_POLL_SECONDS)


@dataclass(frozen=True, slots=True)
class Play:
    """Two exports of the first user's tasks."""

    stage: Stage
    narration: Narration
    client: ExportsClient

    def undisturbed(self) -> Outcome:
        """An export that nothing happens to."""
        with processes.worker(self.stage, "worker 1") as worker:
            self.narration.step(f"A user asks for his tasks; worker 1 (pid {worker.pid}) is there")
            job = self._follow(worker, self._create(), _ended)
            return self._judge(job, ("succeeded",))

    def through_a_killed_worker(self, file_bytes: int) -> Outcome:
        """An export whose first worker gets SIGKILL after about a third of the file."""
        fault = f"hang@child.mid_extraction#{max(2, file_bytes // DATA_LIMIT_BYTES // 3)}"
        with processes.worker(self.stage, "worker 2", OUTLAST_FAULT=fault) as worker:
            self.narration.step(f"He asks again; a fault holds worker 2 (pid {worker.pid}) in mid-export")
            job = self._follow(worker, self._create(), lambda job: _ended(job) or job["progress"]["rows"] > 0)
            worker.kill()
            killed = time.monotonic()
        if _ended(job):
            raise DemoError(f"job {job['id']} ended before its worker could be killed")
        self.narration.say(f"SIGKILL to worker 2, which had written {job['progress']['rows']:,} rows")
        with processes.worker(self.stage, "worker 3") as worker:
            self.narration.step(f"Worker 3 (pid {worker.pid}) may not touch the job before its lease expires")
            job = self._follow(worker, job, lambda job: _ended(job) or job["attempt_count"] > 1)
            self.narration.say(
                f"attempt {job['attempt_count']} was seen {time.monotonic() - killed:.1f} s after the kill"
            )
            outcome = self._judge(self._follow(worker, job, _ended), ("lost", "succeeded"))
        self.narration.step(f"outlast explain {job['id']}")
        self.narration.quote(processes.output_of(self.stage, "explain", job["id"], "--app", EXPORTS))
        return outcome

    def _create(self) -> JobDocument:
        job = self.client.create("tasks")
        self.narration.say(f"202 Accepted: job {job['id']} is durable")
        return job

    def _follow(self, worker: Running, job: JobDocument, until: Callable[[JobDocument], bool]) -> JobDocument:
        if until(job):
            return job
        with worker.quoted(), self.narration.following() as show:
            for current in self.client.follow(job, until, EXPORT_SECONDS):
                show(current)
                worker.require()
                job = current
        return job

    def _judge(self, job: JobDocument, expected: tuple[str, ...]) -> Outcome:
        if job["status"] != "succeeded":
            raise DemoError(f"job {job['id']} {job['status']}: {(job['error'] or {}).get('code', 'no code')}")
        file = self.client.download(job, self.stage.directory / f"{job['id']}.csv")
        self.narration.say(f"downloaded {job['result']['filename']}, {file.bytes / MEGABYTE:.1f} MB")
        outcome = judge(job, file, self.stage.database_path, FIRST_USER, expected)
        for check, passed in outcome.checks.items():
            self.narration.verdict(check, passed=passed)
        return outcome


def _ended(job: JobDocument) -> bool:
    return job["status"] in ENDED


@contextmanager
def _directory(given: Path | None) -> Iterator[Path]:
    """The given directory, made if it isn't there; or one that is gone afterwards."""
    if given is None:
        with TemporaryDirectory(prefix="outlast-demo-") as temporary:
            yield Path(temporary)
        return
    given.mkdir(parents=True, exist_ok=True)
    yield given.absolute()
