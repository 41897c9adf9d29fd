-- accept.by_key
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
WHERE outlast.export_jobs.tenant = :tenant::VARCHAR AND outlast.export_jobs.owner = :owner::VARCHAR AND
  outlast.export_jobs.request_key = :request_key::VARCHAR;

-- accept.spent
SELECT outlast.spent_keys.tenant, outlast.spent_keys.owner, outlast.spent_keys.request_key,
  outlast.spent_keys.request_fingerprint, outlast.spent_keys.parameters_fingerprint, outlast.spent_keys.keep_until
FROM outlast.spent_keys
WHERE outlast.spent_keys.tenant = :tenant::VARCHAR AND outlast.spent_keys.owner = :owner::VARCHAR AND
  outlast.spent_keys.request_key = :request_key::VARCHAR AND outlast.spent_keys.keep_until >
  date_trunc('milliseconds', statement_timestamp());
