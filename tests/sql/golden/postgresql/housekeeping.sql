-- housekeeping.any_outlived
SELECT outlast.spent_keys.tenant, outlast.spent_keys.owner, outlast.spent_keys.request_key
FROM outlast.spent_keys
WHERE outlast.spent_keys.keep_until <= date_trunc('milliseconds', statement_timestamp()) ORDER BY
  outlast.spent_keys.keep_until
 LIMIT :most::INTEGER;

-- housekeeping.expired
SELECT outlast.export_results.job_id, outlast.export_results.storage, outlast.export_results.storage_key
FROM outlast.export_results
WHERE outlast.export_results.deleted_at IS NULL AND outlast.export_results.expires_at <= (date_trunc('milliseconds',
  statement_timestamp()) + round(CAST(-:grace_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond') ORDER
  BY outlast.export_results.expires_at
 LIMIT :most::INTEGER;

-- housekeeping.forget_keys
DELETE FROM outlast.spent_keys WHERE (outlast.spent_keys.tenant, outlast.spent_keys.owner,
  outlast.spent_keys.request_key) IN (SELECT outlast.spent_keys.tenant, outlast.spent_keys.owner,
  outlast.spent_keys.request_key
FROM outlast.spent_keys
WHERE outlast.spent_keys.keep_until <= date_trunc('milliseconds', statement_timestamp()) ORDER BY
  outlast.spent_keys.keep_until
 LIMIT :most::INTEGER);

-- housekeeping.old
SELECT outlast.export_jobs.id
FROM outlast.export_jobs
WHERE outlast.export_jobs.finished_at IS NOT NULL AND outlast.export_jobs.finished_at <= (date_trunc('milliseconds',
  statement_timestamp()) + round(CAST(-:retention_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond')
  AND NOT (EXISTS (SELECT outlast.export_results.job_id
FROM outlast.export_results
WHERE outlast.export_results.job_id = outlast.export_jobs.id AND outlast.export_results.deleted_at IS NULL)) ORDER BY
  outlast.export_jobs.finished_at
 LIMIT :most::INTEGER;

-- housekeeping.out_of_attempts
SELECT outlast.export_jobs.id, outlast.export_jobs.status
FROM outlast.export_jobs
WHERE status = 'running' AND outlast.export_jobs.lease_until <= date_trunc('milliseconds', statement_timestamp()) AND
  outlast.export_jobs.attempt_count >= outlast.export_jobs.attempt_limit ORDER BY outlast.export_jobs.lease_until
 LIMIT :most::INTEGER;

-- housekeeping.past_deadline
SELECT outlast.export_jobs.id, outlast.export_jobs.status
FROM outlast.export_jobs
WHERE finished_at IS NULL AND outlast.export_jobs.deadline_at <= date_trunc('milliseconds', statement_timestamp()) AND
  (outlast.export_jobs.lease_until IS NULL OR outlast.export_jobs.lease_until <= date_trunc('milliseconds',
  statement_timestamp())) ORDER BY outlast.export_jobs.deadline_at
 LIMIT :most::INTEGER;

-- housekeeping.purge
DELETE FROM outlast.export_jobs WHERE outlast.export_jobs.id IN (SELECT anon_1.value
FROM jsonb_array_elements_text(CAST(:ids_json::VARCHAR AS jsonb)) AS anon_1);

-- housekeeping.spend
INSERT INTO outlast.spent_keys (tenant, owner, request_key, request_fingerprint, parameters_fingerprint, keep_until)
  SELECT outlast.export_jobs.tenant, outlast.export_jobs.owner, outlast.export_jobs.request_key,
  outlast.export_jobs.request_fingerprint, outlast.export_jobs.parameters_fingerprint, (outlast.export_jobs.created_at +
  round(CAST(:key_lifetime_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond') AS anon_1
FROM outlast.export_jobs
WHERE outlast.export_jobs.id IN (SELECT anon_2.value
FROM jsonb_array_elements_text(CAST(:ids_json::VARCHAR AS jsonb)) AS anon_2) AND (outlast.export_jobs.created_at +
  round(CAST(:key_lifetime_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond') >
  date_trunc('milliseconds', statement_timestamp()) ON CONFLICT (tenant, owner, request_key) DO NOTHING;

-- housekeeping.spend_anew
DELETE FROM outlast.spent_keys WHERE (outlast.spent_keys.tenant, outlast.spent_keys.owner,
  outlast.spent_keys.request_key) IN (SELECT outlast.export_jobs.tenant, outlast.export_jobs.owner,
  outlast.export_jobs.request_key
FROM outlast.export_jobs
WHERE outlast.export_jobs.id IN (SELECT anon_1.value
FROM jsonb_array_elements_text(CAST(:ids_json::VARCHAR AS jsonb)) AS anon_1));

-- housekeeping.staged
SELECT outlast.export_attempts.storage_key, outlast.export_attempts.job_id, outlast.export_attempts.ended_at,
  outlast.export_jobs.erased_at, outlast.export_results.storage, outlast.export_results.deleted_at,
  outlast.export_attempts.ended_at <= (date_trunc('milliseconds', statement_timestamp()) + round(CAST(-:grace_seconds
  AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond') AS grace_over
FROM outlast.export_attempts JOIN outlast.export_jobs ON outlast.export_jobs.id = outlast.export_attempts.job_id LEFT
  OUTER JOIN outlast.export_results ON outlast.export_results.job_id = outlast.export_jobs.id AND
  outlast.export_results.storage_key = outlast.export_attempts.storage_key
WHERE outlast.export_attempts.storage_key IN (SELECT anon_1.value
FROM jsonb_array_elements_text(CAST(:keys_json::VARCHAR AS jsonb)) AS anon_1);
