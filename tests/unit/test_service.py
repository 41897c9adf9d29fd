"""The public functions, as any framework calls them: no HTTP, no event loop."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from outlast import Exports, Owner, Principal, RequestRefusedError, Status
from outlast.database import migrate
from outlast.errors import ProblemCode
from outlast.service import ResultGoneError, job_document
from outlast.telemetry.events import Event, JobEnded, OwnershipViolated, RequestAccepted
from tests.support import jobs

ADA, BOB = Principal("ada"), Principal("bob")
CONTENT = bytes(range(256)) * 3000


@pytest.fixture
def exports(tmp_path: Path) -> Iterator[Exports]:
    exports = Exports(database_url=f"sqlite:///{tmp_path / 'jobs.db'}")

    @exports.export("tasks", columns=["id"])
    def tasks(owner: Owner) -> Iterator[tuple[str]]:
        yield (owner.id,)

    migrate.upgrade(exports.database)
    yield exports
    exports.close()


def refusal_of(call: object, *arguments: object) -> ProblemCode:
    assert callable(call)
    with pytest.raises(RequestRefusedError) as caught:
        call(*arguments)
    return caught.value.code


def test_an_export_from_its_acceptance_to_its_erasure(exports: Exports) -> None:
    service, events = exports.service, list[Event]()
    exports.hooks.add(events.append)
    accepted = service.accept(ADA, "k", {"export": "tasks"})
    assert (accepted.replayed, accepted.job.status) == (False, Status.QUEUED)
    assert service.accept(ADA, "k", {"export": "tasks", "parameters": {}}).job.id == accepted.job.id
    job_id = accepted.job.id
    assert service.get(ADA, job_id).job.id == job_id
    assert [seen.job.id for seen in service.list(ADA).items] == [job_id]
    assert refusal_of(service.open_result, ADA, job_id) is ProblemCode.RESULT_NOT_READY
    jobs.complete(exports, jobs.take(exports, job_id), CONTENT)
    download = service.open_result(ADA, job_id)
    assert b"".join(download.read(0, len(CONTENT))) == CONTENT
    assert b"".join(download.read(300_000, 200_000)) == CONTENT[300_000:500_000]
    assert job_document(service.get(ADA, job_id), "https://a.example/x")["links"]["result"] == (
        f"https://a.example/x/{job_id}/result"
    )
    service.erase(ADA, job_id)
    assert refusal_of(service.open_result, ADA, job_id) is ProblemCode.RESULT_ERASED
    with pytest.raises(ResultGoneError):
        next(download.read(0, 1))
    again = service.regenerate(ADA, job_id, "again").job
    assert (again.regenerated_from, service.cancel(ADA, again.id).status) == (job_id, Status.CANCELLED)
    assert events == [
        RequestAccepted(job_id, "tasks", replayed=False),
        RequestAccepted(job_id, "tasks", replayed=True),
        RequestAccepted(again.id, "tasks", replayed=False),
        JobEnded(again.id, "tasks", Status.CANCELLED),
    ]


def test_another_owner_finds_nothing(exports: Exports) -> None:
    service = exports.service
    job_id = service.accept(ADA, "k", {"export": "tasks"}).job.id
    for call, arguments in [
        (service.get, (BOB, job_id)),
        (service.cancel, (BOB, job_id)),
        (service.erase, (BOB, job_id)),
        (service.open_result, (BOB, job_id)),
        (service.regenerate, (BOB, job_id, "k")),
    ]:
        assert refusal_of(call, *arguments) is ProblemCode.NOT_FOUND
    assert service.list(BOB).items == []
    assert service.get(ADA, job_id).job.status is Status.QUEUED


def test_whoever_may_not_have_it_any_more_is_refused_and_reported(exports: Exports) -> None:
    allowed = [True]
    exports.authorize(lambda _owner, _export, _parameters: allowed[0])
    events: list[Event] = []
    exports.hooks.add(events.append)
    job_id = exports.service.accept(ADA, "k", {"export": "tasks"}).job.id
    jobs.complete(exports, jobs.take(exports, job_id))
    allowed[0] = False
    assert refusal_of(exports.service.open_result, ADA, job_id) is ProblemCode.FORBIDDEN
    assert events[-1] == OwnershipViolated(job_id, "tasks", "download")
    assert refusal_of(exports.service.accept, ADA, "other", {"export": "tasks"}) is ProblemCode.FORBIDDEN
    assert exports.service.accept(ADA, "k", {"export": "tasks"}).replayed
