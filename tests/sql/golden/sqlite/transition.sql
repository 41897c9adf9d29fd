-- transition.cancel
--   :status is 'cancelled'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
UPDATE export_jobs SET status=:status, finished_at=CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER),
  lease_token=:lease_token, lease_until=:lease_until, worker_id=:worker_id WHERE export_jobs.id = :job_id AND
  (+export_jobs.status = 'queued' OR +export_jobs.status = 'running') RETURNING id, tenant, owner, request_key,
  request_fingerprint, parameters_fingerprint, export, parameters_json, format, columns_json, status, created_at,
  available_at, deadline_at, started_at, finished_at, attempt_count, attempt_limit, release_count, lease_token,
  lease_until, worker_id, progress_rows, progress_bytes, estimated_rows, error_code, error_detail, request_id,
  trace_context, regenerated_from, erased_at, estimate_source;

-- transition.claim
--   :status is 'running'
--   :progress_rows is 0
--   :progress_bytes is 0
--   :estimated_rows is None
--   :estimate_source is None
UPDATE export_jobs SET status=:status, started_at=coalesce(export_jobs.started_at, CAST(round((julianday('now') -
  2440587.5) * 86400000.0) AS INTEGER)), attempt_count=(export_jobs.attempt_count + 1), lease_token=:fresh_token,
  lease_until=min((CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) + CAST(round(:lease_seconds *
  1000.0) AS INTEGER)), export_jobs.deadline_at), worker_id=:worker, progress_rows=:progress_rows,
  progress_bytes=:progress_bytes, estimated_rows=:estimated_rows, estimate_source=:estimate_source WHERE export_jobs.id
  = :job_id AND +export_jobs.status = 'queued' AND export_jobs.available_at <= CAST(round((julianday('now') -
  2440587.5) * 86400000.0) AS INTEGER) AND export_jobs.attempt_count < export_jobs.attempt_limit AND
  export_jobs.deadline_at > CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) RETURNING id, tenant,
  owner, request_key, request_fingerprint, parameters_fingerprint, export, parameters_json, format, columns_json,
  status, created_at, available_at, deadline_at, started_at, finished_at, attempt_count, attempt_limit, release_count,
  lease_token, lease_until, worker_id, progress_rows, progress_bytes, estimated_rows, error_code, error_detail,
  request_id, trace_context, regenerated_from, erased_at, estimate_source;

-- transition.claim.many
--   :status is 'running'
--   :progress_rows is 0
--   :progress_bytes is 0
--   :estimated_rows is None
--   :estimate_source is None
UPDATE export_jobs SET status=:status, started_at=coalesce(export_jobs.started_at, CAST(round((julianday('now') -
  2440587.5) * 86400000.0) AS INTEGER)), attempt_count=(export_jobs.attempt_count + 1), lease_token=CAST(anon_1.value
  ->> 0 AS VARCHAR), lease_until=min((CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) +
  CAST(round(CAST(anon_1.value ->> 2 AS FLOAT) * 1000.0) AS INTEGER)), export_jobs.deadline_at),
  worker_id=CAST(anon_1.value ->> 3 AS VARCHAR), progress_rows=:progress_rows, progress_bytes=:progress_bytes,
  estimated_rows=:estimated_rows, estimate_source=:estimate_source FROM json_each(:records_json) AS anon_1 WHERE
  export_jobs.id = CAST(anon_1.value ->> 1 AS VARCHAR) AND +export_jobs.status = 'queued' AND export_jobs.available_at
  <= CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) AND export_jobs.attempt_count <
  export_jobs.attempt_limit AND export_jobs.deadline_at > CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS
  INTEGER) RETURNING id, tenant, owner, request_key, request_fingerprint, parameters_fingerprint, export,
  parameters_json, format, columns_json, status, created_at, available_at, deadline_at, started_at, finished_at,
  attempt_count, attempt_limit, release_count, lease_token, lease_until, worker_id, progress_rows, progress_bytes,
  estimated_rows, error_code, error_detail, request_id, trace_context, regenerated_from, erased_at, estimate_source;

