-- new_jobs.insert
INSERT INTO outlast.export_jobs (tenant, owner, request_key, id, request_fingerprint, parameters_fingerprint, export,
  parameters_json, format, columns_json, attempt_limit, request_id, trace_context, regenerated_from, status, created_at,
  available_at, deadline_at) SELECT CAST(anon_2.value ->> 0 AS VARCHAR(255)) AS anon_1, CAST(anon_2.value ->> 1 AS
  VARCHAR(255)) AS anon_3, CAST(anon_2.value ->> 2 AS VARCHAR(255)) AS anon_4, CAST(anon_2.value ->> 3 AS VARCHAR(36))
  AS anon_5, CAST(anon_2.value ->> 4 AS VARCHAR(80)) AS anon_6, CAST(anon_2.value ->> 5 AS VARCHAR(80)) AS anon_7,
  CAST(anon_2.value ->> 6 AS VARCHAR(255)) AS anon_8, CAST(anon_2.value ->> 7 AS TEXT) AS anon_9, CAST(anon_2.value ->>
  8 AS VARCHAR(40)) AS anon_10, CAST(anon_2.value ->> 9 AS TEXT) AS anon_11, CAST(anon_2.value ->> 10 AS INTEGER) AS
  anon_12, CAST(anon_2.value ->> 11 AS VARCHAR(128)) AS anon_13, CAST(anon_2.value ->> 12 AS VARCHAR(512)) AS anon_14,
  CAST(anon_2.value ->> 13 AS VARCHAR(36)) AS anon_15, 'queued' AS anon_16, date_trunc('milliseconds',
  statement_timestamp()) AS anon_17, date_trunc('milliseconds', statement_timestamp()) AS anon_18,
  (date_trunc('milliseconds', statement_timestamp()) + round(CAST(CAST(anon_2.value ->> 14 AS FLOAT) AS DOUBLE
  PRECISION) * 1000.0) * interval '1 millisecond') AS anon_19
FROM jsonb_array_elements(CAST(:records_json::VARCHAR AS jsonb)) AS anon_2
WHERE true ON CONFLICT (tenant, owner, request_key) DO NOTHING;

-- new_jobs.look
SELECT (SELECT outlast.export_jobs.created_at
FROM outlast.export_jobs
WHERE outlast.export_jobs.id = :job_id::VARCHAR) AS made_at, EXISTS (SELECT 1 AS anon_1
FROM outlast.spent_keys, jsonb_array_elements(CAST(:records_json::VARCHAR AS jsonb)) AS anon_2
WHERE outlast.spent_keys.tenant = CAST(anon_2.value ->> 0 AS VARCHAR(255)) AND outlast.spent_keys.owner =
  CAST(anon_2.value ->> 1 AS VARCHAR(255)) AND outlast.spent_keys.request_key = CAST(anon_2.value ->> 2 AS VARCHAR(255))
  AND outlast.spent_keys.keep_until > date_trunc('milliseconds', statement_timestamp())) AS spent;
