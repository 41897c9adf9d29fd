-- housekeeping.any_outlived
SELECT spent_keys.tenant, spent_keys.owner, spent_keys.request_key
FROM spent_keys
WHERE spent_keys.keep_until <= (SELECT clock_timestamp()) ORDER BY spent_keys.keep_until
 LIMIT :most::INTEGER;

-- housekeeping.expired
SELECT export_results.job_id, export_results.storage, export_results.storage_key
FROM export_results
WHERE export_results.deleted_at IS NULL AND export_results.expires_at <= ((SELECT clock_timestamp()) + -:grace_seconds
  * interval '1 second') ORDER BY export_results.expires_at
 LIMIT :most::INTEGER;

-- housekeeping.forget_keys
DELETE FROM spent_keys WHERE (spent_keys.tenant, spent_keys.owner, spent_keys.request_key) IN (SELECT spent_keys.tenant,
  spent_keys.owner, spent_keys.request_key
FROM spent_keys
WHERE spent_keys.keep_until <= (SELECT clock_timestamp()) ORDER BY spent_keys.keep_until
 LIMIT :most::INTEGER);

-- housekeeping.old
SELECT export_jobs.id
FROM export_jobs
WHERE export_jobs.finished_at IS NOT NULL AND export_jobs.finished_at <= ((SELECT clock_timestamp()) +
  -:retention_seconds * interval '1 second') AND NOT (EXISTS (SELECT export_results.job_id
FROM export_results
WHERE export_results.job_id = export_jobs.id AND export_results.deleted_at IS NULL)) ORDER BY export_jobs.finished_at
 LIMIT :most::INTEGER;

-- housekeeping.out_of_attempts
SELECT export_jobs.id, export_jobs.status
FROM export_jobs
WHERE status = 'running' AND export_jobs.lease_until <= (SELECT clock_timestamp()) AND export_jobs.attempt_count >=
  export_jobs.attempt_limit ORDER BY export_jobs.lease_until
 LIMIT :most::INTEGER;

-- housekeeping.past_deadline
SELECT export_jobs.id, export_jobs.status
FROM export_jobs
WHERE finished_at IS NULL AND export_jobs.deadline_at <= (SELECT clock_timestamp()) AND (export_jobs.lease_until IS NULL
  OR export_jobs.lease_until <= (SELECT clock_timestamp())) ORDER BY export_jobs.deadline_at
 LIMIT :most::INTEGER;

-- housekeeping.purge
DELETE FROM export_jobs WHERE export_jobs.id IN (SELECT anon_1.value
FROM jsonb_array_elements_text(CAST(:ids_json::VARCHAR AS jsonb)) AS anon_1);

-- housekeeping.spend
INSERT INTO spent_keys (tenant, owner, request_key, request_fingerprint, parameters_fingerprint, keep_until) SELECT
  export_jobs.tenant, export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint,
  export_jobs.parameters_fingerprint, (export_jobs.created_at + :key_lifetime_seconds * interval '1 second') AS anon_1
FROM export_jobs
WHERE export_jobs.id IN (SELECT anon_2.value
FROM jsonb_array_elements_text(CAST(:ids_json::VARCHAR AS jsonb)) AS anon_2) AND (export_jobs.created_at +
  :key_lifetime_seconds * interval '1 second') > (SELECT clock_timestamp()) ON CONFLICT (tenant, owner, request_key)
  DO NOTHING;

-- housekeeping.spend_anew
DELETE FROM spent_keys WHERE (spent_keys.tenant, spent_keys.owner, spent_keys.request_key) IN (SELECT
  export_jobs.tenant, export_jobs.owner, export_jobs.request_key
FROM export_jobs
WHERE export_jobs.id IN (SELECT anon_1.value
FROM jsonb_array_elements_text(CAST(:ids_json::VARCHAR AS jsonb)) AS anon_1));

-- housekeeping.staged
SELECT export_attempts.storage_key, export_attempts.job_id, export_attempts.ended_at, export_jobs.erased_at,
  export_results.storage, export_results.deleted_at, export_attempts.ended_at <= ((SELECT clock_timestamp()) +
  -:grace_seconds * interval '1 second') AS grace_over
FROM export_attempts JOIN export_jobs ON export_jobs.id = export_attempts.job_id LEFT OUTER JOIN export_results ON
  export_results.job_id = export_jobs.id AND export_results.storage_key = export_attempts.storage_key
WHERE export_attempts.storage_key IN (SELECT anon_1.value
FROM jsonb_array_elements_text(CAST(:keys_json::VARCHAR AS jsonb)) AS anon_1);
