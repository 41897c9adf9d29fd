-- locking.free_jobs
SELECT export_jobs.id
FROM export_jobs
WHERE export_jobs.id IN (SELECT anon_1.value
FROM json_each(:ids_json) AS anon_1) AND export_jobs.status = :status ORDER BY export_jobs.id;

-- locking.job
SELECT export_jobs.id
FROM export_jobs
WHERE export_jobs.id = :job_id;

-- locking.jobs
SELECT export_jobs.id
FROM export_jobs
WHERE export_jobs.id IN (SELECT anon_1.value
FROM json_each(:ids_json) AS anon_1) ORDER BY export_jobs.id;

-- locking.owner
SELECT (:key IS NULL) AS anon_1;

-- locking.try_owner
SELECT (:key IS NOT NULL) AS anon_1;
