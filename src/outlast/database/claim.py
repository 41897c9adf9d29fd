"""Claiming: due jobs, and running ones whose lease expired, oldest first, within every owner's running limit.

A claim seeks in indexes that hold only live work. Neither ended jobs, nor jobs of exports that nobody here knows, nor
the backlog of an owner at his limit lie in its way.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Integer, String, and_, func, select
from sqlalchemy.engine import Connection

from outlast.database.dialect import among
from outlast.database.locking import lock_free_jobs, lock_jobs, lock_owner
from outlast.database.schema import QUEUED, RUNNING, export_attempts, export_jobs
from outlast.database.statement import Row, Statement, param
from outlast.database.transition import GUARDS, apply, apply_many, job_of, storage_key_of
from outlast.database.writer import Batch, Write
from outlast.lifecycle import CLAIM, RECLAIM
from outlast.model import Attempt, Job, Lease, Status

PAGE = 32
"""How many jobs that may not be claimed one claim looks at beyond its own."""
OWNERS_LIMIT = 1_000
"""How many owners one claim visits at most, when the oldest due jobs all belong to owners at their limit."""

_jobs = export_jobs.c
_summary = (_jobs.id, _jobs.tenant, _jobs.owner, _jobs.available_at)
_claimable = and_(QUEUED, *(GUARDS[guard] for guard in CLAIM.guards))

_due = Statement(
    "claim.due",
    select(*_summary)
    .where(_claimable, _jobs.export == param("export", String))
    .order_by(_jobs.available_at, _jobs.id)
    .limit(param("most", Integer)),
)
_expired = Statement(
    "claim.expired",
    select(_jobs.id)
    .where(RUNNING, *(GUARDS[guard] for guard in RECLAIM.guards), among(_jobs.export, param("exports_json", String)))
    .order_by(_jobs.lease_until)
    .limit(param("most", Integer)),
)
_running_count = Statement(
    "claim.running_count",
    select(func.count()).select_from(
        select(_jobs.id)
        .where(RUNNING, _jobs.tenant == param("tenant", String), _jobs.owner == param("owner", String))
        .limit(param("most", Integer))
        .subquery()
    ),
)
# In two steps: SQLite would walk all queued jobs of the owner before to find a pair (tenant, owner) beyond him.
_next_owner = Statement(
    "claim.next_owner",
    select(_jobs.tenant, _jobs.owner)
    .where(QUEUED, _jobs.tenant == param("tenant", String), _jobs.owner > param("owner", String))
    .order_by(_jobs.owner)
    .limit(1),
)
_next_tenant = Statement(
    "claim.next_tenant",
    select(_jobs.tenant, _jobs.owner)
    .where(QUEUED, _jobs.tenant > param("tenant", String))
    .order_by(_jobs.tenant, _jobs.owner)
    .limit(1),
)
_due_of_owner = Statement(
    "claim.due_of_owner",
    select(*_summary)
    .where(
        _claimable, _jobs.tenant == param("tenant", String), _jobs.owner == param("owner", String),
        _jobs.export == param("export", String),
    )
    .order_by(_jobs.available_at)
    .limit(param("most", Integer)),
)  # fmt: skip
_held = Statement(
    "claim.held",
    select(export_jobs, export_attempts.c.storage_key)
    .join_from(export_jobs, export_attempts, export_attempts.c.job_id == _jobs.id)
    .where(
        _jobs.id == param("job_id", String), _jobs.lease_token == param("token", String),
        export_attempts.c.ended_at.is_(None),
    ),
)  # fmt: skip


@dataclass(slots=True)
class Turn:
    """The owner who was served last beyond the oldest due jobs: the next claim goes on after him."""

    tenant: str = ""
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Claimant:
    """A worker's incarnation, and what it asks for when it claims."""

    worker_id: str
    exports: tuple[str, ...]
    lease_seconds: float
    owner_running_limit: int
    reserve_bytes: int
    turn: Turn = field(default_factory=Turn, repr=False, compare=False)


