-- claim.due
SELECT outlast.export_jobs.id, outlast.export_jobs.tenant, outlast.export_jobs.owner, outlast.export_jobs.available_at
FROM outlast.export_jobs
WHERE status = 'queued' AND outlast.export_jobs.available_at <= date_trunc('milliseconds', statement_timestamp()) AND
  outlast.export_jobs.attempt_count < outlast.export_jobs.attempt_limit AND outlast.export_jobs.deadline_at >
  date_trunc('milliseconds', statement_timestamp()) AND outlast.export_jobs.export = :export::VARCHAR ORDER BY
  outlast.export_jobs.available_at, outlast.export_jobs.id
 LIMIT :most::INTEGER;

-- claim.due_of_owner
SELECT outlast.export_jobs.id, outlast.export_jobs.tenant, outlast.export_jobs.owner, outlast.export_jobs.available_at
FROM outlast.export_jobs
WHERE status = 'queued' AND outlast.export_jobs.available_at <= date_trunc('milliseconds', statement_timestamp()) AND
  outlast.export_jobs.attempt_count < outlast.export_jobs.attempt_limit AND outlast.export_jobs.deadline_at >
  date_trunc('milliseconds', statement_timestamp()) AND outlast.export_jobs.tenant = :tenant::VARCHAR AND
  outlast.export_jobs.owner = :owner::VARCHAR AND outlast.export_jobs.export = :export::VARCHAR ORDER BY
  outlast.export_jobs.available_at
 LIMIT :most::INTEGER;

-- claim.expired
SELECT outlast.export_jobs.id
FROM outlast.export_jobs
WHERE status = 'running' AND outlast.export_jobs.lease_until <= date_trunc('milliseconds', statement_timestamp()) AND
  outlast.export_jobs.attempt_count < outlast.export_jobs.attempt_limit AND outlast.export_jobs.deadline_at >
  date_trunc('milliseconds', statement_timestamp()) AND outlast.export_jobs.export IN (SELECT anon_1.value
FROM jsonb_array_elements_text(CAST(:exports_json::VARCHAR AS jsonb)) AS anon_1) ORDER BY
  outlast.export_jobs.lease_until
 LIMIT :most::INTEGER;

-- claim.held
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
  outlast.export_jobs.estimate_source, outlast.export_attempts.storage_key
FROM outlast.export_jobs JOIN outlast.export_attempts ON outlast.export_attempts.job_id = outlast.export_jobs.id
WHERE outlast.export_jobs.id = :job_id::VARCHAR AND outlast.export_jobs.lease_token = :token::VARCHAR AND
  outlast.export_attempts.ended_at IS NULL;

-- claim.next_owner
--   :param_1 is 1
SELECT outlast.export_jobs.tenant, outlast.export_jobs.owner
FROM outlast.export_jobs
WHERE status = 'queued' AND outlast.export_jobs.tenant = :tenant::VARCHAR AND outlast.export_jobs.owner >
  :owner::VARCHAR ORDER BY outlast.export_jobs.owner
 LIMIT :param_1::INTEGER;

-- claim.next_tenant
--   :param_1 is 1
SELECT outlast.export_jobs.tenant, outlast.export_jobs.owner
FROM outlast.export_jobs
WHERE status = 'queued' AND outlast.export_jobs.tenant > :tenant::VARCHAR ORDER BY outlast.export_jobs.tenant,
  outlast.export_jobs.owner
 LIMIT :param_1::INTEGER;

-- claim.running_count
SELECT count(*) AS count_1
FROM (SELECT outlast.export_jobs.id AS id
FROM outlast.export_jobs
WHERE status = 'running' AND outlast.export_jobs.tenant = :tenant::VARCHAR AND outlast.export_jobs.owner =
  :owner::VARCHAR
 LIMIT :most::INTEGER) AS anon_1;
