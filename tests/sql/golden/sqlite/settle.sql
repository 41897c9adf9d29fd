-- settle.fence
SELECT 1 AS anon_1
FROM export_jobs
WHERE status = 'running' AND export_jobs.id = :job_id AND export_jobs.lease_token = :token AND
  export_jobs.lease_until > CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER);

-- settle.insert_result
INSERT INTO export_results (job_id, bytes, rows, as_of, created_at, expires_at, storage, storage_key, content_type,
  filename, sha256, warnings_json, details_json) SELECT export_jobs.id, :bytes AS anon_1, :rows AS anon_2, :as_of
  AS anon_3, CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) AS anon_4,
  (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) + CAST(round(:lifetime_seconds * 1000.0) AS
  INTEGER)) AS anon_5, :storage AS anon_6, :storage_key AS anon_7, :content_type AS anon_8, :filename AS anon_9,
  :sha256 AS anon_10, :warnings_json AS anon_11, :details_json AS anon_12
FROM export_jobs
WHERE status = 'running' AND export_jobs.id = :job_id AND export_jobs.lease_token = :token AND
  export_jobs.lease_until > CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER);

-- settle.insert_result.many
INSERT INTO export_results (job_id, bytes, rows, as_of, created_at, expires_at, storage, storage_key, content_type,
  filename, sha256, warnings_json, details_json) SELECT export_jobs.id, CAST(anon_2.value ->> 1 AS BIGINT) AS anon_1,
  CAST(anon_2.value ->> 7 AS BIGINT) AS anon_3, CAST(anon_2.value ->> 0 AS BIGINT) AS anon_4,
  CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) AS anon_5, (CAST(round((julianday('now') -
  2440587.5) * 86400000.0) AS INTEGER) + CAST(round(CAST(anon_2.value ->> 6 AS FLOAT) * 1000.0) AS INTEGER)) AS anon_6,
  CAST(anon_2.value ->> 9 AS VARCHAR) AS anon_7, CAST(anon_2.value ->> 10 AS VARCHAR) AS anon_8, CAST(anon_2.value ->> 2
  AS VARCHAR) AS anon_9, CAST(anon_2.value ->> 4 AS VARCHAR) AS anon_10, CAST(anon_2.value ->> 8 AS VARCHAR) AS anon_11,
  CAST(anon_2.value ->> 12 AS VARCHAR) AS anon_12, CAST(anon_2.value ->> 3 AS VARCHAR) AS anon_13
FROM export_jobs, json_each(:records_json) AS anon_2
WHERE status = 'running' AND export_jobs.id = CAST(anon_2.value ->> 5 AS VARCHAR) AND export_jobs.lease_token =
  CAST(anon_2.value ->> 11 AS VARCHAR) AND export_jobs.lease_until > CAST(round((julianday('now') - 2440587.5) *
  86400000.0) AS INTEGER);

-- settle.outcome_of
SELECT export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint,
  export_jobs.parameters_fingerprint, export_jobs.export, export_jobs.parameters_json, export_jobs.format,
  export_jobs.columns_json, export_jobs.status, export_jobs.created_at, export_jobs.available_at,
  export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at, export_jobs.attempt_count,
  export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token, export_jobs.lease_until,
  export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes, export_jobs.estimated_rows,
  export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id, export_jobs.trace_context,
  export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source, export_attempts.outcome
FROM export_jobs JOIN export_attempts ON export_attempts.job_id = export_jobs.id
WHERE export_jobs.id = :job_id AND export_attempts.number = :number AND export_attempts.ended_at IS NOT NULL;

-- settle.reserve
UPDATE export_attempts SET rows=:rows, bytes=:bytes, reserved_bytes=max(export_attempts.reserved_bytes, :bytes)
  WHERE export_attempts.job_id = :job_id AND export_attempts.number = :number;
