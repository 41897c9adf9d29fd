-- results.mark_deleted
UPDATE export_results SET deleted_at=(SELECT clock_timestamp()) WHERE export_results.job_id = :job_id::VARCHAR AND
  export_results.deleted_at IS NULL;
