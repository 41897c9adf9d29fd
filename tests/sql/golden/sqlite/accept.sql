-- accept.by_key
SELECT export_jobs.id, export_jobs.tenant, export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint,
  export_jobs.parameters_fingerprint, export_jobs.export, export_jobs.parameters_json, export_jobs.format,
  export_jobs.columns_json, export_jobs.status, export_jobs.created_at, export_jobs.available_at,
  export_jobs.deadline_at, export_jobs.started_at, export_jobs.finished_at, export_jobs.attempt_count,
  export_jobs.attempt_limit, export_jobs.release_count, export_jobs.lease_token, export_jobs.lease_until,
  export_jobs.worker_id, export_jobs.progress_rows, export_jobs.progress_bytes, export_jobs.estimated_rows,
  export_jobs.error_code, export_jobs.error_detail, export_jobs.request_id, export_jobs.trace_context,
  export_jobs.regenerated_from, export_jobs.erased_at, export_jobs.estimate_source
FROM export_jobs
WHERE export_jobs.tenant = :tenant AND export_jobs.owner = :owner AND export_jobs.request_key = :request_key;

-- accept.spent
SELECT spent_keys.tenant, spent_keys.owner, spent_keys.request_key, spent_keys.request_fingerprint,
  spent_keys.parameters_fingerprint, spent_keys.keep_until
FROM spent_keys
WHERE spent_keys.tenant = :tenant AND spent_keys.owner = :owner AND spent_keys.request_key = :request_key AND
  spent_keys.keep_until > CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER);
