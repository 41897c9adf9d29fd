-- chunks.delete
--   :param_1 is 16
DELETE FROM outlast.result_chunks WHERE outlast.result_chunks.storage_key = :storage_key::VARCHAR AND
  outlast.result_chunks.position IN (SELECT outlast.result_chunks.position
FROM outlast.result_chunks
WHERE outlast.result_chunks.storage_key = :storage_key::VARCHAR ORDER BY outlast.result_chunks.position
 LIMIT :param_1::INTEGER);

-- chunks.insert
INSERT INTO outlast.result_chunks (storage_key, position, data) SELECT :storage_key::VARCHAR AS anon_1,
  :position::INTEGER AS anon_2, :data AS anon_3
WHERE EXISTS (SELECT outlast.export_jobs.id
FROM outlast.export_jobs
WHERE status = 'running' AND outlast.export_jobs.id = :job_id::VARCHAR AND outlast.export_jobs.lease_token =
  :token::VARCHAR AND outlast.export_jobs.lease_until > date_trunc('milliseconds', statement_timestamp())) ON CONFLICT
  (storage_key, position) DO NOTHING;

-- chunks.next_key
SELECT min(outlast.result_chunks.storage_key) AS min_1
FROM outlast.result_chunks
WHERE outlast.result_chunks.storage_key > :after::VARCHAR;

-- chunks.present
SELECT outlast.result_chunks.position
FROM outlast.result_chunks
WHERE outlast.result_chunks.storage_key = :storage_key::VARCHAR AND outlast.result_chunks.position =
  :position::INTEGER;

-- chunks.read
SELECT outlast.result_chunks.data
FROM outlast.result_chunks
WHERE outlast.result_chunks.storage_key = :storage_key::VARCHAR AND outlast.result_chunks.position =
  :position::INTEGER;
