-- inspect.attempts
--   :param_1 is 1000
SELECT export_attempts.job_id, export_attempts.number, export_attempts.worker_id, export_attempts.claimed_at,
  export_attempts.ended_at, export_attempts.lease_until, export_attempts.outcome, export_attempts.error_code,
  export_attempts.error_detail, export_attempts.storage_key, export_attempts.rows, export_attempts.bytes,
  export_attempts.reserved_bytes
FROM export_attempts
WHERE export_attempts.job_id = :job_id::VARCHAR ORDER BY export_attempts.number
 LIMIT :param_1::INTEGER;

-- inspect.by_key
SELECT export_jobs.id
FROM export_jobs
WHERE export_jobs.tenant = :tenant::VARCHAR AND export_jobs.owner = :owner::VARCHAR AND export_jobs.request_key =
  :key::VARCHAR;

-- inspect.by_request
--   :param_1 is 20
SELECT export_jobs.id
FROM export_jobs
WHERE export_jobs.request_id IS NOT NULL AND export_jobs.request_id = :request_id::VARCHAR ORDER BY export_jobs.id
 LIMIT :param_1::INTEGER;

-- inspect.list
SELECT export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint,
  export_jobs.parameters_fingerprint, export_jobs.export, export_jobs.parameters_json, export_jobs.format,
  export_jobs.columns_json, export_jobs.status, export_jobs.created_at, export_jobs.available_at,
  export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at, export_jobs.attempt_count,
  export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token, export_jobs.lease_until,
  export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes, export_jobs.estimated_rows,
  export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id, export_jobs.trace_context,
  export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source
FROM export_jobs
WHERE (:status::VARCHAR IS NULL OR export_jobs.status = :status::VARCHAR) AND (:export::VARCHAR IS NULL OR
  export_jobs.export = :export::VARCHAR) AND (:owner::VARCHAR IS NULL OR export_jobs.owner = :owner::VARCHAR) AND
  (:code::VARCHAR IS NULL OR export_jobs.error_code = :code::VARCHAR) AND (:before::VARCHAR IS NULL OR
  export_jobs.id < :before::VARCHAR) ORDER BY export_jobs.id DESC
 LIMIT :most::INTEGER;

-- inspect.list_live
SELECT export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint,
  export_jobs.parameters_fingerprint, export_jobs.export, export_jobs.parameters_json, export_jobs.format,
  export_jobs.columns_json, export_jobs.status, export_jobs.created_at, export_jobs.available_at,
  export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at, export_jobs.attempt_count,
  export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token, export_jobs.lease_until,
  export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes, export_jobs.estimated_rows,
  export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id, export_jobs.trace_context,
  export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source
FROM export_jobs
WHERE finished_at IS NULL AND (:status::VARCHAR IS NULL OR export_jobs.status = :status::VARCHAR) AND
  (:export::VARCHAR IS NULL OR export_jobs.export = :export::VARCHAR) AND (:owner::VARCHAR IS NULL OR
  export_jobs.owner = :owner::VARCHAR) AND (:code::VARCHAR IS NULL OR export_jobs.error_code = :code::VARCHAR) AND
  (:before::VARCHAR IS NULL OR export_jobs.id < :before::VARCHAR) ORDER BY export_jobs.created_at DESC,
  export_jobs.id DESC
 LIMIT :most::INTEGER;

-- inspect.others_running
SELECT count(*) AS count
FROM export_jobs
WHERE status = 'running' AND export_jobs.tenant = :tenant::VARCHAR AND export_jobs.owner = :owner::VARCHAR AND
  export_jobs.id != :job_id::VARCHAR;

-- inspect.spent
SELECT spent_keys.keep_until
FROM spent_keys
WHERE spent_keys.tenant = :tenant::VARCHAR AND spent_keys.owner = :owner::VARCHAR AND spent_keys.request_key =
  :key::VARCHAR;

-- inspect.workers
SELECT workers.id, workers.host, workers.pid, workers.exports_json, workers.started_at, workers.seen_at,
  workers.stopped_at
FROM workers
WHERE workers.id IN (SELECT anon_1.value
FROM jsonb_array_elements_text(CAST(:ids_json::VARCHAR AS jsonb)) AS anon_1);