-- transition.close_attempt
UPDATE export_attempts SET ended_at=CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER),
  lease_until=coalesce(:until, export_attempts.lease_until), outcome=:outcome, error_code=:code,
  error_detail=:detail, rows=coalesce(:rows, export_attempts.rows), bytes=coalesce(:bytes, export_attempts.bytes)
  WHERE export_attempts.job_id = :job AND export_attempts.outcome IS NULL;

-- transition.close_attempt.many
UPDATE export_attempts SET ended_at=CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER),
  lease_until=coalesce(CAST(anon_1.value ->> 6 AS BIGINT), export_attempts.lease_until), outcome=CAST(anon_1.value ->> 4
  AS VARCHAR), error_code=CAST(anon_1.value ->> 1 AS VARCHAR), error_detail=CAST(anon_1.value ->> 2 AS VARCHAR),
  rows=coalesce(CAST(anon_1.value ->> 5 AS BIGINT), export_attempts.rows), bytes=coalesce(CAST(anon_1.value ->> 0 AS
  BIGINT), export_attempts.bytes) FROM json_each(:records_json) AS anon_1 WHERE export_attempts.job_id =
  CAST(anon_1.value ->> 3 AS VARCHAR) AND export_attempts.outcome IS NULL;

-- transition.complete
--   :status is 'succeeded'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
--   :estimated_rows is None
--   :estimate_source is None
UPDATE export_jobs SET status=:status, finished_at=CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER),
  lease_token=:lease_token, lease_until=:lease_until, worker_id=:worker_id, progress_rows=:rows,
  progress_bytes=:bytes, estimated_rows=:estimated_rows, estimate_source=:estimate_source WHERE export_jobs.id =
  :job_id AND +export_jobs.status = 'running' AND export_jobs.lease_token = :token AND export_jobs.lease_until >
  CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) RETURNING id, tenant, owner, request_key,
  request_fingerprint, parameters_fingerprint, export, parameters_json, format, columns_json, status, created_at,
  available_at, deadline_at, started_at, finished_at, attempt_count, attempt_limit, release_count, lease_token,
  lease_until, worker_id, progress_rows, progress_bytes, estimated_rows, error_code, error_detail, request_id,
  trace_context, regenerated_from, erased_at, estimate_source;

-- transition.complete.many
--   :status is 'succeeded'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
--   :estimated_rows is None
--   :estimate_source is None
UPDATE export_jobs SET status=:status, finished_at=CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER),
  lease_token=:lease_token, lease_until=:lease_until, worker_id=:worker_id, progress_rows=CAST(anon_1.value ->> 2 AS
  BIGINT), progress_bytes=CAST(anon_1.value ->> 0 AS BIGINT), estimated_rows=:estimated_rows,
  estimate_source=:estimate_source FROM json_each(:records_json) AS anon_1 WHERE export_jobs.id = CAST(anon_1.value
  ->> 1 AS VARCHAR) AND +export_jobs.status = 'running' AND export_jobs.lease_token = CAST(anon_1.value ->> 3 AS
  VARCHAR) AND export_jobs.lease_until > CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) RETURNING
  id, tenant, owner, request_key, request_fingerprint, parameters_fingerprint, export, parameters_json, format,
  columns_json, status, created_at, available_at, deadline_at, started_at, finished_at, attempt_count, attempt_limit,
  release_count, lease_token, lease_until, worker_id, progress_rows, progress_bytes, estimated_rows, error_code,
  error_detail, request_id, trace_context, regenerated_from, erased_at, estimate_source;

-- transition.exhaust
--   :status is 'failed'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
--   :param_1 is 1
--   :param_2 is 0
UPDATE export_jobs SET status=:status, finished_at=CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER),
  lease_token=:lease_token, lease_until=:lease_until, worker_id=:worker_id, error_code=CASE WHEN
  (export_jobs.deadline_at <= CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)) THEN
  'deadline_exceeded' WHEN (export_jobs.status = 'running') THEN 'worker_lost' ELSE coalesce((SELECT
  export_attempts.error_code
FROM export_attempts
WHERE export_attempts.job_id = export_jobs.id AND export_attempts.error_code IS NOT NULL ORDER BY export_attempts.number
  DESC
 LIMIT :param_1 OFFSET :param_2), 'worker_lost') END WHERE export_jobs.id = :job_id AND (+export_jobs.status =
  'queued' OR +export_jobs.status = 'running') AND (export_jobs.deadline_at <= CAST(round((julianday('now') - 2440587.5)
  * 86400000.0) AS INTEGER) OR export_jobs.attempt_count >= export_jobs.attempt_limit) AND (export_jobs.lease_until IS
  NULL OR export_jobs.lease_until <= CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)) RETURNING id,
  tenant, owner, request_key, request_fingerprint, parameters_fingerprint, export, parameters_json, format,
  columns_json, status, created_at, available_at, deadline_at, started_at, finished_at, attempt_count, attempt_limit,
  release_count, lease_token, lease_until, worker_id, progress_rows, progress_bytes, estimated_rows, error_code,
  error_detail, request_id, trace_context, regenerated_from, erased_at, estimate_source;

