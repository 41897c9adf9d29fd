-- audit.insert
INSERT INTO outlast.audit_log (id, at, actor, action, job_id, reason, before_json, after_json) VALUES (:id::VARCHAR,
  date_trunc('milliseconds', statement_timestamp()), :actor::VARCHAR, :action::VARCHAR, :job_id::VARCHAR,
  :reason::VARCHAR, :before_json::VARCHAR, :after_json::VARCHAR);

-- audit.known
SELECT 1 AS anon_1
FROM outlast.audit_log
WHERE outlast.audit_log.id = :id::VARCHAR;

-- audit.of_job
SELECT outlast.audit_log.id, outlast.audit_log.at, outlast.audit_log.actor, outlast.audit_log.action,
  outlast.audit_log.job_id, outlast.audit_log.reason, outlast.audit_log.before_json, outlast.audit_log.after_json
FROM outlast.audit_log
WHERE outlast.audit_log.job_id = :job_id::VARCHAR ORDER BY outlast.audit_log.at;
