-- jobs.by_id
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
  outlast.export_jobs.estimate_source, outlast.export_results.job_id AS result_job_id, outlast.export_results.storage AS
  result_storage, outlast.export_results.storage_key AS result_storage_key, outlast.export_results.content_type AS
  result_content_type, outlast.export_results.filename AS result_filename, outlast.export_results.bytes AS result_bytes,
  outlast.export_results.rows AS result_rows, outlast.export_results.sha256 AS result_sha256,
  outlast.export_results.as_of AS result_as_of, outlast.export_results.warnings_json AS result_warnings_json,
  outlast.export_results.created_at AS result_created_at, outlast.export_results.expires_at AS result_expires_at,
  outlast.export_results.deleted_at AS result_deleted_at, outlast.export_results.details_json AS result_details_json,
  date_trunc('milliseconds', statement_timestamp()) AS read_at
FROM outlast.export_jobs LEFT OUTER JOIN outlast.export_results ON outlast.export_results.job_id =
  outlast.export_jobs.id
WHERE outlast.export_jobs.id = :job_id::VARCHAR;

-- jobs.erase
UPDATE outlast.export_jobs SET erased_at=date_trunc('milliseconds', statement_timestamp()) WHERE outlast.export_jobs.id
  = :job_id::VARCHAR AND outlast.export_jobs.erased_at IS NULL;

-- jobs.history
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
  outlast.export_jobs.estimate_source, outlast.export_results.job_id AS result_job_id, outlast.export_results.storage AS
  result_storage, outlast.export_results.storage_key AS result_storage_key, outlast.export_results.content_type AS
  result_content_type, outlast.export_results.filename AS result_filename, outlast.export_results.bytes AS result_bytes,
  outlast.export_results.rows AS result_rows, outlast.export_results.sha256 AS result_sha256,
  outlast.export_results.as_of AS result_as_of, outlast.export_results.warnings_json AS result_warnings_json,
  outlast.export_results.created_at AS result_created_at, outlast.export_results.expires_at AS result_expires_at,
  outlast.export_results.deleted_at AS result_deleted_at, outlast.export_results.details_json AS result_details_json,
  date_trunc('milliseconds', statement_timestamp()) AS read_at
FROM outlast.export_jobs LEFT OUTER JOIN outlast.export_results ON outlast.export_results.job_id =
  outlast.export_jobs.id
WHERE outlast.export_jobs.tenant = :tenant::VARCHAR AND outlast.export_jobs.owner = :owner::VARCHAR ORDER BY
  outlast.export_jobs.created_at DESC, outlast.export_jobs.id DESC
 LIMIT :most::INTEGER;

-- jobs.history_before
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
  outlast.export_jobs.estimate_source, outlast.export_results.job_id AS result_job_id, outlast.export_results.storage AS
  result_storage, outlast.export_results.storage_key AS result_storage_key, outlast.export_results.content_type AS
  result_content_type, outlast.export_results.filename AS result_filename, outlast.export_results.bytes AS result_bytes,
  outlast.export_results.rows AS result_rows, outlast.export_results.sha256 AS result_sha256,
  outlast.export_results.as_of AS result_as_of, outlast.export_results.warnings_json AS result_warnings_json,
  outlast.export_results.created_at AS result_created_at, outlast.export_results.expires_at AS result_expires_at,
  outlast.export_results.deleted_at AS result_deleted_at, outlast.export_results.details_json AS result_details_json,
  date_trunc('milliseconds', statement_timestamp()) AS read_at
FROM outlast.export_jobs LEFT OUTER JOIN outlast.export_results ON outlast.export_results.job_id =
  outlast.export_jobs.id
WHERE outlast.export_jobs.tenant = :tenant::VARCHAR AND outlast.export_jobs.owner = :owner::VARCHAR AND
  outlast.export_jobs.created_at <= :created_at::TIMESTAMP WITH TIME ZONE AND (outlast.export_jobs.created_at <
  :created_at::TIMESTAMP WITH TIME ZONE OR outlast.export_jobs.id < :job_id::VARCHAR) ORDER BY
  outlast.export_jobs.created_at DESC, outlast.export_jobs.id DESC
 LIMIT :most::INTEGER;

-- jobs.recent_seconds
--   :param_1 is 20
SELECT CAST(extract(epoch FROM date_trunc('milliseconds', statement_timestamp()) - outlast.export_jobs.created_at) AS
  DOUBLE PRECISION) - CAST(extract(epoch FROM date_trunc('milliseconds', statement_timestamp()) -
  outlast.export_jobs.finished_at) AS DOUBLE PRECISION) AS seconds
FROM outlast.export_jobs
WHERE outlast.export_jobs.finished_at IS NOT NULL ORDER BY outlast.export_jobs.finished_at DESC
 LIMIT :param_1::INTEGER;

-- jobs.statuses
SELECT outlast.export_jobs.id, outlast.export_jobs.status, outlast.export_jobs.attempt_count,
  outlast.export_jobs.erased_at
FROM outlast.export_jobs
WHERE outlast.export_jobs.id IN (SELECT anon_1.value
FROM jsonb_array_elements_text(CAST(:job_ids_json::VARCHAR AS jsonb)) AS anon_1);
