"""What `outlast explain` says of a job in every state: from its rows alone, at times that the test chooses."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from outlast import FailureCode, Principal, RequestRefusedError
from outlast.database import inspect, jobs
from outlast.database.audit import Act
from outlast.database.explain import Explanation
from outlast.database.inspect import Filter
from outlast.database.wording import bytes_text
from outlast.errors import ProblemCode
from outlast.model import Status
from tests.support.desk import Desk, after, desk_at


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_at(tmp_path) as desk:
        yield desk


def kinds(explanation: Explanation) -> list[tuple[str, int | None]]:
    return [(fact.kind, fact.attempt) for fact in explanation.facts]


def expected(explanation: Explanation) -> dict[str, object]:
    return {fact.kind: fact.at for fact in explanation.expected}


def test_a_waiting_job_waits_for_a_worker_that_knows_its_export(desk: Desk) -> None:
    job = desk.accept()
    desk.see_worker("other", "orders")
    told = desk.explain(job.id)
    assert kinds(told) == [("accepted", None)]
    assert told.expected[0].text == "nothing: no live worker knows export 'tasks'"
    assert any("Start a worker" in text for text in told.operator)
    desk.see_worker("right", "tasks")
    assert desk.explain(job.id).expected[0].text == "a free worker begins attempt 1"


def test_a_waiting_job_whose_owner_is_at_his_limit_waits_for_his_others(desk: Desk) -> None:
    desk.see_worker()
    for number in range(4):
        desk.accept(f"key-{number}")
        desk.claim()
    told = desk.explain(desk.accept("one-more").id)
    assert told.expected[0].text == "nothing until one of its owner's 4 running jobs ends (limit 4)"


def test_a_running_job_tells_its_lease_and_what_its_worker_reported(desk: Desk) -> None:
    job = desk.accept()
    desk.see_worker()
    attempt = desk.claim()
    desk.pass_seconds(10)
    desk.renew(attempt, 1200, 340_000)
    told = desk.explain(job.id)
    assert told.summary == "attempt 1 is running"
    assert kinds(told) == [("accepted", None), ("claimed", 1)]
    assert "pid 4242 on host-a" in told.facts[1].text
    assert expected(told) == {"lease_until": after(40), "deadline": after(86_400)}
    assert "At its last renewal it had reported 1,200 rows, 340.0 kB." in told.certain
    assert any("last showed itself at 2026-03-01 12:00:00.000Z" in text for text in told.unknown)


def test_an_expired_lease_is_neither_a_failure_nor_a_secret(desk: Desk) -> None:
    job = desk.accept()
    desk.claim("gone")
    desk.pass_seconds(31)
    told = desk.explain(job.id)
    assert told.summary == "attempt 1 lost its lease"
    assert kinds(told)[-1] == ("lease_expired", 1)
    assert told.facts[-1].at == after(30)
    assert told.expected[0].at == told.at
    assert "unless its worker comes back first, attempt 2 begins" in told.expected[0].text
    assert "No result is committed." in told.certain


def test_a_worker_that_stopped_without_settling_is_told_apart_from_a_silent_one(desk: Desk) -> None:
    job = desk.accept()
    desk.see_worker("tidy", stopped=True)
    desk.claim("tidy")
    assert any("its worker stopped at" in text for text in desk.explain(job.id).unknown)


def test_a_lost_attempt_and_the_one_that_committed_are_told_in_order(desk: Desk) -> None:
    job = desk.accept()
    desk.claim("first")
    desk.pass_seconds(45)
    second = desk.claim("second")
    desk.pass_seconds(5)
    desk.complete(second, rows=100_000, count=41_000_000)
    desk.pass_seconds(1)
    told = desk.explain(job.id)
    assert kinds(told) == [
        ("accepted", None), ("claimed", 1), ("lease_lost", 1), ("lost", 1), ("claimed", 2), ("committed", 2),
        ("succeeded", None),
    ]  # fmt: skip
    assert [fact.at for fact in told.facts] == [after(seconds) for seconds in (0, 0, 30, 45, 45, 50, 50)]
    assert told.facts[5].text == f"attempt 2 staged 100,000 rows, 41.0 MB and committed, sha256 {'ab' * 32}"
    assert told.certain[0].startswith("Exactly one result is committed")
    assert expected(told) == {
        "expiry": after(50 + 3600), "deletion": after(50 + 7200), "purge": after(50 + 30 * 86_400),
        "key_expiry": after(90 * 86_400),
    }  # fmt: skip


def test_retries_and_the_failure_are_told_with_their_codes(desk: Desk) -> None:
    job = desk.accept()
    desk.fail(desk.claim(), FailureCode.TEMPORARILY_UNAVAILABLE, "OperationalError", delay_seconds=5)
    told = desk.explain(job.id)
    assert told.summary == "waiting for its time, then for attempt 2"
    assert expected(told)["claim"] == after(5)
    desk.pass_seconds(5)
    desk.fail(desk.claim(), FailureCode.RESULT_TOO_LARGE)
    told = desk.explain(job.id)
    assert told.summary == "failed with result_too_large after 2 attempts"
    assert "temporarily_unavailable (OperationalError)" in told.facts[2].text
    assert kinds(told)[-1] == ("failed", None)
    assert f"Try again: outlast jobs requeue {job.id}" in told.operator


def test_a_released_attempt_is_no_failure(desk: Desk) -> None:
    job = desk.accept()
    desk.release(desk.claim())
    told = desk.explain(job.id)
    assert kinds(told)[-1] == ("released", 1)
    assert "1 of 4 attempts are used." in told.certain


def test_a_job_that_the_sweep_exhausted_says_so(desk: Desk) -> None:
    job = desk.accept()
    for _ in range(3):
        desk.claim()
        desk.pass_seconds(31)
    assert "the job fails with worker_lost" in desk.explain(job.id).expected[0].text
    desk.exhaust(job.id)
    told = desk.explain(job.id)
    assert told.summary == "failed with worker_lost after 3 attempts"
    assert [kind for kind, _ in kinds(told)].count("lost") == 3


def test_a_requeue_is_told_with_who_and_why_and_what_had_failed(desk: Desk) -> None:
    desk.accept()
    failed = desk.fail(desk.claim(), FailureCode.RESULT_TOO_LARGE)
    desk.pass_seconds(60)
    desk.requeue(failed, "the limit was raised")
    told = desk.explain(failed.id)
    assert told.job.status is Status.QUEUED
    assert kinds(told)[-1] == ("requeue", None)
    assert told.facts[-1].at == after(60)
    assert "ada@host-a, which had failed with result_too_large" in told.facts[-1].text
    assert "the limit was raised" in told.facts[-1].text
    assert "1 of 3 attempts are used." in told.certain


def test_a_cancellation_tells_an_operator_from_an_owner(desk: Desk) -> None:
    by_owner, by_operator = desk.accept("a"), desk.accept("b")
    desk.exports.service.cancel(Principal("7"), by_owner.id)
    desk.write(jobs.cancel(by_operator.id, None, operator=Act("ada@host-a", "asked by phone")))
    assert desk.explain(by_owner.id).facts[-1].text == "cancelled by its owner"
    told = desk.explain(by_operator.id)
    assert kinds(told)[-2:] == [("cancel", None), ("cancelled", None)]
    assert "asked by phone" in told.facts[-2].text


def test_expiry_and_erasure_are_facts_and_bar_what_they_bar(desk: Desk) -> None:
    job = desk.accept()
    desk.complete(desk.claim())
    desk.pass_seconds(3600)
    told = desk.explain(job.id)
    assert kinds(told)[-1] == ("expired", None)
    assert "expiry" not in expected(told)
    desk.accept("other")
    failed = desk.fail(desk.claim(), FailureCode.RESULT_TOO_LARGE)
    desk.exports.service.erase(Principal("7"), failed.id)
    told = desk.explain(failed.id)
    assert kinds(told)[-1] == ("erased", None)
    assert not any("requeue" in text for text in told.operator)
    assert any("erased" in text for text in told.certain)


def test_an_answer_holds_neither_token_nor_parameter_value(desk: Desk) -> None:
    desk.accept(note="secret-value")
    attempt = desk.claim()
    told = desk.explain(attempt.job.id)
    texts = [told.summary, *told.certain, *told.unknown, *told.operator]
    texts += [fact.text for fact in (*told.facts, *told.expected)]
    assert not any(secret in text for text in texts for secret in ("secret-value", attempt.lease.token))


def test_a_job_is_found_by_its_id_its_request_and_its_key(desk: Desk) -> None:
    job = desk.accept("the-key")
    with desk.exports.database.read() as connection:
        assert inspect.find(connection, job.id) == [job.id]
        assert inspect.find_by_key(connection, "default", "7", "the-key") == job.id
        for missing in (
            lambda: inspect.find(connection, "unknown"),
            lambda: inspect.find_by_key(connection, "default", "8", "the-key"),
            lambda: inspect.find_by_key(connection, "other", "7", "the-key"),
        ):
            with pytest.raises(RequestRefusedError) as refused:
                missing()
            assert refused.value.code is ProblemCode.NOT_FOUND


def test_jobs_are_listed_newest_first_by_what_is_asked(desk: Desk) -> None:
    first, second, third = desk.accept("a"), desk.accept("b", owner="8"), desk.accept("c", export="orders")
    attempt = desk.claim()
    with desk.exports.database.read() as connection:

        def listed(wanted: Filter, limit: int = 10) -> list[str]:
            return [job.id for job in inspect.listed(connection, wanted, limit)]

        assert listed(Filter()) == [third.id, second.id, first.id]
        assert listed(Filter(), 2) == [third.id, second.id]
        assert listed(Filter(before=second.id)) == [first.id]
        assert listed(Filter(owner="8")) == [second.id]
        assert listed(Filter(export="orders")) == [third.id]
        assert listed(Filter(status=Status.RUNNING)) == [attempt.job.id]
        assert attempt.job.id not in listed(Filter(status=Status.QUEUED))
        assert listed(Filter(code=FailureCode.WORKER_LOST)) == []


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (41_000_000, "41.0 MB"), (10**13, "10.0 TB")]
)
def test_sizes_read_well(count: int, text: str) -> None:
    assert bytes_text(count) == text