@dataclass(slots=True)
class _Claiming:
    """One claim in the making; remembers its tokens, so that a lost COMMIT can be looked up."""

    claimant: Claimant
    limit: int
    may_reclaim: bool
    tokens: list[tuple[str, str]] = field(default_factory=list)

    def perform(self, connection: Connection, _shared: Batch) -> list[Attempt]:
        self.tokens.clear()
        attempts = self._reclaimed(connection) if self.may_reclaim else []
        chosen = self._chosen(connection, self.limit - len(attempts))
        return attempts + self._attempts(chosen, apply_many(connection, CLAIM, chosen), reclaimed=False)

    def recover(self, connection: Connection) -> list[Attempt]:
        lock_jobs(connection, [job_id for job_id, _ in self.tokens])  # the lost transaction may not have ended yet
        rows = [_held.row(connection, job_id=job_id, token=token) for job_id, token in self.tokens]
        return [_attempt_of(row, self.claimant.lease_seconds) for row in rows if row is not None]

    def _reclaimed(self, connection: Connection) -> list[Attempt]:
        expired = _expired.rows(connection, exports_json=json.dumps(self.claimant.exports), most=self.limit)
        free = lock_free_jobs(connection, [row.id for row in expired], Status.RUNNING)
        chosen = {row.id: self._parameters() for row in expired if row.id in free}
        moved = ((job_id, apply(connection, RECLAIM, job_id, **values)) for job_id, values in chosen.items())
        return self._attempts(chosen, {job_id: job for job_id, job in moved if job is not None}, reclaimed=True)

    def _chosen(self, connection: Connection, limit: int) -> dict[str, dict[str, Any]]:
        """Choose among the candidates, in their order; those that another claim holds are passed by."""
        chosen: dict[str, dict[str, Any]] = {}
        met: set[str] = set()
        running = _Running(self.claimant.owner_running_limit, exact=True)
        candidates = _candidates(connection, self.claimant, limit, running)
        while len(chosen) < limit and (page := _page(candidates, met, running, limit - len(chosen))):
            free = lock_free_jobs(connection, [row.id for row in page], Status.QUEUED)
            for row in page:
                if row.id in free:
                    chosen[row.id] = self._parameters()
                else:
                    running.give_back(row.tenant, row.owner)
        return chosen

    def _parameters(self) -> dict[str, Any]:
        claimant = self.claimant
        return {
            "fresh_token": secrets.token_hex(16), "storage_random": secrets.token_hex(8),
            "worker": claimant.worker_id, "lease_seconds": claimant.lease_seconds, "reserve": claimant.reserve_bytes,
        }  # fmt: skip

    def _attempts(
        self, chosen: Mapping[str, dict[str, Any]], jobs: Mapping[str, Job], *, reclaimed: bool
    ) -> list[Attempt]:
        attempts = []
        for job_id, job in jobs.items():
            token, random = chosen[job_id]["fresh_token"], chosen[job_id]["storage_random"]
            self.tokens.append((job_id, token))
            assert job.lease_until is not None  # noqa: S101 - a running job has a lease
            lease = Lease(token, job.lease_until, self.claimant.lease_seconds)
            key = storage_key_of(job_id, job.attempt_count, random)
            attempts.append(Attempt(job, job.attempt_count, self.claimant.worker_id, lease, key, reclaimed=reclaimed))
        return attempts


