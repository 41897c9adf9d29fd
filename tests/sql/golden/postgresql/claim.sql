-- claim.due
SELECT export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.available_at
FROM export_jobs
WHERE status = 'queued' AND export_jobs.available_at <= (SELECT clock_timestamp()) AND export_jobs.attempt_count <
  export_jobs.attempt_limit AND export_jobs.deadline_at > (SELECT clock_timestamp()) AND export_jobs.export =
  :export::VARCHAR ORDER BY export_jobs.available_at, export_jobs.id
 LIMIT :most::INTEGER;

-- claim.due_of_owner
SELECT export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.available_at
FROM export_jobs
WHERE status = 'queued' AND export_jobs.available_at <= (SELECT clock_timestamp()) AND export_jobs.attempt_count <
  export_jobs.attempt_limit AND export_jobs.deadline_at > (SELECT clock_timestamp()) AND export_jobs.tenant =
  :tenant::VARCHAR AND export_jobs.owner = :owner::VARCHAR AND export_jobs.export = :export::VARCHAR ORDER BY
  export_jobs.available_at
 LIMIT :most::INTEGER;

-- claim.expired
SELECT export_jobs.id
FROM export_jobs
WHERE status = 'running' AND export_jobs.lease_until <= (SELECT clock_timestamp()) AND export_jobs.attempt_count <
  export_jobs.attempt_limit AND export_jobs.deadline_at > (SELECT clock_timestamp()) AND export_jobs.export IN (SELECT
  anon_1.value
FROM jsonb_array_elements_text(CAST(:exports_json::VARCHAR AS jsonb)) AS anon_1) ORDER BY export_jobs.lease_until
 LIMIT :most::INTEGER;

-- claim.held
SELECT export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint,
  export_jobs.parameters_fingerprint, export_jobs.export, export_jobs.parameters_json, export_jobs.format,
  export_jobs.columns_json, export_jobs.status, export_jobs.created_at, export_jobs.available_at,
  export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at, export_jobs.attempt_count,
  export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token, export_jobs.lease_until,
  export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes, export_jobs.estimated_rows,
  export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id, export_jobs.trace_context,
  export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source, export_attempts.storage_key
FROM export_jobs JOIN export_attempts ON export_attempts.job_id = export_jobs.id
WHERE export_jobs.id = :job_id::VARCHAR AND export_jobs.lease_token = :token::VARCHAR AND export_attempts.ended_at
  IS NULL;

-- claim.next_owner
--   :param_1 is 1
SELECT export_jobs.tenant, export_jobs.owner
FROM export_jobs
WHERE status = 'queued' AND export_jobs.tenant = :tenant::VARCHAR AND export_jobs.owner > :owner::VARCHAR ORDER BY
  export_jobs.owner
 LIMIT :param_1::INTEGER;

-- claim.next_tenant
--   :param_1 is 1
SELECT export_jobs.tenant, export_jobs.owner
FROM export_jobs
WHERE status = 'queued' AND export_jobs.tenant > :tenant::VARCHAR ORDER BY export_jobs.tenant, export_jobs.owner
 LIMIT :param_1::INTEGER;

-- claim.running_count
SELECT count(*) AS count_1
FROM (SELECT export_jobs.id AS id
FROM export_jobs
WHERE status = 'running' AND export_jobs.tenant = :tenant::VARCHAR AND export_jobs.owner = :owner::VARCHAR
 LIMIT :most::INTEGER) AS anon_1;
