"""How one export of the demo ended: the file held against what was promised and what the database has."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from outlast.demo import facts
from outlast.demo.client import Download, JobDocument
from outlast.demo.verify import differences


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the file has, how each attempt ended, and each check with whether it passed."""

    job_id: str
    rows: int
    bytes: int
    sha256: str
    outcomes: tuple[str, ...]
    result_count: int
    checks: dict[str, bool]

    @property
    def verified(self) -> bool:
        """Whether everything is as promised."""
        return all(self.checks.values())

    @property
    def summary(self) -> dict[str, Any]:
        """The outcome as JSON has it; `problems` are the checks that failed."""
        members = asdict(self)
        problems = [check for check, passed in members.pop("checks").items() if not passed]
        return {**members, "attempts": len(self.outcomes), "verified": self.verified, "problems": problems}


def judge(job: JobDocument, file: Download, database_path: Path, owner_id: int, expected: tuple[str, ...]) -> Outcome:
    """Check the downloaded file of a job whose attempts should have ended as `expected`."""
    promised = job["result"]
    rows = facts.task_count(database_path, owner_id)
    outcomes = facts.outcomes(database_path, job["id"])
    result_count = facts.result_count(database_path, job["id"])
    differing = differences(file.path, database_path, owner_id)
    checks = {
        f"the file has the promised size, {file.bytes:,} bytes": file.bytes == promised["bytes"],
        "its SHA-256 is that of the result and of the Repr-Digest header": (
            {file.sha256} == {promised["sha256"], file.promised_sha256}
        ),
        f"it has {promised['rows']:,} rows, the user {rows:,} tasks": promised["rows"] == rows,
        "every value is the database's, NULL and the empty string told apart": not differing,
        f"its attempts ended as: {', '.join(outcomes)}": outcomes == expected,
        f"results committed: {result_count}": result_count == 1,
    } | dict.fromkeys(differing, False)
    return Outcome(job["id"], promised["rows"], file.bytes, file.sha256, outcomes, result_count, checks)
