-- workers.any_gone
--   :param_1 is 1
SELECT outlast.workers.id
FROM outlast.workers
WHERE outlast.workers.seen_at <= (date_trunc('milliseconds', statement_timestamp()) + round(CAST(-:kept_seconds AS
  DOUBLE PRECISION) * 1000.0) * interval '1 millisecond')
 LIMIT :param_1::INTEGER;

-- workers.forget
DELETE FROM outlast.workers WHERE outlast.workers.seen_at <= (date_trunc('milliseconds', statement_timestamp()) +
  round(CAST(-:kept_seconds AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond');

-- workers.insert
INSERT INTO outlast.workers (id, host, pid, exports_json, started_at, seen_at) VALUES (:id::VARCHAR, :host::VARCHAR,
  :pid::INTEGER, :exports_json::VARCHAR, date_trunc('milliseconds', statement_timestamp()),
  date_trunc('milliseconds', statement_timestamp())) ON CONFLICT (id) DO NOTHING;

-- workers.seen
UPDATE outlast.workers SET seen_at=date_trunc('milliseconds', statement_timestamp()) WHERE outlast.workers.id =
  :id::VARCHAR AND outlast.workers.stopped_at IS NULL;

-- workers.stopped
UPDATE outlast.workers SET seen_at=date_trunc('milliseconds', statement_timestamp()),
  stopped_at=date_trunc('milliseconds', statement_timestamp()) WHERE outlast.workers.id = :id::VARCHAR AND
  outlast.workers.stopped_at IS NULL;
