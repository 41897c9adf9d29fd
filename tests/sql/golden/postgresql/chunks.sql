-- chunks.delete
--   :param_1 is 16
DELETE FROM result_chunks WHERE result_chunks.storage_key = :storage_key::VARCHAR AND result_chunks.position IN
  (SELECT result_chunks.position
FROM result_chunks
WHERE result_chunks.storage_key = :storage_key::VARCHAR ORDER BY result_chunks.position
 LIMIT :param_1::INTEGER);

-- chunks.insert
INSERT INTO result_chunks (storage_key, position, data) SELECT :storage_key::VARCHAR AS anon_1, :position::INTEGER
  AS anon_2, :data AS anon_3
WHERE EXISTS (SELECT export_jobs.id
FROM export_jobs
WHERE status = 'running' AND export_jobs.id = :job_id::VARCHAR AND export_jobs.lease_token = :token::VARCHAR AND
  export_jobs.lease_until > (SELECT clock_timestamp())) ON CONFLICT (storage_key, position) DO NOTHING;

-- chunks.next_key
SELECT min(result_chunks.storage_key) AS min_1
FROM result_chunks
WHERE result_chunks.storage_key > :after::VARCHAR;

-- chunks.present
SELECT result_chunks.position
FROM result_chunks
WHERE result_chunks.storage_key = :storage_key::VARCHAR AND result_chunks.position = :position::INTEGER;

-- chunks.read
SELECT result_chunks.data
FROM result_chunks
WHERE result_chunks.storage_key = :storage_key::VARCHAR AND result_chunks.position = :position::INTEGER;
