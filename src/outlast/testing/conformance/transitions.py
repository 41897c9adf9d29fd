"""Every transition of the table, from every status, with each of its guards violated in turn, to the millisecond."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy.engine import Connection, Row

from outlast.database.schema import export_attempts, export_jobs
from outlast.database.transition import FOR_MANY, apply, apply_many
from outlast.lifecycle import COMPLETE, EXHAUST, TRANSITIONS, Guard, Limit, Token, Transition
from outlast.model import ENDED, Job, Outcome, Status
from outlast.testing.conformance.rows import JOB_ID, OTHER_TOKEN, TOKEN, columns_of, place, snapshot
from outlast.testing.conformance.world import START, World

TICK = timedelta(milliseconds=1)
LEASE_SECONDS = 60.0
FRESH_TOKEN = "f" * 32

UNREACHABLE = {(EXHAUST, Status.QUEUED, Guard.NO_LIVE_LEASE)}
"""A queued job has no lease at all: a CHECK sees to it."""


@dataclass(frozen=True, slots=True)
class Case:
    """What a row and a call are like under which one guard holds, or doesn't: columns, and parameters of `apply`."""

    columns: dict[str, Any]
    parameters: dict[str, Any]


def _columns(**columns: Any) -> Case:
    return Case(columns, {})


def _parameters(**parameters: Any) -> Case:
    return Case({}, parameters)


HELD: dict[Guard, Case] = {
    Guard.DUE: _columns(available_at=START),
    Guard.ATTEMPTS_LEFT: _columns(attempt_limit=2),
    Guard.DEADLINE_AHEAD: _columns(deadline_at=START + TICK),
    Guard.TOKEN_MATCHES: _parameters(token=TOKEN),
    Guard.LEASE_LIVE: _columns(lease_until=START + TICK),
    Guard.LEASE_EXPIRED: _columns(lease_until=START),
    Guard.RETRY_AHEAD: _parameters(delay_seconds=0.0),
    Guard.RELEASES_LEFT: _columns(release_count=1),
    Guard.PAST_SAVING: _columns(attempt_limit=1),
    Guard.NO_LIVE_LEASE: _columns(lease_until=START),
    Guard.COUNT_EXPECTED: _parameters(expected_count=1),
    Guard.NOT_ERASED: _columns(erased_at=None),
}
VIOLATED: dict[Guard, Case] = {
    Guard.DUE: _columns(available_at=START + TICK),
    Guard.ATTEMPTS_LEFT: _columns(attempt_limit=1),
    Guard.DEADLINE_AHEAD: _columns(deadline_at=START, lease_until=START),
    Guard.TOKEN_MATCHES: _parameters(token=OTHER_TOKEN),
    Guard.LEASE_LIVE: _columns(lease_until=START),
    Guard.LEASE_EXPIRED: _columns(lease_until=START + TICK),
    Guard.RETRY_AHEAD: _parameters(delay_seconds=3600.0),
    Guard.RELEASES_LEFT: _columns(release_count=2),
    Guard.PAST_SAVING: _columns(attempt_limit=2),
    Guard.NO_LIVE_LEASE: _columns(lease_until=START + TICK),
    Guard.COUNT_EXPECTED: _parameters(expected_count=2),
    Guard.NOT_ERASED: _columns(erased_at=START),
}


def violations() -> list[Any]:
    """Each guard of each transition from each of its sources."""
    return [
        pytest.param(transition, source, guard, id=f"{transition.name}-{source}-{guard.name.lower()}")
        for transition in TRANSITIONS
        for source in transition.sources
        for guard in transition.guards
        if (transition, source, guard) not in UNREACHABLE
    ]


def moves(*, allowed: bool) -> list[Any]:
    """Each transition with each of its sources, or with each status that isn't one."""
    return [
        pytest.param(transition, status, id=f"{transition.name}-{status}")
        for transition in TRANSITIONS
        for status in Status
        if (status in transition.sources) is allowed
    ]


@contextmanager
def _placed(world: World, transition: Transition, status: Status, violated: Guard | None) -> Iterator[_Placed]:
    """A row that meets the transition's guards but for the violated one; undone afterwards."""
    cases = [HELD[guard] for guard in transition.guards if guard is not violated]
    cases += [VIOLATED[violated]] if violated else []
    columns = columns_of(status, START)
    parameters: dict[str, Any] = {
        "fresh_token": FRESH_TOKEN, "worker": "worker-2", "lease_seconds": LEASE_SECONDS, "storage_random": "r",
        "reserve": 5, "token": TOKEN, "delay_seconds": 0.0, "release_limit": 2, "expected_count": 1,
        "further_attempts": 1, "deadline_seconds": 10.0, "rows": 7, "bytes": 8, "estimated": 9,
        "estimate_source": "planner", "code": "internal_error", "detail": "why",
    }  # fmt: skip
    for case in cases:
        columns |= case.columns
        parameters |= case.parameters
    # Only what runs has a lease, and none outlives its job's deadline.
    running = status is Status.RUNNING
    columns["lease_until"] = min(columns["lease_until"], columns["deadline_at"]) if running else None
    with world.database.write() as connection:
        place(connection, columns, with_result=transition is COMPLETE)
        yield _Placed(connection, transition, parameters, columns, snapshot(connection))
        connection.rollback()


