-- health.accepted
SELECT count(*) AS count
FROM (SELECT outlast.export_jobs.id AS id
FROM outlast.export_jobs
WHERE finished_at IS NULL AND outlast.export_jobs.created_at > (date_trunc('milliseconds', statement_timestamp()) +
  round(CAST(-:window_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond') UNION ALL SELECT
  outlast.export_jobs.id AS id
FROM outlast.export_jobs
WHERE outlast.export_jobs.finished_at IS NOT NULL AND outlast.export_jobs.finished_at > (date_trunc('milliseconds',
  statement_timestamp()) + round(CAST(-:window_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond') AND
  outlast.export_jobs.created_at > (date_trunc('milliseconds', statement_timestamp()) + round(CAST(-:window_seconds AS
  DOUBLE PRECISION) * 1000.0) * interval '1 millisecond')) AS anon_1;

-- health.attempts_ended
SELECT anon_1.outcome, count(*) AS count, avg(anon_1.seconds) AS mean_seconds, max(anon_1.seconds) AS longest_seconds
FROM (SELECT outlast.export_attempts.outcome AS outcome, CAST(extract(epoch FROM date_trunc('milliseconds',
  statement_timestamp()) - outlast.export_attempts.claimed_at) AS DOUBLE PRECISION) - CAST(extract(epoch FROM
  date_trunc('milliseconds', statement_timestamp()) - outlast.export_attempts.ended_at) AS DOUBLE PRECISION) AS seconds
FROM outlast.export_jobs JOIN outlast.export_attempts ON outlast.export_attempts.job_id = outlast.export_jobs.id
WHERE finished_at IS NULL AND outlast.export_attempts.ended_at > (date_trunc('milliseconds', statement_timestamp()) +
  round(CAST(-:window_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond') UNION ALL SELECT
  outlast.export_attempts.outcome AS outcome, CAST(extract(epoch FROM date_trunc('milliseconds', statement_timestamp())
  - outlast.export_attempts.claimed_at) AS DOUBLE PRECISION) - CAST(extract(epoch FROM date_trunc('milliseconds',
  statement_timestamp()) - outlast.export_attempts.ended_at) AS DOUBLE PRECISION) AS seconds
FROM outlast.export_jobs JOIN outlast.export_attempts ON outlast.export_attempts.job_id = outlast.export_jobs.id
WHERE outlast.export_jobs.finished_at IS NOT NULL AND outlast.export_jobs.finished_at > (date_trunc('milliseconds',
  statement_timestamp()) + round(CAST(-:window_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond') AND
  outlast.export_attempts.ended_at > (date_trunc('milliseconds', statement_timestamp()) + round(CAST(-:window_seconds
  AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond')) AS anon_1 GROUP BY anon_1.outcome;

-- health.count
--   :value is 1
INSERT INTO outlast.counters (name, value) VALUES (:name::VARCHAR, :value::BIGINT) ON CONFLICT (name) DO UPDATE SET
  value = (outlast.counters.value + 1);

-- health.counter
SELECT outlast.counters.value
FROM outlast.counters
WHERE outlast.counters.name = :name::VARCHAR;

-- health.ended
SELECT outlast.export_jobs.status, outlast.export_jobs.error_code, count(*) AS count
FROM outlast.export_jobs
WHERE outlast.export_jobs.finished_at IS NOT NULL AND outlast.export_jobs.finished_at > (date_trunc('milliseconds',
  statement_timestamp()) + round(CAST(-:window_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond')
  GROUP BY outlast.export_jobs.status, outlast.export_jobs.error_code;

-- health.now
SELECT date_trunc('milliseconds', statement_timestamp()) AS at;

-- health.queued
--   :param_1 is 200
SELECT outlast.export_jobs.export, count(*) FILTER (WHERE outlast.export_jobs.available_at <= date_trunc('milliseconds',
  statement_timestamp())) AS available, count(*) FILTER (WHERE outlast.export_jobs.available_at >
  date_trunc('milliseconds', statement_timestamp())) AS scheduled, CAST(extract(epoch FROM date_trunc('milliseconds',
  statement_timestamp()) - min(outlast.export_jobs.available_at)) AS DOUBLE PRECISION) AS oldest_seconds
FROM outlast.export_jobs
WHERE status = 'queued' GROUP BY outlast.export_jobs.export ORDER BY outlast.export_jobs.export
 LIMIT :param_1::INTEGER;

-- health.running
--   :param_1 is 200
SELECT outlast.export_jobs.export, count(*) AS running, count(*) FILTER (WHERE outlast.export_jobs.lease_until <=
  date_trunc('milliseconds', statement_timestamp())) AS overdue
FROM outlast.export_jobs
WHERE status = 'running' GROUP BY outlast.export_jobs.export ORDER BY outlast.export_jobs.export
 LIMIT :param_1::INTEGER;

-- health.workers
--   :param_1 is 100
SELECT outlast.workers.id, outlast.workers.host, outlast.workers.pid, outlast.workers.exports_json,
  outlast.workers.started_at, outlast.workers.seen_at
FROM outlast.workers
WHERE outlast.workers.stopped_at IS NULL AND outlast.workers.seen_at > (date_trunc('milliseconds',
  statement_timestamp()) + round(CAST(-:seen_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond') ORDER
  BY outlast.workers.started_at
 LIMIT :param_1::INTEGER;
