-- transition.cancel
--   :status is 'cancelled'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
UPDATE export_jobs SET status=:status::VARCHAR, finished_at=(SELECT clock_timestamp()),
  lease_token=:lease_token::VARCHAR, lease_until=:lease_until::TIMESTAMP WITH TIME ZONE, worker_id=:worker_id::VARCHAR
  WHERE export_jobs.id = :job_id::VARCHAR AND (export_jobs.status = 'queued' OR export_jobs.status = 'running')
  RETURNING export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.request_key,
  export_jobs.request_fingerprint, export_jobs.parameters_fingerprint, export_jobs.export, export_jobs.parameters_json,
  export_jobs.format, export_jobs.columns_json, export_jobs.status, export_jobs.created_at, export_jobs.available_at,
  export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at, export_jobs.attempt_count,
  export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token, export_jobs.lease_until,
  export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes, export_jobs.estimated_rows,
  export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id, export_jobs.trace_context,
  export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source;

-- transition.claim
--   :status is 'running'
--   :progress_rows is 0
--   :progress_bytes is 0
--   :estimated_rows is None
--   :estimate_source is None
UPDATE export_jobs SET status=:status::VARCHAR, started_at=coalesce(export_jobs.started_at, (SELECT clock_timestamp())),
  attempt_count=(export_jobs.attempt_count + 1), lease_token=:fresh_token::VARCHAR, lease_until=LEAST(((SELECT
  clock_timestamp()) + :lease_seconds * interval '1 second'), export_jobs.deadline_at), worker_id=:worker::VARCHAR,
  progress_rows=:progress_rows::BIGINT, progress_bytes=:progress_bytes::BIGINT, estimated_rows=:estimated_rows::BIGINT,
  estimate_source=:estimate_source::VARCHAR WHERE export_jobs.id = :job_id::VARCHAR AND export_jobs.status = 'queued'
  AND export_jobs.available_at <= (SELECT clock_timestamp()) AND export_jobs.attempt_count < export_jobs.attempt_limit
  AND export_jobs.deadline_at > (SELECT clock_timestamp()) RETURNING export_jobs.id, export_jobs.tenant,
  export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint, export_jobs.parameters_fingerprint,
  export_jobs.export, export_jobs.parameters_json, export_jobs.format, export_jobs.columns_json, export_jobs.status,
  export_jobs.created_at, export_jobs.available_at, export_jobs.deadline_at, export_jobs.started_at,
  export_jobs.finished_at, export_jobs.attempt_count, export_jobs.attempt_limit, export_jobs.release_count,
  export_jobs.lease_token, export_jobs.lease_until, export_jobs.worker_id, export_jobs.progress_rows,
  export_jobs.progress_bytes, export_jobs.estimated_rows, export_jobs.error_code, export_jobs.error_detail,
  export_jobs.request_id, export_jobs.trace_context, export_jobs.regenerated_from, export_jobs.erased_at,
  export_jobs.estimate_source;

-- transition.claim.many
--   :status is 'running'
--   :progress_rows is 0
--   :progress_bytes is 0
--   :estimated_rows is None
--   :estimate_source is None
UPDATE export_jobs SET status=:status::VARCHAR, started_at=coalesce(export_jobs.started_at, (SELECT clock_timestamp())),
  attempt_count=(export_jobs.attempt_count + 1), lease_token=CAST(anon_1.value ->> 0 AS VARCHAR),
  lease_until=LEAST(((SELECT clock_timestamp()) + CAST(anon_1.value ->> 2 AS FLOAT) * interval '1 second'),
  export_jobs.deadline_at), worker_id=CAST(anon_1.value ->> 3 AS VARCHAR), progress_rows=:progress_rows::BIGINT,
  progress_bytes=:progress_bytes::BIGINT, estimated_rows=:estimated_rows::BIGINT,
  estimate_source=:estimate_source::VARCHAR FROM jsonb_array_elements(CAST(:records_json::VARCHAR AS jsonb)) AS anon_1
  WHERE export_jobs.id = CAST(anon_1.value ->> 1 AS VARCHAR) AND export_jobs.status = 'queued' AND
  export_jobs.available_at <= (SELECT clock_timestamp()) AND export_jobs.attempt_count < export_jobs.attempt_limit AND
  export_jobs.deadline_at > (SELECT clock_timestamp()) RETURNING export_jobs.id, export_jobs.tenant, export_jobs.owner,
  export_jobs.request_key, export_jobs.request_fingerprint, export_jobs.parameters_fingerprint, export_jobs.export,
  export_jobs.parameters_json, export_jobs.format, export_jobs.columns_json, export_jobs.status, export_jobs.created_at,
  export_jobs.available_at, export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at,
  export_jobs.attempt_count, export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token,
  export_jobs.lease_until, export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes,
  export_jobs.estimated_rows, export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id,
  export_jobs.trace_context, export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source;

