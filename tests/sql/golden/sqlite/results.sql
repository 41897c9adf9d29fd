-- results.mark_deleted
UPDATE export_results SET deleted_at=CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) WHERE
  export_results.job_id = :job_id AND export_results.deleted_at IS NULL;
