-- workers.any_gone
--   :param_1 is 1
--   :param_2 is 0
SELECT workers.id
FROM workers
WHERE workers.seen_at <= (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) +
  CAST(round(-:kept_seconds * 1000.0) AS INTEGER))
 LIMIT :param_1 OFFSET :param_2;

-- workers.forget
DELETE FROM workers WHERE workers.seen_at <= (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) +
  CAST(round(-:kept_seconds * 1000.0) AS INTEGER));

-- workers.insert
INSERT INTO workers (id, host, pid, exports_json, started_at, seen_at) VALUES (:id, :host, :pid, :exports_json,
  CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER), CAST(round((julianday('now') - 2440587.5) *
  86400000.0) AS INTEGER)) ON CONFLICT (id) DO NOTHING;

-- workers.seen
UPDATE workers SET seen_at=CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) WHERE workers.id = :id
  AND workers.stopped_at IS NULL;

-- workers.stopped
UPDATE workers SET seen_at=CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER),
  stopped_at=CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) WHERE workers.id = :id AND
  workers.stopped_at IS NULL;
