-- settle.fence
SELECT 1 AS anon_1
FROM outlast.export_jobs
WHERE status = 'running' AND outlast.export_jobs.id = :job_id::VARCHAR AND outlast.export_jobs.lease_token =
  :token::VARCHAR AND outlast.export_jobs.lease_until > date_trunc('milliseconds', statement_timestamp());

-- settle.insert_result
INSERT INTO outlast.export_results (job_id, bytes, rows, as_of, created_at, expires_at, storage, storage_key,
  content_type, filename, sha256, warnings_json, details_json) SELECT outlast.export_jobs.id, :bytes::BIGINT AS
  anon_1, :rows::BIGINT AS anon_2, :as_of::TIMESTAMP WITH TIME ZONE AS anon_3, date_trunc('milliseconds',
  statement_timestamp()) AS anon_4, (date_trunc('milliseconds', statement_timestamp()) + round(CAST(:lifetime_seconds
  AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond') AS anon_5, :storage::VARCHAR AS anon_6,
  :storage_key::VARCHAR AS anon_7, :content_type::VARCHAR AS anon_8, :filename::VARCHAR AS anon_9,
  :sha256::VARCHAR AS anon_10, :warnings_json::VARCHAR AS anon_11, :details_json::VARCHAR AS anon_12
FROM outlast.export_jobs
WHERE status = 'running' AND outlast.export_jobs.id = :job_id::VARCHAR AND outlast.export_jobs.lease_token =
  :token::VARCHAR AND outlast.export_jobs.lease_until > date_trunc('milliseconds', statement_timestamp());

-- settle.insert_result.many
INSERT INTO outlast.export_results (job_id, bytes, rows, as_of, created_at, expires_at, storage, storage_key,
  content_type, filename, sha256, warnings_json, details_json) SELECT outlast.export_jobs.id, CAST(anon_2.value ->> 1 AS
  BIGINT) AS anon_1, CAST(anon_2.value ->> 7 AS BIGINT) AS anon_3, CAST(anon_2.value ->> 0 AS TIMESTAMP WITH TIME ZONE)
  AS anon_4, date_trunc('milliseconds', statement_timestamp()) AS anon_5, (date_trunc('milliseconds',
  statement_timestamp()) + round(CAST(CAST(anon_2.value ->> 6 AS FLOAT) AS DOUBLE PRECISION) * 1000.0) * interval '1
  millisecond') AS anon_6, CAST(anon_2.value ->> 9 AS VARCHAR) AS anon_7, CAST(anon_2.value ->> 10 AS VARCHAR) AS
  anon_8, CAST(anon_2.value ->> 2 AS VARCHAR) AS anon_9, CAST(anon_2.value ->> 4 AS VARCHAR) AS anon_10,
  CAST(anon_2.value ->> 8 AS VARCHAR) AS anon_11, CAST(anon_2.value ->> 12 AS VARCHAR) AS anon_12, CAST(anon_2.value ->>
  3 AS VARCHAR) AS anon_13
FROM outlast.export_jobs, jsonb_array_elements(CAST(:records_json::VARCHAR AS jsonb)) AS anon_2
WHERE status = 'running' AND outlast.export_jobs.id = CAST(anon_2.value ->> 5 AS VARCHAR) AND
  outlast.export_jobs.lease_token = CAST(anon_2.value ->> 11 AS VARCHAR) AND outlast.export_jobs.lease_until >
  date_trunc('milliseconds', statement_timestamp());

-- settle.outcome_of
SELECT outlast.export_jobs.id, outlast.export_jobs.tenant, outlast.export_jobs.owner, outlast.export_jobs.request_key,
  outlast.export_jobs.request_fingerprint, outlast.export_jobs.parameters_fingerprint, outlast.export_jobs.export,
  outlast.export_jobs.parameters_json, outlast.export_jobs.format, outlast.export_jobs.columns_json,
  outlast.export_jobs.status, outlast.export_jobs.created_at, outlast.export_jobs.available_at,
  outlast.export_jobs.deadline_at, outlast.export_jobs.started_at, outlast.export_jobs.finished_at,
  outlast.export_jobs.attempt_count, outlast.export_jobs.attempt_limit, outlast.export_jobs.release_count,
  outlast.export_jobs.lease_token, outlast.export_jobs.lease_until, outlast.export_jobs.worker_id,
  outlast.export_jobs.progress_rows, outlast.export_jobs.progress_bytes, outlast.export_jobs.estimated_rows,
  outlast.export_jobs.error_code, outlast.export_jobs.error_detail, outlast.export_jobs.request_id,
  outlast.export_jobs.trace_context, outlast.export_jobs.regenerated_from, outlast.export_jobs.erased_at,
  outlast.export_jobs.estimate_source, outlast.export_attempts.outcome
FROM outlast.export_jobs JOIN outlast.export_attempts ON outlast.export_attempts.job_id = outlast.export_jobs.id
WHERE outlast.export_jobs.id = :job_id::VARCHAR AND outlast.export_attempts.number = :number::INTEGER AND
  outlast.export_attempts.ended_at IS NOT NULL;

-- settle.reserve
UPDATE outlast.export_attempts SET rows=:rows::BIGINT, bytes=:bytes::BIGINT,
  reserved_bytes=GREATEST(outlast.export_attempts.reserved_bytes, :bytes::BIGINT) WHERE outlast.export_attempts.job_id
  = :job_id::VARCHAR AND outlast.export_attempts.number = :number::INTEGER;