-- transition.close_attempt
UPDATE export_attempts SET ended_at=(SELECT clock_timestamp()), lease_until=coalesce(:until::TIMESTAMP WITH TIME ZONE,
  export_attempts.lease_until), outcome=:outcome::VARCHAR, error_code=:code::VARCHAR,
  error_detail=:detail::VARCHAR, rows=coalesce(:rows::BIGINT, export_attempts.rows),
  bytes=coalesce(:bytes::BIGINT, export_attempts.bytes) WHERE export_attempts.job_id = :job::VARCHAR AND
  export_attempts.outcome IS NULL;

-- transition.close_attempt.many
UPDATE export_attempts SET ended_at=(SELECT clock_timestamp()), lease_until=coalesce(CAST(anon_1.value ->> 6 AS
  TIMESTAMP WITH TIME ZONE), export_attempts.lease_until), outcome=CAST(anon_1.value ->> 4 AS VARCHAR),
  error_code=CAST(anon_1.value ->> 1 AS VARCHAR), error_detail=CAST(anon_1.value ->> 2 AS VARCHAR),
  rows=coalesce(CAST(anon_1.value ->> 5 AS BIGINT), export_attempts.rows), bytes=coalesce(CAST(anon_1.value ->> 0 AS
  BIGINT), export_attempts.bytes) FROM jsonb_array_elements(CAST(:records_json::VARCHAR AS jsonb)) AS anon_1 WHERE
  export_attempts.job_id = CAST(anon_1.value ->> 3 AS VARCHAR) AND export_attempts.outcome IS NULL;

-- transition.complete
--   :status is 'succeeded'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
--   :estimated_rows is None
--   :estimate_source is None
UPDATE export_jobs SET status=:status::VARCHAR, finished_at=(SELECT clock_timestamp()),
  lease_token=:lease_token::VARCHAR, lease_until=:lease_until::TIMESTAMP WITH TIME ZONE, worker_id=:worker_id::VARCHAR,
  progress_rows=:rows::BIGINT, progress_bytes=:bytes::BIGINT, estimated_rows=:estimated_rows::BIGINT,
  estimate_source=:estimate_source::VARCHAR WHERE export_jobs.id = :job_id::VARCHAR AND export_jobs.status = 'running'
  AND export_jobs.lease_token = :token::VARCHAR AND export_jobs.lease_until > (SELECT clock_timestamp()) RETURNING
  export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint,
  export_jobs.parameters_fingerprint, export_jobs.export, export_jobs.parameters_json, export_jobs.format,
  export_jobs.columns_json, export_jobs.status, export_jobs.created_at, export_jobs.available_at,
  export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at, export_jobs.attempt_count,
  export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token, export_jobs.lease_until,
  export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes, export_jobs.estimated_rows,
  export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id, export_jobs.trace_context,
  export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source;

-- transition.complete.many
--   :status is 'succeeded'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
--   :estimated_rows is None
--   :estimate_source is None
UPDATE export_jobs SET status=:status::VARCHAR, finished_at=(SELECT clock_timestamp()),
  lease_token=:lease_token::VARCHAR, lease_until=:lease_until::TIMESTAMP WITH TIME ZONE, worker_id=:worker_id::VARCHAR,
  progress_rows=CAST(anon_1.value ->> 2 AS BIGINT), progress_bytes=CAST(anon_1.value ->> 0 AS BIGINT),
  estimated_rows=:estimated_rows::BIGINT, estimate_source=:estimate_source::VARCHAR FROM
  jsonb_array_elements(CAST(:records_json::VARCHAR AS jsonb)) AS anon_1 WHERE export_jobs.id = CAST(anon_1.value ->> 1
  AS VARCHAR) AND export_jobs.status = 'running' AND export_jobs.lease_token = CAST(anon_1.value ->> 3 AS VARCHAR) AND
  export_jobs.lease_until > (SELECT clock_timestamp()) RETURNING export_jobs.id, export_jobs.tenant, export_jobs.owner,
  export_jobs.request_key, export_jobs.request_fingerprint, export_jobs.parameters_fingerprint, export_jobs.export,
  export_jobs.parameters_json, export_jobs.format, export_jobs.columns_json, export_jobs.status, export_jobs.created_at,
  export_jobs.available_at, export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at,
  export_jobs.attempt_count, export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token,
  export_jobs.lease_until, export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes,
  export_jobs.estimated_rows, export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id,
  export_jobs.trace_context, export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source;

