"""Workers whose object storage fails them for a while: the attempt says so, and a later one succeeds."""

from pathlib import Path

import pytest

from outlast.errors import FailureCode
from tests.conftest import Bucket
from tests.crash.promises import assert_kept
from tests.crash.stage import SEVERAL_PARTS, START_SECONDS, Ground, Stage
from tests.support.s3 import environment
from tests.support.troubled_s3 import troubled_s3
from tests.support.wait import wait_until


def test_a_throttled_attempt_is_tried_again(
    tmp_path: Path, ground: Ground, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    if bucket.server is None:
        pytest.skip("a proxy stands before a private server alone")
    with troubled_s3(bucket.server.endpoint) as proxy:
        for name, value in environment(proxy.endpoint).items():
            monkeypatch.setenv(name, value)
        proxy.throttled = lambda method, _path: method == "PUT"
        with Stage(tmp_path, ground, {"storage_url": bucket.prefix(), "attempt_limit": 50}) as stage:
            job = stage.accept()
            worker = stage.worker()
            wait_until(lambda: "retried" in stage.outcomes(job.id), START_SECONDS, "the first attempt to fail")
            proxy.throttled = lambda _method, _path: False
            assert_kept(stage, job)
            first = stage.evidence(job.id).attempts[0]
            assert first.error_code is FailureCode.TEMPORARILY_UNAVAILABLE
            assert first.error_detail == "the storage can't take the bytes (EBUSY)"
            assert worker.exit_status is None
            for private in ("PRIVATE", *environment(proxy.endpoint).values()):
                assert private == "true" or private not in worker.stdout + worker.stderr


def test_errors_around_parts_and_completion_cost_no_job_and_leave_no_part(
    tmp_path: Path, ground: Ground, objects_url: str, bucket: Bucket
) -> None:
    names = [f"stage.{moment}" for moment in ("before_part", "after_part", "before_durable", "after_durable")]
    before = bucket.server.unfinished() if bucket.server else []
    with Stage(tmp_path, ground, {"storage_url": objects_url, "attempt_limit": 100}) as stage:
        job = stage.accept(count=SEVERAL_PARTS)
        stage.worker(fault=",".join(f"raise@{name}#1" for name in names))
        assert_kept(stage, job, outcomes=["retried"] * len(names) + ["succeeded"])
        assert all(map(stage.passed, names))
    if bucket.server:
        assert bucket.server.unfinished() == before
