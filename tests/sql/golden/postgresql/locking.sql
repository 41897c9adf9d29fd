-- locking.free_jobs
SELECT outlast.export_jobs.id
FROM outlast.export_jobs
WHERE outlast.export_jobs.id IN (SELECT anon_1.value
FROM jsonb_array_elements_text(CAST(:ids_json::VARCHAR AS jsonb)) AS anon_1) AND outlast.export_jobs.status =
  :status::VARCHAR ORDER BY outlast.export_jobs.id FOR NO KEY UPDATE SKIP LOCKED;

-- locking.job
SELECT outlast.export_jobs.id
FROM outlast.export_jobs
WHERE outlast.export_jobs.id = :job_id::VARCHAR FOR NO KEY UPDATE;

-- locking.jobs
SELECT outlast.export_jobs.id
FROM outlast.export_jobs
WHERE outlast.export_jobs.id IN (SELECT anon_1.value
FROM jsonb_array_elements_text(CAST(:ids_json::VARCHAR AS jsonb)) AS anon_1) ORDER BY outlast.export_jobs.id FOR NO
  KEY UPDATE;

-- locking.owner
SELECT pg_advisory_xact_lock(:key::BIGINT) AS anon_1;

-- locking.try_owner
SELECT pg_try_advisory_xact_lock(:key::BIGINT) AS anon_1;
