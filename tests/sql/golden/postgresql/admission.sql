-- admission.known_exports
SELECT DISTINCT anon_1.value
FROM workers JOIN jsonb_array_elements_text(CAST(workers.exports_json AS jsonb)) AS anon_1 ON true
WHERE workers.stopped_at IS NULL AND workers.seen_at > ((SELECT clock_timestamp()) + -:seen_seconds * interval '1
  second');

-- admission.owner_pending
SELECT (SELECT count(*) AS count_1
FROM (SELECT export_jobs.id AS id
FROM export_jobs
WHERE status = 'queued' AND export_jobs.tenant = :tenant::VARCHAR AND export_jobs.owner = :owner::VARCHAR
 LIMIT :owner_most::INTEGER) AS anon_2) AS anon_1;

-- admission.recent_ends
--   :param_1 is 20
SELECT extract(epoch FROM (SELECT clock_timestamp()) - export_jobs.finished_at) AS anon_1
FROM export_jobs
WHERE export_jobs.finished_at IS NOT NULL ORDER BY export_jobs.finished_at DESC
 LIMIT :param_1::INTEGER;

-- admission.room
--   :param_1 is 1
SELECT (SELECT coalesce(max((SELECT extract(epoch FROM (SELECT clock_timestamp()) - export_jobs.available_at) AS anon_1
FROM export_jobs
WHERE status = 'queued' AND export_jobs.export = anon_2.value AND export_jobs.available_at <= (SELECT clock_timestamp())
  ORDER BY export_jobs.available_at
 LIMIT :param_1::INTEGER)), 0.0) AS coalesce_1
FROM (SELECT DISTINCT anon_3.value AS value
FROM workers JOIN jsonb_array_elements_text(CAST(workers.exports_json AS jsonb)) AS anon_3 ON true
WHERE workers.stopped_at IS NULL AND workers.seen_at > ((SELECT clock_timestamp()) + -:seen_seconds * interval '1
  second')) AS anon_2) AS oldest_age_seconds, coalesce((SELECT counters.value
FROM counters
WHERE counters.name = 'live_result_bytes'), 0) + (SELECT coalesce(sum(export_attempts.reserved_bytes), 0) AS coalesce_2
FROM export_attempts
WHERE export_attempts.ended_at IS NULL) AS storage_bytes, (SELECT count(*) AS count_1
FROM (SELECT export_jobs.id AS id
FROM export_jobs
WHERE status = 'queued'
 LIMIT :most::INTEGER) AS anon_4) AS pending, (SELECT max((SELECT count(*) AS count_2
FROM (SELECT export_jobs.id AS id
FROM export_jobs
WHERE status = 'queued' AND export_jobs.tenant = CAST(anon_6.value ->> 0 AS VARCHAR) AND export_jobs.owner =
  CAST(anon_6.value ->> 1 AS VARCHAR)
 LIMIT :owner_most::INTEGER) AS anon_5)) AS max_1
FROM jsonb_array_elements(CAST(:owners_json::VARCHAR AS jsonb)) AS anon_6) AS owner_pending;

-- admission.storage_bytes
SELECT coalesce((SELECT counters.value
FROM counters
WHERE counters.name = 'live_result_bytes'), 0) + (SELECT coalesce(sum(export_attempts.reserved_bytes), 0) AS coalesce_1
FROM export_attempts
WHERE export_attempts.ended_at IS NULL) AS anon_1;