@dataclass(slots=True)
class _Running:
    """How many jobs run of each owner whom a claim has met. `exact`: nobody else claims for him meanwhile."""

    limit: int
    exact: bool
    counts: dict[tuple[str, str], int] = field(default_factory=dict)

    def below_limit(self, connection: Connection, tenant: str, owner: str) -> bool:
        if (tenant, owner) not in self.counts:
            self.counts[tenant, owner] = self._count(connection, tenant, owner)
        return self.counts[tenant, owner] < self.limit

    def _count(self, connection: Connection, tenant: str, owner: str) -> int:
        # Only the first is waited for: two claims that wait for each other's owners would wait for ever.
        if self.exact and not lock_owner(connection, tenant, owner, wait=not self.counts):
            return self.limit  # somebody claims for him right now
        count: int = _running_count.value(connection, tenant=tenant, owner=owner, most=self.limit)
        return count

    def take(self, tenant: str, owner: str) -> None:
        self.counts[tenant, owner] += 1

    def give_back(self, tenant: str, owner: str) -> None:
        self.counts[tenant, owner] -= 1


def _page(candidates: Iterator[Row], met: set[str], running: _Running, limit: int) -> list[Row]:
    """The next candidates, up to the limit; no further one is looked at, for that would move the owners' turn on."""
    page: list[Row] = []
    while len(page) < limit and (row := next(candidates, None)) is not None:
        if row.id not in met:
            met.add(row.id)
            running.take(row.tenant, row.owner)
            page.append(row)
    return page


def claim(claimant: Claimant, limit: int, *, may_reclaim: bool) -> Write[list[Attempt]]:
    """The write that takes up to `limit` jobs; each attempt comes with its own lease."""
    claiming = _Claiming(claimant, limit, may_reclaim)
    return Write("claim", "claim", claiming.perform, claiming.recover)


def claimable(connection: Connection, claimant: Claimant, *, may_reclaim: bool) -> bool:
    """Whether a claim would find something: asked first, so that looking for work never takes the write lock."""
    if may_reclaim and _expired.rows(connection, exports_json=json.dumps(claimant.exports), most=1):
        return True
    looking = replace(claimant, turn=replace(claimant.turn))
    running = _Running(claimant.owner_running_limit, exact=False)
    return next(_candidates(connection, looking, 1, running), None) is not None


def _candidates(connection: Connection, claimant: Claimant, limit: int, running: _Running) -> Iterator[Row]:
    """Due jobs of owners below their limit: the oldest first, and if those all are at it, of whoever is not."""
    if limit <= 0:
        return
    most = limit + PAGE
    pages = [_due.rows(connection, export=export, most=most) for export in claimant.exports]
    for row in sorted((row for page in pages for row in page), key=lambda row: (row.available_at, row.id)):
        if running.below_limit(connection, row.tenant, row.owner):
            yield row
    if any(len(page) == most for page in pages):
        yield from _of_further_owners(connection, claimant, limit, running)


def _of_further_owners(connection: Connection, claimant: Claimant, limit: int, running: _Running) -> Iterator[Row]:
    for tenant, owner in _owners_in_turn(connection, claimant.turn):
        for export in claimant.exports:
            if not running.below_limit(connection, tenant, owner):
                break
            for row in _due_of_owner.rows(connection, tenant=tenant, owner=owner, export=export, most=limit):
                if running.below_limit(connection, tenant, owner):
                    yield row


def _owners_in_turn(connection: Connection, turn: Turn) -> Iterator[tuple[str, str]]:
    """Each owner with queued jobs once, beginning after the one served last, at most OWNERS_LIMIT."""
    met: set[tuple[str, str]] = set()
    for _ in range(OWNERS_LIMIT):
        row = _next_owner.row(connection, tenant=turn.tenant, owner=turn.owner)
        row = row or _next_tenant.row(connection, tenant=turn.tenant) or _next_tenant.row(connection, tenant="")
        if row is None or (row.tenant, row.owner) in met:
            return
        turn.tenant, turn.owner = row
        met.add((row.tenant, row.owner))
        yield row.tenant, row.owner


def _attempt_of(row: Row, lease_seconds: float) -> Attempt:
    lease = Lease(row.lease_token, row.lease_until, lease_seconds)
    return Attempt(job_of(row), row.attempt_count, row.worker_id, lease, row.storage_key)