-- transition.exhaust
--   :status is 'failed'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
--   :param_1 is 1
UPDATE export_jobs SET status=:status::VARCHAR, finished_at=(SELECT clock_timestamp()),
  lease_token=:lease_token::VARCHAR, lease_until=:lease_until::TIMESTAMP WITH TIME ZONE, worker_id=:worker_id::VARCHAR,
  error_code=CASE WHEN (export_jobs.deadline_at <= (SELECT clock_timestamp())) THEN 'deadline_exceeded' WHEN
  (export_jobs.status = 'running') THEN 'worker_lost' ELSE coalesce((SELECT export_attempts.error_code
FROM export_attempts
WHERE export_attempts.job_id = export_jobs.id AND export_attempts.error_code IS NOT NULL ORDER BY export_attempts.number
  DESC
 LIMIT :param_1::INTEGER), 'worker_lost') END WHERE export_jobs.id = :job_id::VARCHAR AND (export_jobs.status =
  'queued' OR export_jobs.status = 'running') AND (export_jobs.deadline_at <= (SELECT clock_timestamp()) OR
  export_jobs.attempt_count >= export_jobs.attempt_limit) AND (export_jobs.lease_until IS NULL OR
  export_jobs.lease_until <= (SELECT clock_timestamp())) RETURNING export_jobs.id, export_jobs.tenant,
  export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint, export_jobs.parameters_fingerprint,
  export_jobs.export, export_jobs.parameters_json, export_jobs.format, export_jobs.columns_json, export_jobs.status,
  export_jobs.created_at, export_jobs.available_at, export_jobs.deadline_at, export_jobs.started_at,
  export_jobs.finished_at, export_jobs.attempt_count, export_jobs.attempt_limit, export_jobs.release_count,
  export_jobs.lease_token, export_jobs.lease_until, export_jobs.worker_id, export_jobs.progress_rows,
  export_jobs.progress_bytes, export_jobs.estimated_rows, export_jobs.error_code, export_jobs.error_detail,
  export_jobs.request_id, export_jobs.trace_context, export_jobs.regenerated_from, export_jobs.erased_at,
  export_jobs.estimate_source;

-- transition.fail
--   :status is 'failed'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
UPDATE export_jobs SET status=:status::VARCHAR, finished_at=(SELECT clock_timestamp()),
  lease_token=:lease_token::VARCHAR, lease_until=:lease_until::TIMESTAMP WITH TIME ZONE, worker_id=:worker_id::VARCHAR,
  error_code=:code::VARCHAR, error_detail=:detail::VARCHAR WHERE export_jobs.id = :job_id::VARCHAR AND
  export_jobs.status = 'running' AND export_jobs.lease_token = :token::VARCHAR AND export_jobs.lease_until > (SELECT
  clock_timestamp()) RETURNING export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.request_key,
  export_jobs.request_fingerprint, export_jobs.parameters_fingerprint, export_jobs.export, export_jobs.parameters_json,
  export_jobs.format, export_jobs.columns_json, export_jobs.status, export_jobs.created_at, export_jobs.available_at,
  export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at, export_jobs.attempt_count,
  export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token, export_jobs.lease_until,
  export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes, export_jobs.estimated_rows,
  export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id, export_jobs.trace_context,
  export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source;

-- transition.lease
SELECT export_jobs.lease_until
FROM export_jobs
WHERE export_jobs.id = :job_id::VARCHAR;

