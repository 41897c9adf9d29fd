-- jobs.by_id
SELECT export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint,
  export_jobs.parameters_fingerprint, export_jobs.export, export_jobs.parameters_json, export_jobs.format,
  export_jobs.columns_json, export_jobs.status, export_jobs.created_at, export_jobs.available_at,
  export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at, export_jobs.attempt_count,
  export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token, export_jobs.lease_until,
  export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes, export_jobs.estimated_rows,
  export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id, export_jobs.trace_context,
  export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source, export_results.job_id AS
  result_job_id, export_results.storage AS result_storage, export_results.storage_key AS result_storage_key,
  export_results.content_type AS result_content_type, export_results.filename AS result_filename, export_results.bytes
  AS result_bytes, export_results.rows AS result_rows, export_results.sha256 AS result_sha256, export_results.as_of AS
  result_as_of, export_results.warnings_json AS result_warnings_json, export_results.created_at AS result_created_at,
  export_results.expires_at AS result_expires_at, export_results.deleted_at AS result_deleted_at,
  export_results.details_json AS result_details_json, (SELECT clock_timestamp()) AS read_at
FROM export_jobs LEFT OUTER JOIN export_results ON export_results.job_id = export_jobs.id
WHERE export_jobs.id = :job_id::VARCHAR;

-- jobs.erase
UPDATE export_jobs SET erased_at=(SELECT clock_timestamp()) WHERE export_jobs.id = :job_id::VARCHAR AND
  export_jobs.erased_at IS NULL;

-- jobs.history
SELECT export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint,
  export_jobs.parameters_fingerprint, export_jobs.export, export_jobs.parameters_json, export_jobs.format,
  export_jobs.columns_json, export_jobs.status, export_jobs.created_at, export_jobs.available_at,
  export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at, export_jobs.attempt_count,
  export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token, export_jobs.lease_until,
  export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes, export_jobs.estimated_rows,
  export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id, export_jobs.trace_context,
  export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source, export_results.job_id AS
  result_job_id, export_results.storage AS result_storage, export_results.storage_key AS result_storage_key,
  export_results.content_type AS result_content_type, export_results.filename AS result_filename, export_results.bytes
  AS result_bytes, export_results.rows AS result_rows, export_results.sha256 AS result_sha256, export_results.as_of AS
  result_as_of, export_results.warnings_json AS result_warnings_json, export_results.created_at AS result_created_at,
  export_results.expires_at AS result_expires_at, export_results.deleted_at AS result_deleted_at,
  export_results.details_json AS result_details_json, (SELECT clock_timestamp()) AS read_at
FROM export_jobs LEFT OUTER JOIN export_results ON export_results.job_id = export_jobs.id
WHERE export_jobs.tenant = :tenant::VARCHAR AND export_jobs.owner = :owner::VARCHAR ORDER BY export_jobs.created_at
  DESC, export_jobs.id DESC
 LIMIT :most::INTEGER;

-- jobs.history_before
SELECT export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint,
  export_jobs.parameters_fingerprint, export_jobs.export, export_jobs.parameters_json, export_jobs.format,
  export_jobs.columns_json, export_jobs.status, export_jobs.created_at, export_jobs.available_at,
  export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at, export_jobs.attempt_count,
  export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token, export_jobs.lease_until,
  export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes, export_jobs.estimated_rows,
  export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id, export_jobs.trace_context,
  export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source, export_results.job_id AS
  result_job_id, export_results.storage AS result_storage, export_results.storage_key AS result_storage_key,
  export_results.content_type AS result_content_type, export_results.filename AS result_filename, export_results.bytes
  AS result_bytes, export_results.rows AS result_rows, export_results.sha256 AS result_sha256, export_results.as_of AS
  result_as_of, export_results.warnings_json AS result_warnings_json, export_results.created_at AS result_created_at,
  export_results.expires_at AS result_expires_at, export_results.deleted_at AS result_deleted_at,
  export_results.details_json AS result_details_json, (SELECT clock_timestamp()) AS read_at
FROM export_jobs LEFT OUTER JOIN export_results ON export_results.job_id = export_jobs.id
WHERE export_jobs.tenant = :tenant::VARCHAR AND export_jobs.owner = :owner::VARCHAR AND export_jobs.created_at <=
  :created_at::TIMESTAMP WITH TIME ZONE AND (export_jobs.created_at < :created_at::TIMESTAMP WITH TIME ZONE OR
  export_jobs.id < :job_id::VARCHAR) ORDER BY export_jobs.created_at DESC, export_jobs.id DESC
 LIMIT :most::INTEGER;

-- jobs.recent_seconds
--   :param_1 is 20
SELECT extract(epoch FROM (SELECT clock_timestamp()) - export_jobs.created_at) - extract(epoch FROM (SELECT
  clock_timestamp()) - export_jobs.finished_at) AS seconds
FROM export_jobs
WHERE export_jobs.finished_at IS NOT NULL ORDER BY export_jobs.finished_at DESC
 LIMIT :param_1::INTEGER;

-- jobs.statuses
SELECT export_jobs.id, export_jobs.status, export_jobs.attempt_count, export_jobs.erased_at
FROM export_jobs
WHERE export_jobs.id IN (SELECT anon_1.value
FROM jsonb_array_elements_text(CAST(:job_ids_json::VARCHAR AS jsonb)) AS anon_1);