-- transition.fail
--   :status is 'failed'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
UPDATE export_jobs SET status=:status, finished_at=CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER),
  lease_token=:lease_token, lease_until=:lease_until, worker_id=:worker_id, error_code=:code, error_detail=:detail
  WHERE export_jobs.id = :job_id AND +export_jobs.status = 'running' AND export_jobs.lease_token = :token AND
  export_jobs.lease_until > CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) RETURNING id, tenant,
  owner, request_key, request_fingerprint, parameters_fingerprint, export, parameters_json, format, columns_json,
  status, created_at, available_at, deadline_at, started_at, finished_at, attempt_count, attempt_limit, release_count,
  lease_token, lease_until, worker_id, progress_rows, progress_bytes, estimated_rows, error_code, error_detail,
  request_id, trace_context, regenerated_from, erased_at, estimate_source;

-- transition.lease
SELECT export_jobs.lease_until
FROM export_jobs
WHERE export_jobs.id = :job_id;

-- transition.open_attempt
INSERT INTO export_attempts (job_id, number, worker_id, claimed_at, lease_until, storage_key, reserved_bytes) SELECT
  :job_id AS anon_1, :number AS anon_2, :worker AS anon_3, CAST(round((julianday('now') - 2440587.5) * 86400000.0)
  AS INTEGER) AS anon_4, :until AS anon_5, :storage_key AS anon_6, :reserve AS anon_7;

-- transition.open_attempt.many
INSERT INTO export_attempts (job_id, number, worker_id, claimed_at, lease_until, storage_key, reserved_bytes) SELECT
  CAST(anon_2.value ->> 0 AS VARCHAR) AS anon_1, CAST(anon_2.value ->> 1 AS INTEGER) AS anon_3, CAST(anon_2.value ->> 5
  AS VARCHAR) AS anon_4, CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) AS anon_5,
  CAST(anon_2.value ->> 4 AS BIGINT) AS anon_6, CAST(anon_2.value ->> 3 AS VARCHAR) AS anon_7, CAST(anon_2.value ->> 2
  AS BIGINT) AS anon_8
FROM json_each(:records_json) AS anon_2;

-- transition.reclaim
--   :progress_rows is 0
--   :progress_bytes is 0
--   :estimated_rows is None
--   :estimate_source is None
UPDATE export_jobs SET started_at=coalesce(export_jobs.started_at, CAST(round((julianday('now') - 2440587.5) *
  86400000.0) AS INTEGER)), attempt_count=(export_jobs.attempt_count + 1), lease_token=:fresh_token,
  lease_until=min((CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) + CAST(round(:lease_seconds *
  1000.0) AS INTEGER)), export_jobs.deadline_at), worker_id=:worker, progress_rows=:progress_rows,
  progress_bytes=:progress_bytes, estimated_rows=:estimated_rows, estimate_source=:estimate_source WHERE export_jobs.id
  = :job_id AND +export_jobs.status = 'running' AND export_jobs.lease_until <= CAST(round((julianday('now') -
  2440587.5) * 86400000.0) AS INTEGER) AND export_jobs.attempt_count < export_jobs.attempt_limit AND
  export_jobs.deadline_at > CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) RETURNING id, tenant,
  owner, request_key, request_fingerprint, parameters_fingerprint, export, parameters_json, format, columns_json,
  status, created_at, available_at, deadline_at, started_at, finished_at, attempt_count, attempt_limit, release_count,
  lease_token, lease_until, worker_id, progress_rows, progress_bytes, estimated_rows, error_code, error_detail,
  request_id, trace_context, regenerated_from, erased_at, estimate_source;

