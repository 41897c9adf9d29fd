-- results.mark_deleted
UPDATE outlast.export_results SET deleted_at=date_trunc('milliseconds', statement_timestamp()) WHERE
  outlast.export_results.job_id = :job_id::VARCHAR AND outlast.export_results.deleted_at IS NULL;
