"""An API and two workers, killed, paused, stopped and restarted at random: every job ends once, with one whole result.

A few seconds in the suite; OUTLAST_SOAK=1 goes on for many minutes. The seed is printed when it fails, and SOAK_SEED
sets it; how far a schedule repeats itself depends on the machine's own timing.
"""

import itertools
import os
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event

import httpx
import pytest

from tests.crash import exporting
from tests.crash.conftest import SOAK
from tests.crash.promises import assert_ended, assert_sound, assert_swept
from tests.crash.stage import Ground, Stage
from tests.support.processes import Process, free_port
from tests.support.wait import wait_until

SEED = int(os.environ.get("SOAK_SEED") or random.SystemRandom().randrange(2**32))
SECONDS = 1_200 if SOAK else 8
JOBS_OF_OWNER = 400 if SOAK else 5
SIZES = (1, 40, 1_500, 4_000)
STEP_SECONDS = 0.4
TRY_SECONDS = 3.0
END_SECONDS = 120.0
SETTINGS = {"lease_seconds": 1.0, "attempt_limit": 10_000, "owner_running_limit": 1, "drain_seconds": 0.5}
UNENDED = "SELECT id FROM export_jobs WHERE status IN ('queued', 'running')"


@dataclass
class Victim:
    """A process that is disturbed."""

    start: Callable[[], Process]
    process: Process
    paused: bool = False

    def disturb(self, chance: random.Random) -> str:
        """Do something to it, and say what."""
        deeds: dict[str, Callable[[], object]] = {
            "restart": self.restart,
            "resume": self.resume,
            "kill": self.process.kill,
            "pause": self.pause,
            "stop": self.process.stop,
            "leave": lambda: None,
        }
        deed = chance.choices(*self._possible())[0]
        deeds[deed]()
        return deed

    def _possible(self) -> tuple[tuple[str, ...], tuple[int, ...]]:
        if self.process.exit_status is not None:
            return ("restart",), (1,)
        if self.paused:
            return ("resume", "kill"), (2, 1)
        return ("leave", "pause", "kill", "stop"), (8, 3, 3, 1)

    def restart(self) -> None:
        self.process, self.paused = self.start(), False

    def pause(self) -> None:
        self.process.pause()
        self.paused = True

    def resume(self) -> None:
        self.process.resume()
        self.paused = False

    def recover(self) -> None:
        """Run, from now on undisturbed."""
        if self.process.exit_status is not None:
            self.restart()
        elif self.paused:
            self.resume()


def ask(url: str, stage: Stage, owner: int, seed: str, over: Event) -> dict[str, str]:
    """One owner's program: asks for one export after another, each until it is acknowledged. Gives keys and job ids."""
    chance = random.Random(seed)
    acknowledged: dict[str, str] = {}
    while len(acknowledged) < JOBS_OF_OWNER and not over.wait(chance.uniform(0, 2 * SECONDS / JOBS_OF_OWNER)):
        key, count = f"key-{len(acknowledged)}", chance.choice(SIZES)
        job_id = None
        while job_id is None:
            job_id = post(url, stage.ground.tokens[owner], key, count)
        acknowledged[key] = job_id
    return acknowledged


def post(url: str, token: str, key: str, count: int) -> str | None:
    """One try; the job's id if it was acknowledged."""
    headers = {"Idempotency-Key": key, "Authorization": f"Bearer {token}"}
    body = {"export": "rows", "parameters": {"count": count}}
    try:
        answer = httpx.post(f"{url}/exports", headers=headers, json=body, timeout=TRY_SECONDS)
    except httpx.TransportError:
        return None
    assert answer.status_code in {200, 202, 503}, answer.text
    job_id: str | None = answer.json().get("id")
    return job_id


def disturb(victims: list[Victim], chance: random.Random) -> None:
    """Disturb one after another for SECONDS; in the end all run."""
    pace = Event()  # never set: the schedule itself is what is waited for
    over_at = time.monotonic() + SECONDS
    for victim in itertools.cycle(victims):
        victim.disturb(chance)
        pace.wait(STEP_SECONDS * chance.random())
        if time.monotonic() > over_at:
            break
    for victim in victims:
        victim.recover()


@pytest.mark.timeout(7200 if SOAK else 300)
def test_every_job_ends_once_whatever_is_killed_and_paused(tmp_path: Path, ground: Ground) -> None:
    print(f"SOAK_SEED={SEED}")  # noqa: T201 - shown when it fails
    over = Event()
    with Stage(tmp_path, ground, SETTINGS) as stage, ThreadPoolExecutor(len(exporting.OWNERS)) as owners:
        port = free_port()
        starts: list[Callable[[], Process]] = [
            partial(stage.start, "api", "--port", str(port)),
            stage.worker,
            stage.worker,
        ]
        victims = [Victim(start, start()) for start in starts]
        url = f"http://127.0.0.1:{port}"
        asking = {owner: owners.submit(ask, url, stage, owner, f"{SEED} {owner}", over) for owner in exporting.OWNERS}
        try:
            disturb(victims, random.Random(SEED))
        finally:
            over.set()
        acknowledged = {owner: future.result(END_SECONDS) for owner, future in asking.items()}
        assert sum(map(len, acknowledged.values())) >= len(exporting.OWNERS)
        wait_until(lambda: not stage.rows(UNENDED), END_SECONDS, "every job to end")
        for job in [stage.job(job_id) for jobs in acknowledged.values() for job_id in jobs.values()]:
            assert_ended(stage, job)
        assert_swept(stage)
        assert_sound(stage)
        assert stage.rows("SELECT count(*) FROM export_jobs") == [(sum(map(len, acknowledged.values())),)]