-- transition.open_attempt
INSERT INTO export_attempts (job_id, number, worker_id, claimed_at, lease_until, storage_key, reserved_bytes) SELECT
  :job_id::VARCHAR AS anon_1, :number::INTEGER AS anon_2, :worker::VARCHAR AS anon_3, (SELECT clock_timestamp())
  AS anon_4, :until::TIMESTAMP WITH TIME ZONE AS anon_5, :storage_key::VARCHAR AS anon_6, :reserve::BIGINT AS
  anon_7;

-- transition.open_attempt.many
INSERT INTO export_attempts (job_id, number, worker_id, claimed_at, lease_until, storage_key, reserved_bytes) SELECT
  CAST(anon_2.value ->> 0 AS VARCHAR) AS anon_1, CAST(anon_2.value ->> 1 AS INTEGER) AS anon_3, CAST(anon_2.value ->> 5
  AS VARCHAR) AS anon_4, (SELECT clock_timestamp()) AS anon_5, CAST(anon_2.value ->> 4 AS TIMESTAMP WITH TIME ZONE) AS
  anon_6, CAST(anon_2.value ->> 3 AS VARCHAR) AS anon_7, CAST(anon_2.value ->> 2 AS BIGINT) AS anon_8
FROM jsonb_array_elements(CAST(:records_json::VARCHAR AS jsonb)) AS anon_2;

-- transition.reclaim
--   :progress_rows is 0
--   :progress_bytes is 0
--   :estimated_rows is None
--   :estimate_source is None
UPDATE export_jobs SET started_at=coalesce(export_jobs.started_at, (SELECT clock_timestamp())),
  attempt_count=(export_jobs.attempt_count + 1), lease_token=:fresh_token::VARCHAR, lease_until=LEAST(((SELECT
  clock_timestamp()) + :lease_seconds * interval '1 second'), export_jobs.deadline_at), worker_id=:worker::VARCHAR,
  progress_rows=:progress_rows::BIGINT, progress_bytes=:progress_bytes::BIGINT, estimated_rows=:estimated_rows::BIGINT,
  estimate_source=:estimate_source::VARCHAR WHERE export_jobs.id = :job_id::VARCHAR AND export_jobs.status = 'running'
  AND export_jobs.lease_until <= (SELECT clock_timestamp()) AND export_jobs.attempt_count < export_jobs.attempt_limit
  AND export_jobs.deadline_at > (SELECT clock_timestamp()) RETURNING export_jobs.id, export_jobs.tenant,
  export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint, export_jobs.parameters_fingerprint,
  export_jobs.export, export_jobs.parameters_json, export_jobs.format, export_jobs.columns_json, export_jobs.status,
  export_jobs.created_at, export_jobs.available_at, export_jobs.deadline_at, export_jobs.started_at,
  export_jobs.finished_at, export_jobs.attempt_count, export_jobs.attempt_limit, export_jobs.release_count,
  export_jobs.lease_token, export_jobs.lease_until, export_jobs.worker_id, export_jobs.progress_rows,
  export_jobs.progress_bytes, export_jobs.estimated_rows, export_jobs.error_code, export_jobs.error_detail,
  export_jobs.request_id, export_jobs.trace_context, export_jobs.regenerated_from, export_jobs.erased_at,
  export_jobs.estimate_source;

-- transition.release
--   :status is 'queued'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
UPDATE export_jobs SET status=:status::VARCHAR, available_at=(SELECT clock_timestamp()),
  attempt_limit=(export_jobs.attempt_limit + 1), release_count=(export_jobs.release_count + 1),
  lease_token=:lease_token::VARCHAR, lease_until=:lease_until::TIMESTAMP WITH TIME ZONE, worker_id=:worker_id::VARCHAR
  WHERE export_jobs.id = :job_id::VARCHAR AND export_jobs.status = 'running' AND export_jobs.lease_token =
  :token::VARCHAR AND export_jobs.release_count < :release_limit::INTEGER RETURNING export_jobs.id,
  export_jobs.tenant, export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint,
  export_jobs.parameters_fingerprint, export_jobs.export, export_jobs.parameters_json, export_jobs.format,
  export_jobs.columns_json, export_jobs.status, export_jobs.created_at, export_jobs.available_at,
  export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at, export_jobs.attempt_count,
  export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token, export_jobs.lease_until,
  export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes, export_jobs.estimated_rows,
  export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id, export_jobs.trace_context,
  export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source;

