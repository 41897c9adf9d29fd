-- inspect.attempts
--   :param_1 is 1000
SELECT outlast.export_attempts.job_id, outlast.export_attempts.number, outlast.export_attempts.worker_id,
  outlast.export_attempts.claimed_at, outlast.export_attempts.ended_at, outlast.export_attempts.lease_until,
  outlast.export_attempts.outcome, outlast.export_attempts.error_code, outlast.export_attempts.error_detail,
  outlast.export_attempts.storage_key, outlast.export_attempts.rows, outlast.export_attempts.bytes,
  outlast.export_attempts.reserved_bytes
FROM outlast.export_attempts
WHERE outlast.export_attempts.job_id = :job_id::VARCHAR ORDER BY outlast.export_attempts.number
 LIMIT :param_1::INTEGER;

-- inspect.by_key
SELECT outlast.export_jobs.id
FROM outlast.export_jobs
WHERE outlast.export_jobs.tenant = :tenant::VARCHAR AND outlast.export_jobs.owner = :owner::VARCHAR AND
  outlast.export_jobs.request_key = :key::VARCHAR;

-- inspect.by_request
--   :param_1 is 20
SELECT outlast.export_jobs.id
FROM outlast.export_jobs
WHERE outlast.export_jobs.request_id IS NOT NULL AND outlast.export_jobs.request_id = :request_id::VARCHAR ORDER BY
  outlast.export_jobs.id
 LIMIT :param_1::INTEGER;

-- inspect.list
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
  outlast.export_jobs.estimate_source
FROM outlast.export_jobs
WHERE (:status::VARCHAR IS NULL OR outlast.export_jobs.status = :status::VARCHAR) AND (:export::VARCHAR IS NULL OR
  outlast.export_jobs.export = :export::VARCHAR) AND (:owner::VARCHAR IS NULL OR outlast.export_jobs.owner =
  :owner::VARCHAR) AND (:code::VARCHAR IS NULL OR outlast.export_jobs.error_code = :code::VARCHAR) AND
  (:before::VARCHAR IS NULL OR outlast.export_jobs.id < :before::VARCHAR) ORDER BY outlast.export_jobs.id DESC
 LIMIT :most::INTEGER;

-- inspect.list_live
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
  outlast.export_jobs.estimate_source
FROM outlast.export_jobs
WHERE finished_at IS NULL AND (:status::VARCHAR IS NULL OR outlast.export_jobs.status = :status::VARCHAR) AND
  (:export::VARCHAR IS NULL OR outlast.export_jobs.export = :export::VARCHAR) AND (:owner::VARCHAR IS NULL OR
  outlast.export_jobs.owner = :owner::VARCHAR) AND (:code::VARCHAR IS NULL OR outlast.export_jobs.error_code =
  :code::VARCHAR) AND (:before::VARCHAR IS NULL OR outlast.export_jobs.id < :before::VARCHAR) ORDER BY
  outlast.export_jobs.created_at DESC, outlast.export_jobs.id DESC
 LIMIT :most::INTEGER;

-- inspect.others_running
SELECT count(*) AS count
FROM outlast.export_jobs
WHERE status = 'running' AND outlast.export_jobs.tenant = :tenant::VARCHAR AND outlast.export_jobs.owner =
  :owner::VARCHAR AND outlast.export_jobs.id != :job_id::VARCHAR;

-- inspect.spent
SELECT outlast.spent_keys.keep_until
FROM outlast.spent_keys
WHERE outlast.spent_keys.tenant = :tenant::VARCHAR AND outlast.spent_keys.owner = :owner::VARCHAR AND
  outlast.spent_keys.request_key = :key::VARCHAR;

-- inspect.workers
SELECT outlast.workers.id, outlast.workers.host, outlast.workers.pid, outlast.workers.exports_json,
  outlast.workers.started_at, outlast.workers.seen_at, outlast.workers.stopped_at
FROM outlast.workers
WHERE outlast.workers.id IN (SELECT anon_1.value
FROM jsonb_array_elements_text(CAST(:ids_json::VARCHAR AS jsonb)) AS anon_1);
