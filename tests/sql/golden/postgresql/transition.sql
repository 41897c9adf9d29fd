-- transition.cancel
--   :status is 'cancelled'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
UPDATE outlast.export_jobs SET status=:status::VARCHAR, finished_at=date_trunc('milliseconds', statement_timestamp()),
  lease_token=:lease_token::VARCHAR, lease_until=:lease_until::TIMESTAMP WITH TIME ZONE, worker_id=:worker_id::VARCHAR
  WHERE outlast.export_jobs.id = :job_id::VARCHAR AND (outlast.export_jobs.status = 'queued' OR
  outlast.export_jobs.status = 'running') RETURNING outlast.export_jobs.id, outlast.export_jobs.tenant,
  outlast.export_jobs.owner, outlast.export_jobs.request_key, outlast.export_jobs.request_fingerprint,
  outlast.export_jobs.parameters_fingerprint, outlast.export_jobs.export, outlast.export_jobs.parameters_json,
  outlast.export_jobs.format, outlast.export_jobs.columns_json, outlast.export_jobs.status,
  outlast.export_jobs.created_at, outlast.export_jobs.available_at, outlast.export_jobs.deadline_at,
  outlast.export_jobs.started_at, outlast.export_jobs.finished_at, outlast.export_jobs.attempt_count,
  outlast.export_jobs.attempt_limit, outlast.export_jobs.release_count, outlast.export_jobs.lease_token,
  outlast.export_jobs.lease_until, outlast.export_jobs.worker_id, outlast.export_jobs.progress_rows,
  outlast.export_jobs.progress_bytes, outlast.export_jobs.estimated_rows, outlast.export_jobs.error_code,
  outlast.export_jobs.error_detail, outlast.export_jobs.request_id, outlast.export_jobs.trace_context,
  outlast.export_jobs.regenerated_from, outlast.export_jobs.erased_at, outlast.export_jobs.estimate_source;