-- transition.release
--   :status is 'queued'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
UPDATE export_jobs SET status=:status, available_at=CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER),
  attempt_limit=(export_jobs.attempt_limit + 1), release_count=(export_jobs.release_count + 1),
  lease_token=:lease_token, lease_until=:lease_until, worker_id=:worker_id WHERE export_jobs.id = :job_id AND
  +export_jobs.status = 'running' AND export_jobs.lease_token = :token AND export_jobs.release_count <
  :release_limit RETURNING id, tenant, owner, request_key, request_fingerprint, parameters_fingerprint, export,
  parameters_json, format, columns_json, status, created_at, available_at, deadline_at, started_at, finished_at,
  attempt_count, attempt_limit, release_count, lease_token, lease_until, worker_id, progress_rows, progress_bytes,
  estimated_rows, error_code, error_detail, request_id, trace_context, regenerated_from, erased_at, estimate_source;

-- transition.renew
UPDATE export_jobs SET lease_until=min((CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) +
  CAST(round(:lease_seconds * 1000.0) AS INTEGER)), export_jobs.deadline_at), progress_rows=:rows,
  progress_bytes=:bytes, estimated_rows=:estimated, estimate_source=:estimate_source WHERE export_jobs.id =
  :job_id AND +export_jobs.status = 'running' AND export_jobs.lease_token = :token RETURNING id, tenant, owner,
  request_key, request_fingerprint, parameters_fingerprint, export, parameters_json, format, columns_json, status,
  created_at, available_at, deadline_at, started_at, finished_at, attempt_count, attempt_limit, release_count,
  lease_token, lease_until, worker_id, progress_rows, progress_bytes, estimated_rows, error_code, error_detail,
  request_id, trace_context, regenerated_from, erased_at, estimate_source;

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
UPDATE export_jobs SET status=:status, available_at=CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER),
  deadline_at=(CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) + CAST(round(:deadline_seconds *
  1000.0) AS INTEGER)), finished_at=:finished_at, attempt_limit=(export_jobs.attempt_count + :further_attempts),
  lease_token=:lease_token, lease_until=:lease_until, worker_id=:worker_id, progress_rows=:progress_rows,
  progress_bytes=:progress_bytes, estimated_rows=:estimated_rows, error_code=:error_code, error_detail=:error_detail,
  estimate_source=:estimate_source WHERE export_jobs.id = :job_id AND +export_jobs.status = 'failed' AND
  export_jobs.attempt_count = :expected_count AND export_jobs.erased_at IS NULL RETURNING id, tenant, owner,
  request_key, request_fingerprint, parameters_fingerprint, export, parameters_json, format, columns_json, status,
  created_at, available_at, deadline_at, started_at, finished_at, attempt_count, attempt_limit, release_count,
  lease_token, lease_until, worker_id, progress_rows, progress_bytes, estimated_rows, error_code, error_detail,
  request_id, trace_context, regenerated_from, erased_at, estimate_source;

-- transition.retry
--   :status is 'queued'
--   :lease_token is None
--   :lease_until is None
--   :worker_id is None
UPDATE export_jobs SET status=:status, available_at=(CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)
  + CAST(round(:delay_seconds * 1000.0) AS INTEGER)), lease_token=:lease_token, lease_until=:lease_until,
  worker_id=:worker_id WHERE export_jobs.id = :job_id AND +export_jobs.status = 'running' AND export_jobs.lease_token
  = :token AND export_jobs.lease_until > CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) AND
  export_jobs.attempt_count < export_jobs.attempt_limit AND (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS
  INTEGER) + CAST(round(:delay_seconds * 1000.0) AS INTEGER)) < export_jobs.deadline_at RETURNING id, tenant, owner,
  request_key, request_fingerprint, parameters_fingerprint, export, parameters_json, format, columns_json, status,
  created_at, available_at, deadline_at, started_at, finished_at, attempt_count, attempt_limit, release_count,
  lease_token, lease_until, worker_id, progress_rows, progress_bytes, estimated_rows, error_code, error_detail,
  request_id, trace_context, regenerated_from, erased_at, estimate_source;
