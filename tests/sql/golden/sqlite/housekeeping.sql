-- housekeeping.any_outlived
--   :param_1 is 0
SELECT spent_keys.tenant, spent_keys.owner, spent_keys.request_key
FROM spent_keys
WHERE spent_keys.keep_until <= CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) ORDER BY
  spent_keys.keep_until
 LIMIT :most OFFSET :param_1;

-- housekeeping.expired
--   :param_1 is 0
SELECT export_results.job_id, export_results.storage, export_results.storage_key
FROM export_results
WHERE export_results.deleted_at IS NULL AND export_results.expires_at <= (CAST(round((julianday('now') - 2440587.5) *
  86400000.0) AS INTEGER) + CAST(round(-:grace_seconds * 1000.0) AS INTEGER)) ORDER BY export_results.expires_at
 LIMIT :most OFFSET :param_1;

-- housekeeping.forget_keys
--   :param_1 is 0
DELETE FROM spent_keys WHERE (spent_keys.tenant, spent_keys.owner, spent_keys.request_key) IN (SELECT spent_keys.tenant,
  spent_keys.owner, spent_keys.request_key
FROM spent_keys
WHERE spent_keys.keep_until <= CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) ORDER BY
  spent_keys.keep_until
 LIMIT :most OFFSET :param_1);

-- housekeeping.old
--   :param_1 is 0
SELECT export_jobs.id
FROM export_jobs
WHERE export_jobs.finished_at IS NOT NULL AND export_jobs.finished_at <= (CAST(round((julianday('now') - 2440587.5) *
  86400000.0) AS INTEGER) + CAST(round(-:retention_seconds * 1000.0) AS INTEGER)) AND NOT (EXISTS (SELECT
  export_results.job_id
FROM export_results
WHERE export_results.job_id = export_jobs.id AND export_results.deleted_at IS NULL)) ORDER BY export_jobs.finished_at
 LIMIT :most OFFSET :param_1;

-- housekeeping.out_of_attempts
--   :param_1 is 0
SELECT export_jobs.id, export_jobs.status
FROM export_jobs
WHERE status = 'running' AND export_jobs.lease_until <= CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS
  INTEGER) AND export_jobs.attempt_count >= export_jobs.attempt_limit ORDER BY export_jobs.lease_until
 LIMIT :most OFFSET :param_1;

-- housekeeping.past_deadline
--   :param_1 is 0
SELECT export_jobs.id, export_jobs.status
FROM export_jobs
WHERE finished_at IS NULL AND export_jobs.deadline_at <= CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS
  INTEGER) AND (export_jobs.lease_until IS NULL OR export_jobs.lease_until <= CAST(round((julianday('now') - 2440587.5)
  * 86400000.0) AS INTEGER)) ORDER BY export_jobs.deadline_at
 LIMIT :most OFFSET :param_1;

-- housekeeping.purge
DELETE FROM export_jobs WHERE export_jobs.id IN (SELECT anon_1.value
FROM json_each(:ids_json) AS anon_1);

-- housekeeping.spend
INSERT INTO spent_keys (tenant, owner, request_key, request_fingerprint, parameters_fingerprint, keep_until) SELECT
  export_jobs.tenant, export_jobs.owner, export_jobs.request_key, export_jobs.request_fingerprint,
  export_jobs.parameters_fingerprint, (export_jobs.created_at + CAST(round(:key_lifetime_seconds * 1000.0) AS
  INTEGER)) AS anon_1
FROM export_jobs
WHERE export_jobs.id IN (SELECT anon_2.value
FROM json_each(:ids_json) AS anon_2) AND (export_jobs.created_at + CAST(round(:key_lifetime_seconds * 1000.0) AS
  INTEGER)) > CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) ON CONFLICT (tenant, owner,
  request_key) DO NOTHING;

-- housekeeping.spend_anew
DELETE FROM spent_keys WHERE (spent_keys.tenant, spent_keys.owner, spent_keys.request_key) IN (SELECT
  export_jobs.tenant, export_jobs.owner, export_jobs.request_key
FROM export_jobs
WHERE export_jobs.id IN (SELECT anon_1.value
FROM json_each(:ids_json) AS anon_1));

-- housekeeping.staged
SELECT export_attempts.storage_key, export_attempts.job_id, export_attempts.ended_at, export_jobs.erased_at,
  export_results.storage, export_results.deleted_at, export_attempts.ended_at <= (CAST(round((julianday('now') -
  2440587.5) * 86400000.0) AS INTEGER) + CAST(round(-:grace_seconds * 1000.0) AS INTEGER)) AS grace_over
FROM export_attempts JOIN export_jobs ON export_jobs.id = export_attempts.job_id LEFT OUTER JOIN export_results ON
  export_results.job_id = export_jobs.id AND export_results.storage_key = export_attempts.storage_key
WHERE export_attempts.storage_key IN (SELECT anon_1.value
FROM json_each(:keys_json) AS anon_1);