-- transition.claim
--   :status is 'running'
--   :progress_rows is 0
--   :progress_bytes is 0
--   :estimated_rows is None
--   :estimate_source is None
UPDATE outlast.export_jobs SET status=:status::VARCHAR, started_at=coalesce(outlast.export_jobs.started_at,
  date_trunc('milliseconds', statement_timestamp())), attempt_count=(outlast.export_jobs.attempt_count + 1),
  lease_token=:fresh_token::VARCHAR, lease_until=LEAST((date_trunc('milliseconds', statement_timestamp()) +
  round(CAST(:lease_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond'),
  outlast.export_jobs.deadline_at), worker_id=:worker::VARCHAR, progress_rows=:progress_rows::BIGINT,
  progress_bytes=:progress_bytes::BIGINT, estimated_rows=:estimated_rows::BIGINT,
  estimate_source=:estimate_source::VARCHAR WHERE outlast.export_jobs.id = :job_id::VARCHAR AND
  outlast.export_jobs.status = 'queued' AND outlast.export_jobs.available_at <= date_trunc('milliseconds',
  statement_timestamp()) AND outlast.export_jobs.attempt_count < outlast.export_jobs.attempt_limit AND
  outlast.export_jobs.deadline_at > date_trunc('milliseconds', statement_timestamp()) RETURNING outlast.export_jobs.id,
  outlast.export_jobs.tenant, outlast.export_jobs.owner, outlast.export_jobs.request_key,
  outlast.export_jobs.request_fingerprint, outlast.export_jobs.parameters_fingerprint, outlast.export_jobs.export,
  outlast.export_jobs.parameters_json, outlast.export_jobs.format, outlast.export_jobs.columns_json,
  outlast.export_jobs.status, outlast.export_jobs.created_at, outlast.export_jobs.available_at,
  outlast.export_jobs.deadline_at, outlast.export_jobs.started_at, outlast.export_jobs.finished_at,
  outlast.export_jobs.attempt_count, outlast.export_jobs.attempt_limit, outlast.export_jobs.release_count,
  outlast.export_jobs.lease_token, outlast.export_jobs.lease_until, outlast.export_jobs.worker_id,
  outlast.export_jobs.progress_rows, outlast.export_jobs.progress_bytes, outlast.export_jobs.estimated_rows,
  outlast.export_jobs.error_code, outlast.export_jobs.error_detail, outlast.export_jobs.request_id,
  outlast.export_jobs.trace_context, outlast.export_jobs.regenerated_from, outlast.export_jobs.erased_at,
  outlast.export_jobs.estimate_source;

-- transition.claim.many
--   :status is 'running'
--   :progress_rows is 0
--   :progress_bytes is 0
--   :estimated_rows is None
--   :estimate_source is None
UPDATE outlast.export_jobs SET status=:status::VARCHAR, started_at=coalesce(outlast.export_jobs.started_at,
  date_trunc('milliseconds', statement_timestamp())), attempt_count=(outlast.export_jobs.attempt_count + 1),
  lease_token=CAST(anon_1.value ->> 0 AS VARCHAR), lease_until=LEAST((date_trunc('milliseconds', statement_timestamp())
  + round(CAST(CAST(anon_1.value ->> 2 AS FLOAT) AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond'),
  outlast.export_jobs.deadline_at), worker_id=CAST(anon_1.value ->> 3 AS VARCHAR), progress_rows=:progress_rows::BIGINT,
  progress_bytes=:progress_bytes::BIGINT, estimated_rows=:estimated_rows::BIGINT,
  estimate_source=:estimate_source::VARCHAR FROM jsonb_array_elements(CAST(:records_json::VARCHAR AS jsonb)) AS anon_1
  WHERE outlast.export_jobs.id = CAST(anon_1.value ->> 1 AS VARCHAR) AND outlast.export_jobs.status = 'queued' AND
  outlast.export_jobs.available_at <= date_trunc('milliseconds', statement_timestamp()) AND
  outlast.export_jobs.attempt_count < outlast.export_jobs.attempt_limit AND outlast.export_jobs.deadline_at >
  date_trunc('milliseconds', statement_timestamp()) RETURNING outlast.export_jobs.id, outlast.export_jobs.tenant,
  outlast.export_jobs.owner, outlast.export_jobs.request_key, outlast.export_jobs.request_fingerprint,
  outlast.export_jobs.parameters_fingerprint, outlast.export_jobs.export, outlast.export_jobs.parameters_json,
  outlast.export_jobs.format, outlast.export_jobs.columns_json, outlast.export_jobs.status,
  outlast.export_jobs.created_at, outlast.export_jobs.available_at, outlast.export_jobs.deadline_at,
  outlast.export_jobs.started_at, outlast.export_jobs.finished_at, outlast.export_jobs.attempt_count,
  outlast.export_jobs.attempt_limit, outlast.export_jobs.release_count, outlast.export_jobs.lease_token,
  outlast.export_jobs.lease_until, outlast.export_jobs.worker_id, outlast.export_jobs.progress_rows,
  outlast.export_jobs.progress_bytes, outlast.export_jobs.estimated_rows, outlast.export_jobs.error_code,
  outlast.export_jobs.error_detail, outlast.export_jobs.request_id, outlast.export_jobs.trace_context,
  outlast.export_jobs.regenerated_from, outlast.export_jobs.erased_at, outlast.export_jobs.estimate_source;

-- transition.close_attempt
UPDATE outlast.export_attempts SET ended_at=date_trunc('milliseconds', statement_timestamp()),
  lease_until=coalesce(:until::TIMESTAMP WITH TIME ZONE, outlast.export_attempts.lease_until),
  outcome=:outcome::VARCHAR, error_code=:code::VARCHAR, error_detail=:detail::VARCHAR,
  rows=coalesce(:rows::BIGINT, outlast.export_attempts.rows), bytes=coalesce(:bytes::BIGINT,
  outlast.export_attempts.bytes) WHERE outlast.export_attempts.job_id = :job::VARCHAR AND
  outlast.export_attempts.outcome IS NULL;

-- transition.close_attempt.many
UPDATE outlast.export_attempts SET ended_at=date_trunc('milliseconds', statement_timestamp()),
  lease_until=coalesce(CAST(anon_1.value ->> 6 AS TIMESTAMP WITH TIME ZONE), outlast.export_attempts.lease_until),
  outcome=CAST(anon_1.value ->> 4 AS VARCHAR), error_code=CAST(anon_1.value ->> 1 AS VARCHAR),
  error_detail=CAST(anon_1.value ->> 2 AS VARCHAR), rows=coalesce(CAST(anon_1.value ->> 5 AS BIGINT),
  outlast.export_attempts.rows), bytes=coalesce(CAST(anon_1.value ->> 0 AS BIGINT), outlast.export_attempts.bytes) FROM
  jsonb_array_elements(CAST(:records_json::VARCHAR AS jsonb)) AS anon_1 WHERE outlast.export_attempts.job_id =
  CAST(anon_1.value ->> 3 AS VARCHAR) AND outlast.export_attempts.outcome IS NULL;

-- transition.complete
--   :status is 'succeeded'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
--   :estimated_rows is None
--   :estimate_source is None
UPDATE outlast.export_jobs SET status=:status::VARCHAR, finished_at=date_trunc('milliseconds', statement_timestamp()),
  lease_token=:lease_token::VARCHAR, lease_until=:lease_until::TIMESTAMP WITH TIME ZONE, worker_id=:worker_id::VARCHAR,
  progress_rows=:rows::BIGINT, progress_bytes=:bytes::BIGINT, estimated_rows=:estimated_rows::BIGINT,
  estimate_source=:estimate_source::VARCHAR WHERE outlast.export_jobs.id = :job_id::VARCHAR AND
  outlast.export_jobs.status = 'running' AND outlast.export_jobs.lease_token = :token::VARCHAR AND
  outlast.export_jobs.lease_until > date_trunc('milliseconds', statement_timestamp()) RETURNING outlast.export_jobs.id,
  outlast.export_jobs.tenant, outlast.export_jobs.owner, outlast.export_jobs.request_key,
  outlast.export_jobs.request_fingerprint, outlast.export_jobs.parameters_fingerprint, outlast.export_jobs.export,
  outlast.export_jobs.parameters_json, outlast.export_jobs.format, outlast.export_jobs.columns_json,
  outlast.export_jobs.status, outlast.export_jobs.created_at, outlast.export_jobs.available_at,
  outlast.export_jobs.deadline_at, outlast.export_jobs.started_at, outlast.export_jobs.finished_at,
  outlast.export_jobs.attempt_count, outlast.export_jobs.attempt_limit, outlast.export_jobs.release_count,
  outlast.export_jobs.lease_token, outlast.export_jobs.lease_until, outlast.export_jobs.worker_id,
  outlast.export_jobs.progress_rows, outlast.export_jobs.progress_bytes, outlast.export_jobs.estimated_rows,
  outlast.export_jobs.error_code, outlast.export_jobs.error_detail, outlast.export_jobs.request_id,
  outlast.export_jobs.trace_context, outlast.export_jobs.regenerated_from, outlast.export_jobs.erased_at,
  outlast.export_jobs.estimate_source;

-- transition.complete.many
--   :status is 'succeeded'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
--   :estimated_rows is None
--   :estimate_source is None
UPDATE outlast.export_jobs SET status=:status::VARCHAR, finished_at=date_trunc('milliseconds', statement_timestamp()),
  lease_token=:lease_token::VARCHAR, lease_until=:lease_until::TIMESTAMP WITH TIME ZONE, worker_id=:worker_id::VARCHAR,
  progress_rows=CAST(anon_1.value ->> 2 AS BIGINT), progress_bytes=CAST(anon_1.value ->> 0 AS BIGINT),
  estimated_rows=:estimated_rows::BIGINT, estimate_source=:estimate_source::VARCHAR FROM
  jsonb_array_elements(CAST(:records_json::VARCHAR AS jsonb)) AS anon_1 WHERE outlast.export_jobs.id =
  CAST(anon_1.value ->> 1 AS VARCHAR) AND outlast.export_jobs.status = 'running' AND outlast.export_jobs.lease_token =
  CAST(anon_1.value ->> 3 AS VARCHAR) AND outlast.export_jobs.lease_until > date_trunc('milliseconds',
  statement_timestamp()) RETURNING outlast.export_jobs.id, outlast.export_jobs.tenant, outlast.export_jobs.owner,
  outlast.export_jobs.request_key, outlast.export_jobs.request_fingerprint, outlast.export_jobs.parameters_fingerprint,
  outlast.export_jobs.export, outlast.export_jobs.parameters_json, outlast.export_jobs.format,
  outlast.export_jobs.columns_json, outlast.export_jobs.status, outlast.export_jobs.created_at,
  outlast.export_jobs.available_at, outlast.export_jobs.deadline_at, outlast.export_jobs.started_at,
  outlast.export_jobs.finished_at, outlast.export_jobs.attempt_count, outlast.export_jobs.attempt_limit,
  outlast.export_jobs.release_count, outlast.export_jobs.lease_token, outlast.export_jobs.lease_until,
  outlast.export_jobs.worker_id, outlast.export_jobs.progress_rows, outlast.export_jobs.progress_bytes,
  outlast.export_jobs.estimated_rows, outlast.export_jobs.error_code, outlast.export_jobs.error_detail,
  outlast.export_jobs.request_id, outlast.export_jobs.trace_context, outlast.export_jobs.regenerated_from,
  outlast.export_jobs.erased_at, outlast.export_jobs.estimate_source;

-- transition.exhaust
--   :status is 'failed'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
--   :param_1 is 1
UPDATE outlast.export_jobs SET status=:status::VARCHAR, finished_at=date_trunc('milliseconds', statement_timestamp()),
  lease_token=:lease_token::VARCHAR, lease_until=:lease_until::TIMESTAMP WITH TIME ZONE, worker_id=:worker_id::VARCHAR,
  error_code=CASE WHEN (outlast.export_jobs.deadline_at <= date_trunc('milliseconds', statement_timestamp())) THEN
  'deadline_exceeded' WHEN (outlast.export_jobs.status = 'running') THEN 'worker_lost' ELSE coalesce((SELECT
  outlast.export_attempts.error_code
FROM outlast.export_attempts
WHERE outlast.export_attempts.job_id = outlast.export_jobs.id AND outlast.export_attempts.error_code IS NOT NULL ORDER
  BY outlast.export_attempts.number DESC
 LIMIT :param_1::INTEGER), 'worker_lost') END WHERE outlast.export_jobs.id = :job_id::VARCHAR AND
  (outlast.export_jobs.status = 'queued' OR outlast.export_jobs.status = 'running') AND (outlast.export_jobs.deadline_at
  <= date_trunc('milliseconds', statement_timestamp()) OR outlast.export_jobs.attempt_count >=
  outlast.export_jobs.attempt_limit) AND (outlast.export_jobs.lease_until IS NULL OR outlast.export_jobs.lease_until <=
  date_trunc('milliseconds', statement_timestamp())) RETURNING outlast.export_jobs.id, outlast.export_jobs.tenant,
  outlast.export_jobs.owner, outlast.export_jobs.request_key, outlast.export_jobs.request_fingerprint,
  outlast.export_jobs.parameters_fingerprint, outlast.export_jobs.export, outlast.export_jobs.parameters_json,
  outlast.export_jobs.format, outlast.export_jobs.columns_json, outlast.export_jobs.status,
  outlast.export_jobs.created_at, outlast.export_jobs.available_at, outlast.export_jobs.deadline_at,
  outlast.export_jobs.started_at, outlast.export_jobs.finished_at, outlast.export_jobs.attempt_count,
  outlast.export_jobs.attempt_limit, outlast.export_jobs.release_count, outlast.export_jobs.lease_token,
  outlast.export_jobs.lease_until, outlast.export_jobs.worker_id, outlast.export_jobs.progress_rows,
  outlast.export_jobs.progress_bytes, outlast.export_jobs.estimated_rows, outlast.export_jobs.error_code,
  outlast.export_jobs.error_detail, outlast.export_jobs.request_id, outlast.export_jobs.trace_context,
  outlast.export_jobs.regenerated_from, outlast.export_jobs.erased_at, outlast.export_jobs.estimate_source;

-- transition.fail
--   :status is 'failed'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
UPDATE outlast.export_jobs SET status=:status::VARCHAR, finished_at=date_trunc('milliseconds', statement_timestamp()),
  lease_token=:lease_token::VARCHAR, lease_until=:lease_until::TIMESTAMP WITH TIME ZONE, worker_id=:worker_id::VARCHAR,
  error_code=:code::VARCHAR, error_detail=:detail::VARCHAR WHERE outlast.export_jobs.id = :job_id::VARCHAR AND
  outlast.export_jobs.status = 'running' AND outlast.export_jobs.lease_token = :token::VARCHAR AND
  outlast.export_jobs.lease_until > date_trunc('milliseconds', statement_timestamp()) RETURNING outlast.export_jobs.id,
  outlast.export_jobs.tenant, outlast.export_jobs.owner, outlast.export_jobs.request_key,
  outlast.export_jobs.request_fingerprint, outlast.export_jobs.parameters_fingerprint, outlast.export_jobs.export,
  outlast.export_jobs.parameters_json, outlast.export_jobs.format, outlast.export_jobs.columns_json,
  outlast.export_jobs.status, outlast.export_jobs.created_at, outlast.export_jobs.available_at,
  outlast.export_jobs.deadline_at, outlast.export_jobs.started_at, outlast.export_jobs.finished_at,
  outlast.export_jobs.attempt_count, outlast.export_jobs.attempt_limit, outlast.export_jobs.release_count,
  outlast.export_jobs.lease_token, outlast.export_jobs.lease_until, outlast.export_jobs.worker_id,
  outlast.export_jobs.progress_rows, outlast.export_jobs.progress_bytes, outlast.export_jobs.estimated_rows,
  outlast.export_jobs.error_code, outlast.export_jobs.error_detail, outlast.export_jobs.request_id,
  outlast.export_jobs.trace_context, outlast.export_jobs.regenerated_from, outlast.export_jobs.erased_at,
  outlast.export_jobs.estimate_source;

-- transition.lease
SELECT outlast.export_jobs.lease_until
FROM outlast.export_jobs
WHERE outlast.export_jobs.id = :job_id::VARCHAR;

-- transition.open_attempt
INSERT INTO outlast.export_attempts (job_id, number, worker_id, claimed_at, lease_until, storage_key, reserved_bytes)
  SELECT :job_id::VARCHAR AS anon_1, :number::INTEGER AS anon_2, :worker::VARCHAR AS anon_3,
  date_trunc('milliseconds', statement_timestamp()) AS anon_4, :until::TIMESTAMP WITH TIME ZONE AS anon_5,
  :storage_key::VARCHAR AS anon_6, :reserve::BIGINT AS anon_7;

-- transition.open_attempt.many
INSERT INTO outlast.export_attempts (job_id, number, worker_id, claimed_at, lease_until, storage_key, reserved_bytes)
  SELECT CAST(anon_2.value ->> 0 AS VARCHAR) AS anon_1, CAST(anon_2.value ->> 1 AS INTEGER) AS anon_3, CAST(anon_2.value
  ->> 5 AS VARCHAR) AS anon_4, date_trunc('milliseconds', statement_timestamp()) AS anon_5, CAST(anon_2.value ->> 4 AS
  TIMESTAMP WITH TIME ZONE) AS anon_6, CAST(anon_2.value ->> 3 AS VARCHAR) AS anon_7, CAST(anon_2.value ->> 2 AS BIGINT)
  AS anon_8
FROM jsonb_array_elements(CAST(:records_json::VARCHAR AS jsonb)) AS anon_2;

-- transition.reclaim
--   :progress_rows is 0
--   :progress_bytes is 0
--   :estimated_rows is None
--   :estimate_source is None
UPDATE outlast.export_jobs SET started_at=coalesce(outlast.export_jobs.started_at, date_trunc('milliseconds',
  statement_timestamp())), attempt_count=(outlast.export_jobs.attempt_count + 1), lease_token=:fresh_token::VARCHAR,
  lease_until=LEAST((date_trunc('milliseconds', statement_timestamp()) + round(CAST(:lease_seconds AS DOUBLE
  PRECISION) * 1000.0) * interval '1 millisecond'), outlast.export_jobs.deadline_at), worker_id=:worker::VARCHAR,
  progress_rows=:progress_rows::BIGINT, progress_bytes=:progress_bytes::BIGINT, estimated_rows=:estimated_rows::BIGINT,
  estimate_source=:estimate_source::VARCHAR WHERE outlast.export_jobs.id = :job_id::VARCHAR AND
  outlast.export_jobs.status = 'running' AND outlast.export_jobs.lease_until <= date_trunc('milliseconds',
  statement_timestamp()) AND outlast.export_jobs.attempt_count < outlast.export_jobs.attempt_limit AND
  outlast.export_jobs.deadline_at > date_trunc('milliseconds', statement_timestamp()) RETURNING outlast.export_jobs.id,
  outlast.export_jobs.tenant, outlast.export_jobs.owner, outlast.export_jobs.request_key,
  outlast.export_jobs.request_fingerprint, outlast.export_jobs.parameters_fingerprint, outlast.export_jobs.export,
  outlast.export_jobs.parameters_json, outlast.export_jobs.format, outlast.export_jobs.columns_json,
  outlast.export_jobs.status, outlast.export_jobs.created_at, outlast.export_jobs.available_at,
  outlast.export_jobs.deadline_at, outlast.export_jobs.started_at, outlast.export_jobs.finished_at,
  outlast.export_jobs.attempt_count, outlast.export_jobs.attempt_limit, outlast.export_jobs.release_count,
  outlast.export_jobs.lease_token, outlast.export_jobs.lease_until, outlast.export_jobs.worker_id,
  outlast.export_jobs.progress_rows, outlast.export_jobs.progress_bytes, outlast.export_jobs.estimated_rows,
  outlast.export_jobs.error_code, outlast.export_jobs.error_detail, outlast.export_jobs.request_id,
  outlast.export_jobs.trace_context, outlast.export_jobs.regenerated_from, outlast.export_jobs.erased_at,
  outlast.export_jobs.estimate_source;

-- transition.release
--   :status is 'queued'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
UPDATE outlast.export_jobs SET status=:status::VARCHAR, available_at=date_trunc('milliseconds', statement_timestamp()),
  attempt_limit=(outlast.export_jobs.attempt_limit + 1), release_count=(outlast.export_jobs.release_count + 1),
  lease_token=:lease_token::VARCHAR, lease_until=:lease_until::TIMESTAMP WITH TIME ZONE, worker_id=:worker_id::VARCHAR
  WHERE outlast.export_jobs.id = :job_id::VARCHAR AND outlast.export_jobs.status = 'running' AND
  outlast.export_jobs.lease_token = :token::VARCHAR AND outlast.export_jobs.release_count < :release_limit::INTEGER
  RETURNING outlast.export_jobs.id, outlast.export_jobs.tenant, outlast.export_jobs.owner,
  outlast.export_jobs.request_key, outlast.export_jobs.request_fingerprint, outlast.export_jobs.parameters_fingerprint,
  outlast.export_jobs.export, outlast.export_jobs.parameters_json, outlast.export_jobs.format,
  outlast.export_jobs.columns_json, outlast.export_jobs.status, outlast.export_jobs.created_at,
  outlast.export_jobs.available_at, outlast.export_jobs.deadline_at, outlast.export_jobs.started_at,
  outlast.export_jobs.finished_at, outlast.export_jobs.attempt_count, outlast.export_jobs.attempt_limit,
  outlast.export_jobs.release_count, outlast.export_jobs.lease_token, outlast.export_jobs.lease_until,
  outlast.export_jobs.worker_id, outlast.export_jobs.progress_rows, outlast.export_jobs.progress_bytes,
  outlast.export_jobs.estimated_rows, outlast.export_jobs.error_code, outlast.export_jobs.error_detail,
  outlast.export_jobs.request_id, outlast.export_jobs.trace_context, outlast.export_jobs.regenerated_from,
  outlast.export_jobs.erased_at, outlast.export_jobs.estimate_source;

-- transition.renew
UPDATE outlast.export_jobs SET lease_until=LEAST((date_trunc('milliseconds', statement_timestamp()) +
  round(CAST(:lease_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond'),
  outlast.export_jobs.deadline_at), progress_rows=:rows::BIGINT, progress_bytes=:bytes::BIGINT,
  estimated_rows=:estimated::BIGINT, estimate_source=:estimate_source::VARCHAR WHERE outlast.export_jobs.id =
  :job_id::VARCHAR AND outlast.export_jobs.status = 'running' AND outlast.export_jobs.lease_token = :token::VARCHAR
  RETURNING outlast.export_jobs.id, outlast.export_jobs.tenant, outlast.export_jobs.owner,
  outlast.export_jobs.request_key, outlast.export_jobs.request_fingerprint, outlast.export_jobs.parameters_fingerprint,
  outlast.export_jobs.export, outlast.export_jobs.parameters_json, outlast.export_jobs.format,
  outlast.export_jobs.columns_json, outlast.export_jobs.status, outlast.export_jobs.created_at,
  outlast.export_jobs.available_at, outlast.export_jobs.deadline_at, outlast.export_jobs.started_at,
  outlast.export_jobs.finished_at, outlast.export_jobs.attempt_count, outlast.export_jobs.attempt_limit,
  outlast.export_jobs.release_count, outlast.export_jobs.lease_token, outlast.export_jobs.lease_until,
  outlast.export_jobs.worker_id, outlast.export_jobs.progress_rows, outlast.export_jobs.progress_bytes,
  outlast.export_jobs.estimated_rows, outlast.export_jobs.error_code, outlast.export_jobs.error_detail,
  outlast.export_jobs.request_id, outlast.export_jobs.trace_context, outlast.export_jobs.regenerated_from,
  outlast.export_jobs.erased_at, outlast.export_jobs.estimate_source;

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
UPDATE outlast.export_jobs SET status=:status::VARCHAR, available_at=date_trunc('milliseconds', statement_timestamp()),
  deadline_at=(date_trunc('milliseconds', statement_timestamp()) + round(CAST(:deadline_seconds AS DOUBLE PRECISION) *
  1000.0) * interval '1 millisecond'), finished_at=:finished_at::TIMESTAMP WITH TIME ZONE,
  attempt_limit=(outlast.export_jobs.attempt_count + :further_attempts::INTEGER), lease_token=:lease_token::VARCHAR,
  lease_until=:lease_until::TIMESTAMP WITH TIME ZONE, worker_id=:worker_id::VARCHAR,
  progress_rows=:progress_rows::BIGINT, progress_bytes=:progress_bytes::BIGINT, estimated_rows=:estimated_rows::BIGINT,
  error_code=:error_code::VARCHAR, error_detail=:error_detail::VARCHAR, estimate_source=:estimate_source::VARCHAR WHERE
  outlast.export_jobs.id = :job_id::VARCHAR AND outlast.export_jobs.status = 'failed' AND
  outlast.export_jobs.attempt_count = :expected_count::INTEGER AND outlast.export_jobs.erased_at IS NULL RETURNING
  outlast.export_jobs.id, outlast.export_jobs.tenant, outlast.export_jobs.owner, outlast.export_jobs.request_key,
  outlast.export_jobs.request_fingerprint, outlast.export_jobs.parameters_fingerprint, outlast.export_jobs.export,
  outlast.export_jobs.parameters_json, outlast.export_jobs.format, outlast.export_jobs.columns_json,
  outlast.export_jobs.status, outlast.export_jobs.created_at, outlast.export_jobs.available_at,
  outlast.export_jobs.deadline_at, outlast.export_jobs.started_at, outlast.export_jobs.finished_at,
  outlast.export_jobs.attempt_count, outlast.export_jobs.attempt_limit, outlast.export_jobs.release_count,
  outlast.export_jobs.lease_token, outlast.export_jobs.lease_until, outlast.export_jobs.worker_id,
  outlast.export_jobs.progress_rows, outlast.export_jobs.progress_bytes, outlast.export_jobs.estimated_rows,
  outlast.export_jobs.error_code, outlast.export_jobs.error_detail, outlast.export_jobs.request_id,
  outlast.export_jobs.trace_context, outlast.export_jobs.regenerated_from, outlast.export_jobs.erased_at,
  outlast.export_jobs.estimate_source;

-- transition.retry
--   :status is 'queued'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
UPDATE outlast.export_jobs SET status=:status::VARCHAR, available_at=(date_trunc('milliseconds', statement_timestamp())
  + round(CAST(:delay_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond'),
  lease_token=:lease_token::VARCHAR, lease_until=:lease_until::TIMESTAMP WITH TIME ZONE, worker_id=:worker_id::VARCHAR
  WHERE outlast.export_jobs.id = :job_id::VARCHAR AND outlast.export_jobs.status = 'running' AND
  outlast.export_jobs.lease_token = :token::VARCHAR AND outlast.export_jobs.lease_until > date_trunc('milliseconds',
  statement_timestamp()) AND outlast.export_jobs.attempt_count < outlast.export_jobs.attempt_limit AND
  (date_trunc('milliseconds', statement_timestamp()) + round(CAST(:delay_seconds AS DOUBLE PRECISION) * 1000.0) *
  interval '1 millisecond') < outlast.export_jobs.deadline_at RETURNING outlast.export_jobs.id,
  outlast.export_jobs.tenant, outlast.export_jobs.owner, outlast.export_jobs.request_key,
  outlast.export_jobs.request_fingerprint, outlast.export_jobs.parameters_fingerprint, outlast.export_jobs.export,
  outlast.export_jobs.parameters_json, outlast.export_jobs.format, outlast.export_jobs.columns_json,
  outlast.export_jobs.status, outlast.export_jobs.created_at, outlast.export_jobs.available_at,
  outlast.export_jobs.deadline_at, outlast.export_jobs.started_at, outlast.export_jobs.finished_at,
  outlast.export_jobs.attempt_count, outlast.export_jobs.attempt_limit, outlast.export_jobs.release_count,
  outlast.export_jobs.lease_token, outlast.export_jobs.lease_until, outlast.export_jobs.worker_id,
  outlast.export_jobs.progress_rows, outlast.export_jobs.progress_bytes, outlast.export_jobs.estimated_rows,
  outlast.export_jobs.error_code, outlast.export_jobs.error_detail, outlast.export_jobs.request_id,
  outlast.export_jobs.trace_context, outlast.export_jobs.regenerated_from, outlast.export_jobs.erased_at,
  outlast.export_jobs.estimate_source;