@dataclass(frozen=True, slots=True)
class _Placed:
    connection: Connection
    transition: Transition
    parameters: dict[str, Any]
    columns: dict[str, Any]
    before: tuple[tuple[Any, ...], ...]

    def apply(self, *, as_many: bool = False) -> Job | None:
        if as_many:
            return apply_many(self.connection, self.transition, {JOB_ID: self.parameters}).get(JOB_ID)
        return apply(self.connection, self.transition, JOB_ID, **self.parameters)

    def row(self) -> Row[Any]:
        return self.connection.execute(export_jobs.select().where(export_jobs.c.id == JOB_ID)).one()

    def attempts(self) -> list[Any]:
        query = export_attempts.select().where(export_attempts.c.job_id == JOB_ID).order_by(export_attempts.c.number)
        return list(self.connection.execute(query).all())


class TestTransitions:
    """`apply` moves a row exactly when the table says so, and does to it exactly what the table says."""

    def test_every_guard_can_be_held_and_violated(self) -> None:
        assert set(HELD) == set(VIOLATED) == set(Guard)

    @pytest.mark.parametrize(("transition", "status", "guard"), violations())
    def test_a_violated_guard_changes_nothing(
        self, world: World, transition: Transition, status: Status, guard: Guard
    ) -> None:
        with _placed(world, transition, status, guard) as placed:
            assert placed.apply() is None
            if transition in FOR_MANY:
                assert placed.apply(as_many=True) is None
            assert snapshot(placed.connection) == placed.before

    @pytest.mark.parametrize(("transition", "status"), moves(allowed=False))
    def test_another_status_changes_nothing(self, world: World, transition: Transition, status: Status) -> None:
        with _placed(world, transition, status, None) as placed:
            assert placed.apply() is None
            if transition in FOR_MANY:
                assert placed.apply(as_many=True) is None
            assert snapshot(placed.connection) == placed.before

    @pytest.mark.parametrize("as_many", [False, True], ids=["alone", "as many"])
    @pytest.mark.parametrize(("transition", "status"), moves(allowed=True))
    def test_it_does_what_the_table_says(
        self, world: World, transition: Transition, status: Status, as_many: bool
    ) -> None:
        with _placed(world, transition, status, None) as placed:
            job = placed.apply(as_many=as_many and transition in FOR_MANY)
            assert job is not None
            assert job.status is transition.target
            assert job.attempt_count == 1 + transition.opens
            assert (job.finished_at == START) if transition.target in ENDED else (job.finished_at is None)
            _check_token(placed, transition)
            _check_lease(placed, job)
            _check_limit(placed, transition, job)
            _check_attempts(placed, transition, status)

    def test_a_queued_job_has_no_lease_to_live(self, world: World) -> None:
        with world.database.write() as connection:
            columns = columns_of(Status.QUEUED, START) | {"lease_until": START + TICK}
            with pytest.raises(Exception, match="running_has_lease"):
                place(connection, columns)
            connection.rollback()


def _check_token(placed: _Placed, transition: Transition) -> None:
    expected = {Token.FRESH: FRESH_TOKEN, Token.KEPT: TOKEN, Token.CLEARED: None}
    row = placed.row()
    assert row.lease_token == expected[transition.token]
    worker = {Token.FRESH: "worker-2", Token.KEPT: "worker-1", Token.CLEARED: None}
    assert row.worker_id == worker[transition.token]


def _check_lease(placed: _Placed, job: Job) -> None:
    if job.status is not Status.RUNNING:
        assert job.lease_until is None
        return
    full = START + timedelta(seconds=LEASE_SECONDS)
    deadline: datetime = placed.columns["deadline_at"]
    assert job.lease_until == min(full, deadline)


def _check_limit(placed: _Placed, transition: Transition, job: Job) -> None:
    limit, releases = placed.columns["attempt_limit"], placed.columns["release_count"]
    expected = {
        Limit.KEPT: (limit, releases, placed.columns["deadline_at"]),
        Limit.RAISED: (limit + 1, releases + 1, placed.columns["deadline_at"]),
        Limit.RENEWED: (2, releases, START + timedelta(seconds=10)),
    }
    assert (job.attempt_limit, job.release_count, job.deadline_at) == expected[transition.limit]


def _check_attempts(placed: _Placed, transition: Transition, status: Status) -> None:
    attempts = placed.attempts()
    assert [attempt.number for attempt in attempts] == [1, 2][: 1 + transition.opens]
    if status is Status.RUNNING and transition.closes:
        assert (attempts[0].outcome, attempts[0].ended_at) == (transition.closes, START)
        assert attempts[0].lease_until == (placed.columns["lease_until"] if _is_lost(transition) else START)
    if status is Status.RUNNING and not transition.closes:
        assert attempts[0].ended_at is None
    if transition.opens:
        opened = attempts[-1]
        assert (opened.worker_id, opened.claimed_at, opened.ended_at) == ("worker-2", START, None)
        assert (opened.storage_key, opened.reserved_bytes) == (f"{JOB_ID}/2-r", 5)


def _is_lost(transition: Transition) -> bool:
    return transition.closes is Outcome.LOST
