-- admission.known_exports
SELECT DISTINCT anon_1.value
FROM outlast.workers JOIN jsonb_array_elements_text(CAST(outlast.workers.exports_json AS jsonb)) AS anon_1 ON true
WHERE outlast.workers.stopped_at IS NULL AND outlast.workers.seen_at > (date_trunc('milliseconds',
  statement_timestamp()) + round(CAST(-:seen_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond');

-- admission.owner_pending
SELECT (SELECT count(*) AS count_1
FROM (SELECT outlast.export_jobs.id AS id
FROM outlast.export_jobs
WHERE status = 'queued' AND outlast.export_jobs.tenant = :tenant::VARCHAR AND outlast.export_jobs.owner =
  :owner::VARCHAR
 LIMIT :owner_most::INTEGER) AS anon_2) AS anon_1;

-- admission.recent_ends
--   :param_1 is 20
SELECT CAST(extract(epoch FROM date_trunc('milliseconds', statement_timestamp()) - outlast.export_jobs.finished_at) AS
  DOUBLE PRECISION) AS anon_1
FROM outlast.export_jobs
WHERE outlast.export_jobs.finished_at IS NOT NULL ORDER BY outlast.export_jobs.finished_at DESC
 LIMIT :param_1::INTEGER;

-- admission.room
--   :param_1 is 1
SELECT (SELECT coalesce(max((SELECT CAST(extract(epoch FROM date_trunc('milliseconds', statement_timestamp()) -
  outlast.export_jobs.available_at) AS DOUBLE PRECISION) AS anon_1
FROM outlast.export_jobs
WHERE status = 'queued' AND outlast.export_jobs.export = anon_2.value AND outlast.export_jobs.available_at <=
  date_trunc('milliseconds', statement_timestamp()) ORDER BY outlast.export_jobs.available_at
 LIMIT :param_1::INTEGER)), 0.0) AS coalesce_1
FROM (SELECT DISTINCT anon_3.value AS value
FROM outlast.workers JOIN jsonb_array_elements_text(CAST(outlast.workers.exports_json AS jsonb)) AS anon_3 ON true
WHERE outlast.workers.stopped_at IS NULL AND outlast.workers.seen_at > (date_trunc('milliseconds',
  statement_timestamp()) + round(CAST(-:seen_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond')) AS
  anon_2) AS oldest_age_seconds, coalesce((SELECT outlast.counters.value
FROM outlast.counters
WHERE outlast.counters.name = 'live_result_bytes'), 0) + (SELECT
  CAST(coalesce(sum(outlast.export_attempts.reserved_bytes), 0) AS BIGINT) AS coalesce_2
FROM outlast.export_attempts
WHERE outlast.export_attempts.ended_at IS NULL) AS storage_bytes, (SELECT count(*) AS count_1
FROM (SELECT outlast.export_jobs.id AS id
FROM outlast.export_jobs
WHERE status = 'queued'
 LIMIT :most::INTEGER) AS anon_4) AS pending, (SELECT max((SELECT count(*) AS count_2
FROM (SELECT outlast.export_jobs.id AS id
FROM outlast.export_jobs
WHERE status = 'queued' AND outlast.export_jobs.tenant = CAST(anon_6.value ->> 0 AS VARCHAR) AND
  outlast.export_jobs.owner = CAST(anon_6.value ->> 1 AS VARCHAR)
 LIMIT :owner_most::INTEGER) AS anon_5)) AS max_1
FROM jsonb_array_elements(CAST(:owners_json::VARCHAR AS jsonb)) AS anon_6) AS owner_pending;

-- admission.storage_bytes
SELECT coalesce((SELECT outlast.counters.value
FROM outlast.counters
WHERE outlast.counters.name = 'live_result_bytes'), 0) + (SELECT
  CAST(coalesce(sum(outlast.export_attempts.reserved_bytes), 0) AS BIGINT) AS coalesce_1
FROM outlast.export_attempts
WHERE outlast.export_attempts.ended_at IS NULL) AS anon_1;
