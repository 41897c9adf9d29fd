-- claim.due
--   :param_1 is 0
SELECT export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.available_at
FROM export_jobs
WHERE status = 'queued' AND export_jobs.available_at <= CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS
  INTEGER) AND export_jobs.attempt_count < export_jobs.attempt_limit AND export_jobs.deadline_at >
  CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) AND export_jobs.export = :export ORDER BY
  export_jobs.available_at, export_jobs.id
 LIMIT :most OFFSET :param_1;

-- claim.due_of_owner
--   :param_1 is 0
SELECT export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.available_at
FROM export_jobs
WHERE status = 'queued' AND export_jobs.available_at <= CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS
  INTEGER) AND export_jobs.attempt_count < export_jobs.attempt_limit AND export_jobs.deadline_at >
  CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) AND export_jobs.tenant = :tenant AND
  export_jobs.owner = :owner AND export_jobs.export = :export ORDER BY export_jobs.available_at
 LIMIT :most OFFSET :param_1;

-- claim.expired
--   :param_1 is 0
SELECT export_jobs.id
FROM export_jobs
WHERE status = 'running' AND export_jobs.lease_until <= CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS
  INTEGER) AND export_jobs.attempt_count < export_jobs.attempt_limit AND export_jobs.deadline_at >
  CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) AND export_jobs.export IN (SELECT anon_1.value
FROM json_each(:exports_json) AS anon_1) ORDER BY export_jobs.lease_until
 LIMIT :most OFFSET :param_1;

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
WHERE export_jobs.id = :job_id AND export_jobs.lease_token = :token AND export_attempts.ended_at IS NULL;

-- claim.next_owner
--   :param_1 is 1
--   :param_2 is 0
SELECT export_jobs.tenant, export_jobs.owner
FROM export_jobs
WHERE status = 'queued' AND export_jobs.tenant = :tenant AND export_jobs.owner > :owner ORDER BY export_jobs.owner
 LIMIT :param_1 OFFSET :param_2;

-- claim.next_tenant
--   :param_1 is 1
--   :param_2 is 0
SELECT export_jobs.tenant, export_jobs.owner
FROM export_jobs
WHERE status = 'queued' AND export_jobs.tenant > :tenant ORDER BY export_jobs.tenant, export_jobs.owner
 LIMIT :param_1 OFFSET :param_2;

-- claim.running_count
--   :param_1 is 0
SELECT count(*) AS count_1
FROM (SELECT export_jobs.id AS id
FROM export_jobs
WHERE status = 'running' AND export_jobs.tenant = :tenant AND export_jobs.owner = :owner
 LIMIT :most OFFSET :param_1) AS anon_1;
