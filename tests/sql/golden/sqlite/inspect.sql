-- inspect.attempts
--   :param_1 is 1000
--   :param_2 is 0
SELECT export_attempts.job_id, export_attempts.number, export_attempts.worker_id, export_attempts.claimed_at,
  export_attempts.ended_at, export_attempts.lease_until, export_attempts.outcome, export_attempts.error_code,
  export_attempts.error_detail, export_attempts.storage_key, export_attempts.rows, export_attempts.bytes,
  export_attempts.reserved_bytes
FROM export_attempts
WHERE export_attempts.job_id = :job_id ORDER BY export_attempts.number
 LIMIT :param_1 OFFSET :param_2;

-- inspect.by_key
SELECT export_jobs.id
FROM export_jobs
WHERE export_jobs.tenant = :tenant AND export_jobs.owner = :owner AND export_jobs.request_key = :key;

-- inspect.by_request
--   :param_1 is 20
--   :param_2 is 0
SELECT export_jobs.id
FROM export_jobs
WHERE export_jobs.request_id IS NOT NULL AND export_jobs.request_id = :request_id ORDER BY export_jobs.id
 LIMIT :param_1 OFFSET :param_2;

-- inspect.list
--   :param_1 is 0
SELECT export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint,
  export_jobs.parameters_fingerprint, export_jobs.export, export_jobs.parameters_json, export_jobs.format,
  export_jobs.columns_json, export_jobs.status, export_jobs.created_at, export_jobs.available_at,
  export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at, export_jobs.attempt_count,
  export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token, export_jobs.lease_until,
  export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes, export_jobs.estimated_rows,
  export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id, export_jobs.trace_context,
  export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source
FROM export_jobs
WHERE (:status IS NULL OR export_jobs.status = :status) AND (:export IS NULL OR export_jobs.export = :export)
  AND (:owner IS NULL OR export_jobs.owner = :owner) AND (:code IS NULL OR export_jobs.error_code = :code) AND
  (:before IS NULL OR export_jobs.id < :before) ORDER BY export_jobs.id DESC
 LIMIT :most OFFSET :param_1;

-- inspect.list_live
--   :param_1 is 0
SELECT export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint,
  export_jobs.parameters_fingerprint, export_jobs.export, export_jobs.parameters_json, export_jobs.format,
  export_jobs.columns_json, export_jobs.status, export_jobs.created_at, export_jobs.available_at,
  export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at, export_jobs.attempt_count,
  export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token, export_jobs.lease_until,
  export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes, export_jobs.estimated_rows,
  export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id, export_jobs.trace_context,
  export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source
FROM export_jobs
WHERE finished_at IS NULL AND (:status IS NULL OR export_jobs.status = :status) AND (:export IS NULL OR
  export_jobs.export = :export) AND (:owner IS NULL OR export_jobs.owner = :owner) AND (:code IS NULL OR
  export_jobs.error_code = :code) AND (:before IS NULL OR export_jobs.id < :before) ORDER BY
  export_jobs.created_at DESC, export_jobs.id DESC
 LIMIT :most OFFSET :param_1;

-- inspect.others_running
SELECT count(*) AS count
FROM export_jobs
WHERE status = 'running' AND export_jobs.tenant = :tenant AND export_jobs.owner = :owner AND export_jobs.id !=
  :job_id;

-- inspect.spent
SELECT spent_keys.keep_until
FROM spent_keys
WHERE spent_keys.tenant = :tenant AND spent_keys.owner = :owner AND spent_keys.request_key = :key;

-- inspect.workers
SELECT workers.id, workers.host, workers.pid, workers.exports_json, workers.started_at, workers.seen_at,
  workers.stopped_at
FROM workers
WHERE workers.id IN (SELECT anon_1.value
FROM json_each(:ids_json) AS anon_1);
