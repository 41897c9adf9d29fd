-- chunks.delete
--   :param_1 is 16
--   :param_2 is 0
DELETE FROM result_chunks WHERE result_chunks.storage_key = :storage_key AND result_chunks.position IN (SELECT
  result_chunks.position
FROM result_chunks
WHERE result_chunks.storage_key = :storage_key ORDER BY result_chunks.position
 LIMIT :param_1 OFFSET :param_2);

-- chunks.insert
INSERT INTO result_chunks (storage_key, position, data) SELECT :storage_key AS anon_1, :position AS anon_2, :data
  AS anon_3
WHERE EXISTS (SELECT export_jobs.id
FROM export_jobs
WHERE status = 'running' AND export_jobs.id = :job_id AND export_jobs.lease_token = :token AND
  export_jobs.lease_until > CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)) ON CONFLICT
  (storage_key, position) DO NOTHING;

-- chunks.next_key
SELECT min(result_chunks.storage_key) AS min_1
FROM result_chunks
WHERE result_chunks.storage_key > :after;

-- chunks.present
SELECT result_chunks.position
FROM result_chunks
WHERE result_chunks.storage_key = :storage_key AND result_chunks.position = :position;

-- chunks.read
SELECT result_chunks.data
FROM result_chunks
WHERE result_chunks.storage_key = :storage_key AND result_chunks.position = :position;
