-- workers.any_gone
--   :param_1 is 1
SELECT workers.id
FROM workers
WHERE workers.seen_at <= ((SELECT clock_timestamp()) + -:kept_seconds * interval '1 second')
 LIMIT :param_1::INTEGER;

-- workers.forget
DELETE FROM workers WHERE workers.seen_at <= ((SELECT clock_timestamp()) + -:kept_seconds * interval '1 second');

-- workers.insert
INSERT INTO workers (id, host, pid, exports_json, started_at, seen_at) VALUES (:id::VARCHAR, :host::VARCHAR,
  :pid::INTEGER, :exports_json::VARCHAR, (SELECT clock_timestamp()), (SELECT clock_timestamp())) ON CONFLICT (id) DO
  NOTHING;

-- workers.seen
UPDATE workers SET seen_at=(SELECT clock_timestamp()) WHERE workers.id = :id::VARCHAR AND workers.stopped_at IS NULL;

-- workers.stopped
UPDATE workers SET seen_at=(SELECT clock_timestamp()), stopped_at=(SELECT clock_timestamp()) WHERE workers.id =
  :id::VARCHAR AND workers.stopped_at IS NULL;
