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
  export_results.details_json AS result_details_json, CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS
  INTEGER) AS read_at
FROM export_jobs LEFT OUTER JOIN export_results ON export_results.job_id = export_jobs.id
WHERE export_jobs.id = :job_id;

-- jobs.erase
UPDATE export_jobs SET erased_at=CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) WHERE
  export_jobs.id = :job_id AND export_jobs.erased_at IS NULL;

-- jobs.history
--   :param_1 is 0
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
  export_results.details_json AS result_details_json, CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS
  INTEGER) AS read_at
FROM export_jobs LEFT OUTER JOIN export_results ON export_results.job_id = export_jobs.id
WHERE export_jobs.tenant = :tenant AND export_jobs.owner = :owner ORDER BY export_jobs.created_at DESC,
  export_jobs.id DESC
 LIMIT :most OFFSET :param_1;

-- jobs.history_before
--   :param_1 is 0
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
  export_results.details_json AS result_details_json, CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS
  INTEGER) AS read_at
FROM export_jobs LEFT OUTER JOIN export_results ON export_results.job_id = export_jobs.id
WHERE export_jobs.tenant = :tenant AND export_jobs.owner = :owner AND export_jobs.created_at <= :created_at AND
  (export_jobs.created_at < :created_at OR export_jobs.id < :job_id) ORDER BY export_jobs.created_at DESC,
  export_jobs.id DESC
 LIMIT :most OFFSET :param_1;

-- jobs.recent_seconds
--   :param_1 is 20
--   :param_2 is 0
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) - export_jobs.created_at) / 1000.0) -
  ((CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) - export_jobs.finished_at) / 1000.0) AS seconds
FROM export_jobs
WHERE export_jobs.finished_at IS NOT NULL ORDER BY export_jobs.finished_at DESC
 LIMIT :param_1 OFFSET :param_2;

-- jobs.statuses
SELECT export_jobs.id, export_jobs.status, export_jobs.attempt_count, export_jobs.erased_at
FROM export_jobs
WHERE export_jobs.id IN (SELECT anon_1.value
FROM json_each(:job_ids_json) AS anon_1);
