-- health.accepted
SELECT count(*) AS count
FROM (SELECT export_jobs.id AS id
FROM export_jobs
WHERE finished_at IS NULL AND export_jobs.created_at > ((SELECT clock_timestamp()) + -:window_seconds * interval '1
  second') UNION ALL SELECT export_jobs.id AS id
FROM export_jobs
WHERE export_jobs.finished_at IS NOT NULL AND export_jobs.finished_at > ((SELECT clock_timestamp()) + -:window_seconds
  * interval '1 second') AND export_jobs.created_at > ((SELECT clock_timestamp()) + -:window_seconds * interval '1
  second')) AS anon_1;

-- health.attempts_ended
SELECT anon_1.outcome, count(*) AS count, avg(anon_1.seconds) AS mean_seconds, max(anon_1.seconds) AS longest_seconds
FROM (SELECT export_attempts.outcome AS outcome, extract(epoch FROM (SELECT clock_timestamp()) -
  export_attempts.claimed_at) - extract(epoch FROM (SELECT clock_timestamp()) - export_attempts.ended_at) AS seconds
FROM export_jobs JOIN export_attempts ON export_attempts.job_id = export_jobs.id
WHERE finished_at IS NULL AND export_attempts.ended_at > ((SELECT clock_timestamp()) + -:window_seconds * interval '1
  second') UNION ALL SELECT export_attempts.outcome AS outcome, extract(epoch FROM (SELECT clock_timestamp()) -
  export_attempts.claimed_at) - extract(epoch FROM (SELECT clock_timestamp()) - export_attempts.ended_at) AS seconds
FROM export_jobs JOIN export_attempts ON export_attempts.job_id = export_jobs.id
WHERE export_jobs.finished_at IS NOT NULL AND export_jobs.finished_at > ((SELECT clock_timestamp()) + -:window_seconds
  * interval '1 second') AND export_attempts.ended_at > ((SELECT clock_timestamp()) + -:window_seconds * interval '1
  second')) AS anon_1 GROUP BY anon_1.outcome;

-- health.count
--   :value is 1
INSERT INTO counters (name, value) VALUES (:name::VARCHAR, :value::BIGINT) ON CONFLICT (name) DO UPDATE SET value =
  (counters.value + 1);

-- health.counter
SELECT counters.value
FROM counters
WHERE counters.name = :name::VARCHAR;

-- health.ended
SELECT export_jobs.status, export_jobs.error_code, count(*) AS count
FROM export_jobs
WHERE export_jobs.finished_at IS NOT NULL AND export_jobs.finished_at > ((SELECT clock_timestamp()) + -:window_seconds
  * interval '1 second') GROUP BY export_jobs.status, export_jobs.error_code;

-- health.now
SELECT (SELECT clock_timestamp()) AS at;

-- health.queued
--   :param_1 is 200
SELECT export_jobs.export, count(*) FILTER (WHERE export_jobs.available_at <= (SELECT clock_timestamp())) AS available,
  count(*) FILTER (WHERE export_jobs.available_at > (SELECT clock_timestamp())) AS scheduled, extract(epoch FROM (SELECT
  clock_timestamp()) - min(export_jobs.available_at)) AS oldest_seconds
FROM export_jobs
WHERE status = 'queued' GROUP BY export_jobs.export ORDER BY export_jobs.export
 LIMIT :param_1::INTEGER;

-- health.running
--   :param_1 is 200
SELECT export_jobs.export, count(*) AS running, count(*) FILTER (WHERE export_jobs.lease_until <= (SELECT
  clock_timestamp())) AS overdue
FROM export_jobs
WHERE status = 'running' GROUP BY export_jobs.export ORDER BY export_jobs.export
 LIMIT :param_1::INTEGER;

-- health.workers
--   :param_1 is 100
SELECT workers.id, workers.host, workers.pid, workers.exports_json, workers.started_at, workers.seen_at
FROM workers
WHERE workers.stopped_at IS NULL AND workers.seen_at > ((SELECT clock_timestamp()) + -:seen_seconds * interval '1
  second') ORDER BY workers.started_at
 LIMIT :param_1::INTEGER;
