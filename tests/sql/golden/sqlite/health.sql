-- health.accepted
SELECT count(*) AS count
FROM (SELECT export_jobs.id AS id
FROM export_jobs
WHERE finished_at IS NULL AND export_jobs.created_at > (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS
  INTEGER) + CAST(round(-:window_seconds * 1000.0) AS INTEGER)) UNION ALL SELECT export_jobs.id AS id
FROM export_jobs
WHERE export_jobs.finished_at IS NOT NULL AND export_jobs.finished_at > (CAST(round((julianday('now') - 2440587.5) *
  86400000.0) AS INTEGER) + CAST(round(-:window_seconds * 1000.0) AS INTEGER)) AND export_jobs.created_at >
  (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) + CAST(round(-:window_seconds * 1000.0) AS
  INTEGER))) AS anon_1;

-- health.attempts_ended
SELECT anon_1.outcome, count(*) AS count, avg(anon_1.seconds) AS mean_seconds, max(anon_1.seconds) AS longest_seconds
FROM (SELECT export_attempts.outcome AS outcome, ((CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) -
  export_attempts.claimed_at) / 1000.0) - ((CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) -
  export_attempts.ended_at) / 1000.0) AS seconds
FROM export_jobs JOIN export_attempts ON export_attempts.job_id = export_jobs.id
WHERE finished_at IS NULL AND export_attempts.ended_at > (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS
  INTEGER) + CAST(round(-:window_seconds * 1000.0) AS INTEGER)) UNION ALL SELECT export_attempts.outcome AS outcome,
  ((CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) - export_attempts.claimed_at) / 1000.0) -
  ((CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) - export_attempts.ended_at) / 1000.0) AS seconds
FROM export_jobs JOIN export_attempts ON export_attempts.job_id = export_jobs.id
WHERE export_jobs.finished_at IS NOT NULL AND export_jobs.finished_at > (CAST(round((julianday('now') - 2440587.5) *
  86400000.0) AS INTEGER) + CAST(round(-:window_seconds * 1000.0) AS INTEGER)) AND export_attempts.ended_at >
  (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) + CAST(round(-:window_seconds * 1000.0) AS
  INTEGER))) AS anon_1 GROUP BY anon_1.outcome;

-- health.count
--   :value is 1
INSERT INTO counters (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = (counters.value +
  1);

-- health.counter
SELECT counters.value
FROM counters
WHERE counters.name = :name;

-- health.ended
SELECT export_jobs.status, export_jobs.error_code, count(*) AS count
FROM export_jobs
WHERE export_jobs.finished_at IS NOT NULL AND export_jobs.finished_at > (CAST(round((julianday('now') - 2440587.5) *
  86400000.0) AS INTEGER) + CAST(round(-:window_seconds * 1000.0) AS INTEGER)) GROUP BY export_jobs.status,
  export_jobs.error_code;

-- health.now
SELECT CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) AS at;

-- health.queued
--   :param_1 is 200
--   :param_2 is 0
SELECT export_jobs.export, count(*) FILTER (WHERE export_jobs.available_at <= CAST(round((julianday('now') - 2440587.5)
  * 86400000.0) AS INTEGER)) AS available, count(*) FILTER (WHERE export_jobs.available_at >
  CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)) AS scheduled, ((CAST(round((julianday('now') -
  2440587.5) * 86400000.0) AS INTEGER) - min(export_jobs.available_at)) / 1000.0) AS oldest_seconds
FROM export_jobs
WHERE status = 'queued' GROUP BY export_jobs.export ORDER BY export_jobs.export
 LIMIT :param_1 OFFSET :param_2;

-- health.running
--   :param_1 is 200
--   :param_2 is 0
SELECT export_jobs.export, count(*) AS running, count(*) FILTER (WHERE export_jobs.lease_until <=
  CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)) AS overdue
FROM export_jobs
WHERE status = 'running' GROUP BY export_jobs.export ORDER BY export_jobs.export
 LIMIT :param_1 OFFSET :param_2;

-- health.workers
--   :param_1 is 100
--   :param_2 is 0
SELECT workers.id, workers.host, workers.pid, workers.exports_json, workers.started_at, workers.seen_at
FROM workers
WHERE workers.stopped_at IS NULL AND workers.seen_at > (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS
  INTEGER) + CAST(round(-:seen_seconds * 1000.0) AS INTEGER)) ORDER BY workers.started_at
 LIMIT :param_1 OFFSET :param_2;