-- transition.renew
UPDATE export_jobs SET lease_until=LEAST(((SELECT clock_timestamp()) + :lease_seconds * interval '1 second'),
  export_jobs.deadline_at), progress_rows=:rows::BIGINT, progress_bytes=:bytes::BIGINT,
  estimated_rows=:estimated::BIGINT, estimate_source=:estimate_source::VARCHAR WHERE export_jobs.id =
  :job_id::VARCHAR AND export_jobs.status = 'running' AND export_jobs.lease_token = :token::VARCHAR RETURNING
  export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint,
  export_jobs.parameters_fingerprint, export_jobs.export, export_jobs.parameters_json, export_jobs.format,
  export_jobs.columns_json, export_jobs.status, export_jobs.created_at, export_jobs.available_at,
  export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at, export_jobs.attempt_count,
  export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token, export_jobs.lease_until,
  export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes, export_jobs.estimated_rows,
  export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id, export_jobs.trace_context,
  export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source;

-- transition.requeue
--   :status is 'queued'
--   :finished_at is None
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
--   :progress_rows is 0
--   :progress_bytes is 0
--   :estimated_rows is None
--   :error_code is None
--   :error_detail is None
--   :estimate_source is None
UPDATE export_jobs SET status=:status::VARCHAR, available_at=(SELECT clock_timestamp()), deadline_at=((SELECT
  clock_timestamp()) + :deadline_seconds * interval '1 second'), finished_at=:finished_at::TIMESTAMP WITH TIME ZONE,
  attempt_limit=(export_jobs.attempt_count + :further_attempts::INTEGER), lease_token=:lease_token::VARCHAR,
  lease_until=:lease_until::TIMESTAMP WITH TIME ZONE, worker_id=:worker_id::VARCHAR,
  progress_rows=:progress_rows::BIGINT, progress_bytes=:progress_bytes::BIGINT, estimated_rows=:estimated_rows::BIGINT,
  error_code=:error_code::VARCHAR, error_detail=:error_detail::VARCHAR, estimate_source=:estimate_source::VARCHAR WHERE
  export_jobs.id = :job_id::VARCHAR AND export_jobs.status = 'failed' AND export_jobs.attempt_count =
  :expected_count::INTEGER AND export_jobs.erased_at IS NULL RETURNING export_jobs.id, export_jobs.tenant,
  export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint, export_jobs.parameters_fingerprint,
  export_jobs.export, export_jobs.parameters_json, export_jobs.format, export_jobs.columns_json, export_jobs.status,
  export_jobs.created_at, export_jobs.available_at, export_jobs.deadline_at, export_jobs.started_at,
  export_jobs.finished_at, export_jobs.attempt_count, export_jobs.attempt_limit, export_jobs.release_count,
  export_jobs.lease_token, export_jobs.lease_until, export_jobs.worker_id, export_jobs.progress_rows,
  export_jobs.progress_bytes, export_jobs.estimated_rows, export_jobs.error_code, export_jobs.error_detail,
  export_jobs.request_id, export_jobs.trace_context, export_jobs.regenerated_from, export_jobs.erased_at,
  export_jobs.estimate_source;

-- transition.retry
--   :status is 'queued'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
UPDATE export_jobs SET status=:status::VARCHAR, available_at=((SELECT clock_timestamp()) + :delay_seconds * interval
  '1 second'), lease_token=:lease_token::VARCHAR, lease_until=:lease_until::TIMESTAMP WITH TIME ZONE,
  worker_id=:worker_id::VARCHAR WHERE export_jobs.id = :job_id::VARCHAR AND export_jobs.status = 'running' AND
  export_jobs.lease_token = :token::VARCHAR AND export_jobs.lease_until > (SELECT clock_timestamp()) AND
  export_jobs.attempt_count < export_jobs.attempt_limit AND ((SELECT clock_timestamp()) + :delay_seconds * interval '1
  second') < export_jobs.deadline_at RETURNING export_jobs.id, export_jobs.tenant, export_jobs.owner,
  export_jobs.request_key, export_jobs.request_fingerprint, export_jobs.parameters_fingerprint, export_jobs.export,
  export_jobs.parameters_json, export_jobs.format, export_jobs.columns_json, export_jobs.status, export_jobs.created_at,
  export_jobs.available_at, export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at,
  export_jobs.attempt_count, export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token,
  export_jobs.lease_until, export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes,
  export_jobs.estimated_rows, export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id,
  export_jobs.trace_context, export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source;
