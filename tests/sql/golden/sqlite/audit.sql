-- audit.insert
INSERT INTO audit_log (id, at, actor, action, job_id, reason, before_json, after_json) VALUES (:id,
  CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER), :actor, :action, :job_id, :reason,
  :before_json, :after_json);

-- audit.known
SELECT 1 AS anon_1
FROM audit_log
WHERE audit_log.id = :id;

-- audit.of_job
SELECT audit_log.id, audit_log.at, audit_log.actor, audit_log.action, audit_log.job_id, audit_log.reason,
  audit_log.before_json, audit_log.after_json
FROM audit_log
WHERE audit_log.job_id = :job_id ORDER BY audit_log.at;
