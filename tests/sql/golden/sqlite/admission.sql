-- admission.known_exports
SELECT DISTINCT anon_1.value
FROM workers JOIN json_each(workers.exports_json) AS anon_1 ON 1 = 1
WHERE workers.stopped_at IS NULL AND workers.seen_at > (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS
  INTEGER) + CAST(round(-:seen_seconds * 1000.0) AS INTEGER));

-- admission.owner_pending
--   :param_1 is 0
SELECT (SELECT count(*) AS count_1
FROM (SELECT export_jobs.id AS id
FROM export_jobs
WHERE status = 'queued' AND export_jobs.tenant = :tenant AND export_jobs.owner = :owner
 LIMIT :owner_most OFFSET :param_1) AS anon_2) AS anon_1;

-- admission.recent_ends
--   :param_1 is 20
--   :param_2 is 0
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) - export_jobs.finished_at) / 1000.0) AS
  anon_1
FROM export_jobs
WHERE export_jobs.finished_at IS NOT NULL ORDER BY export_jobs.finished_at DESC
 LIMIT :param_1 OFFSET :param_2;

-- admission.room
--   :param_1 is 1
--   :param_2 is 0
--   :param_3 is 0
--   :param_4 is 0
SELECT (SELECT coalesce(max((SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) -
  export_jobs.available_at) / 1000.0) AS anon_1
FROM export_jobs
WHERE status = 'queued' AND export_jobs.export = anon_2.value AND export_jobs.available_at <=
  CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) ORDER BY export_jobs.available_at
 LIMIT :param_1 OFFSET :param_2)), 0.0) AS coalesce_1
FROM (SELECT DISTINCT anon_3.value AS value
FROM workers JOIN json_each(workers.exports_json) AS anon_3 ON 1 = 1
WHERE workers.stopped_at IS NULL AND workers.seen_at > (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS
  INTEGER) + CAST(round(-:seen_seconds * 1000.0) AS INTEGER))) AS anon_2) AS oldest_age_seconds, coalesce((SELECT
  counters.value
FROM counters
WHERE counters.name = 'live_result_bytes'), 0) + (SELECT CAST(coalesce(sum(export_attempts.reserved_bytes), 0) AS
  BIGINT) AS coalesce_2
FROM export_attempts
WHERE export_attempts.ended_at IS NULL) AS storage_bytes, (SELECT count(*) AS count_1
FROM (SELECT export_jobs.id AS id
FROM export_jobs
WHERE status = 'queued'
 LIMIT :most OFFSET :param_3) AS anon_4) AS pending, (SELECT max((SELECT count(*) AS count_2
FROM (SELECT export_jobs.id AS id
FROM export_jobs
WHERE status = 'queued' AND export_jobs.tenant = CAST(anon_6.value ->> 0 AS VARCHAR) AND export_jobs.owner =
  CAST(anon_6.value ->> 1 AS VARCHAR)
 LIMIT :owner_most OFFSET :param_4) AS anon_5)) AS max_1
FROM json_each(:owners_json) AS anon_6) AS owner_pending;

-- admission.storage_bytes
SELECT coalesce((SELECT counters.value
FROM counters
WHERE counters.name = 'live_result_bytes'), 0) + (SELECT CAST(coalesce(sum(export_attempts.reserved_bytes), 0) AS
  BIGINT) AS coalesce_1
FROM export_attempts
WHERE export_attempts.ended_at IS NULL) AS anon_1;
