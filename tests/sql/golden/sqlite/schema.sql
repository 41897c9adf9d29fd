CREATE TABLE api_tokens (
        id VARCHAR(36) NOT NULL,
        token_sha256 VARCHAR(64) NOT NULL,
        tenant VARCHAR(255) NOT NULL,
        owner VARCHAR(255) NOT NULL,
        roles_json TEXT DEFAULT '[]' NOT NULL,
        label VARCHAR(255),
        created_at BIGINT NOT NULL,
        expires_at BIGINT,
        revoked_at BIGINT,
        CONSTRAINT pk_api_tokens PRIMARY KEY (id),
        CONSTRAINT uq_api_tokens_token_sha256 UNIQUE (token_sha256)
);

CREATE TABLE audit_log (
        id VARCHAR(36) NOT NULL,
        at BIGINT NOT NULL,
        actor VARCHAR(255) NOT NULL,
        action VARCHAR(40) NOT NULL,
        job_id VARCHAR(36),
        reason TEXT NOT NULL,
        before_json TEXT NOT NULL,
        after_json TEXT NOT NULL,
        CONSTRAINT pk_audit_log PRIMARY KEY (id)
);

CREATE INDEX ix_audit_log_job_id ON audit_log (job_id);

CREATE TABLE counters (
        name VARCHAR(40) NOT NULL,
        value BIGINT NOT NULL,
        CONSTRAINT pk_counters PRIMARY KEY (name)
);

CREATE TABLE export_jobs (
        id VARCHAR(36) NOT NULL,
        tenant VARCHAR(255) NOT NULL,
        owner VARCHAR(255) NOT NULL,
        request_key VARCHAR(255) NOT NULL,
        request_fingerprint VARCHAR(80) NOT NULL,
        parameters_fingerprint VARCHAR(80) NOT NULL,
        export VARCHAR(255) NOT NULL,
        parameters_json TEXT NOT NULL,
        format VARCHAR(40) NOT NULL,
        columns_json TEXT NOT NULL,
        status VARCHAR(10) NOT NULL,
        created_at BIGINT NOT NULL,
        available_at BIGINT NOT NULL,
        deadline_at BIGINT NOT NULL,
        started_at BIGINT,
        finished_at BIGINT,
        attempt_count INTEGER DEFAULT '0' NOT NULL,
        attempt_limit INTEGER NOT NULL,
        release_count INTEGER DEFAULT '0' NOT NULL,
        lease_token VARCHAR(64),
        lease_until BIGINT,
        worker_id VARCHAR(64),
        progress_rows BIGINT DEFAULT '0' NOT NULL,
        progress_bytes BIGINT DEFAULT '0' NOT NULL,
        estimated_rows BIGINT,
        error_code VARCHAR(40),
        error_detail TEXT,
        request_id VARCHAR(128),
        trace_context VARCHAR(512),
        regenerated_from VARCHAR(36),
        erased_at BIGINT,
        estimate_source VARCHAR(10) CONSTRAINT ck_export_jobs_estimate_source_known CHECK (estimate_source IN
  ('counted', 'planner')),
        CONSTRAINT pk_export_jobs PRIMARY KEY (id),
        CONSTRAINT uq_export_jobs_tenant_owner_request_key UNIQUE (tenant, owner, request_key),
        CONSTRAINT ck_export_jobs_status_known CHECK (status IN ('cancelled', 'failed', 'queued', 'running',
  'succeeded')),
        CONSTRAINT ck_export_jobs_running_has_lease CHECK ((status = 'running') = (lease_token IS NOT NULL) AND (status
  = 'running') = (lease_until IS NOT NULL) AND (status = 'running') = (worker_id IS NOT NULL)),
        CONSTRAINT ck_export_jobs_ended_is_finished CHECK ((status IN ('cancelled', 'failed', 'succeeded')) =
  (finished_at IS NOT NULL)),
        CONSTRAINT ck_export_jobs_failed_has_code CHECK ((status = 'failed') = (error_code IS NOT NULL)),
        CONSTRAINT ck_export_jobs_counts_not_negative CHECK (attempt_count >= 0 AND attempt_limit >= 1 AND release_count
  >= 0 AND progress_rows >= 0 AND progress_bytes >= 0 AND (estimated_rows IS NULL OR estimated_rows >= 0)),
        CONSTRAINT ck_export_jobs_attempts_within_limit CHECK (attempt_count <= attempt_limit),
        CONSTRAINT ck_export_jobs_lease_within_deadline CHECK (lease_until IS NULL OR lease_until <= deadline_at),
        CONSTRAINT ck_export_jobs_erased_is_ended CHECK (erased_at IS NULL OR finished_at IS NOT NULL),
        CONSTRAINT ck_export_jobs_key_not_empty CHECK (length(request_key) > 0)
);

CREATE INDEX ix_export_jobs_deadline ON export_jobs (deadline_at) WHERE finished_at IS NULL;

CREATE INDEX ix_export_jobs_due ON export_jobs (export, available_at, id) WHERE status = 'queued';

CREATE INDEX ix_export_jobs_finished ON export_jobs (finished_at) WHERE finished_at IS NOT NULL;

CREATE INDEX ix_export_jobs_history ON export_jobs (tenant, owner, created_at, id);

CREATE INDEX ix_export_jobs_lease ON export_jobs (lease_until) WHERE status = 'running';

CREATE INDEX ix_export_jobs_owner_due ON export_jobs (tenant, owner, export, available_at) WHERE status = 'queued';

CREATE INDEX ix_export_jobs_owner_running ON export_jobs (tenant, owner) WHERE status = 'running';

CREATE INDEX ix_export_jobs_request ON export_jobs (request_id) WHERE request_id IS NOT NULL;

CREATE INDEX ix_export_jobs_source ON export_jobs (regenerated_from) WHERE regenerated_from IS NOT NULL;

CREATE TABLE result_chunks (
        storage_key VARCHAR(255) NOT NULL,
        position INTEGER NOT NULL,
        data BLOB NOT NULL,
        CONSTRAINT pk_result_chunks PRIMARY KEY (storage_key, position),
        CONSTRAINT ck_result_chunks_chunk_bounded CHECK (length(data) <= 262144)
);

CREATE TABLE spent_keys (
        tenant VARCHAR(255) NOT NULL,
        owner VARCHAR(255) NOT NULL,
        request_key VARCHAR(255) NOT NULL,
        request_fingerprint VARCHAR(80) NOT NULL,
        parameters_fingerprint VARCHAR(80) NOT NULL,
        keep_until BIGINT NOT NULL,
        CONSTRAINT pk_spent_keys PRIMARY KEY (tenant, owner, request_key)
);

CREATE INDEX ix_spent_keys_keep_until ON spent_keys (keep_until);

CREATE TABLE workers (
        id VARCHAR(64) NOT NULL,
        host VARCHAR(255) NOT NULL,
        pid INTEGER NOT NULL,
        exports_json TEXT NOT NULL,
        started_at BIGINT NOT NULL,
        seen_at BIGINT NOT NULL,
        stopped_at BIGINT,
        CONSTRAINT pk_workers PRIMARY KEY (id)
);

CREATE INDEX ix_workers_seen_at ON workers (seen_at);

CREATE TABLE export_attempts (
        job_id VARCHAR(36) NOT NULL,
        number INTEGER NOT NULL,
        worker_id VARCHAR(64) NOT NULL,
        claimed_at BIGINT NOT NULL,
        ended_at BIGINT,
        lease_until BIGINT,
        outcome VARCHAR(10),
        error_code VARCHAR(40),
        error_detail TEXT,
        storage_key VARCHAR(255) NOT NULL,
        rows BIGINT DEFAULT '0' NOT NULL,
        bytes BIGINT DEFAULT '0' NOT NULL,
        reserved_bytes BIGINT DEFAULT '0' NOT NULL,
        CONSTRAINT pk_export_attempts PRIMARY KEY (job_id, number),
        CONSTRAINT ck_export_attempts_outcome_known CHECK (outcome IN ('cancelled', 'failed', 'lost', 'released',
  'retried', 'succeeded')),
        CONSTRAINT ck_export_attempts_ended_has_outcome CHECK ((ended_at IS NULL) = (outcome IS NULL)),
        CONSTRAINT ck_export_attempts_counts_not_negative CHECK (number >= 1 AND rows >= 0 AND bytes >= 0 AND
  reserved_bytes >= 0),
        CONSTRAINT fk_export_attempts_job_id FOREIGN KEY(job_id) REFERENCES export_jobs (id) ON DELETE CASCADE,
        CONSTRAINT uq_export_attempts_storage_key UNIQUE (storage_key)
)
 WITHOUT ROWID;

CREATE UNIQUE INDEX ix_export_attempts_open ON export_attempts (job_id) WHERE ended_at IS NULL;

CREATE TABLE export_results (
        job_id VARCHAR(36) NOT NULL,
        storage VARCHAR(20) NOT NULL,
        storage_key VARCHAR(255) NOT NULL,
        content_type VARCHAR(255) NOT NULL,
        filename VARCHAR(255) NOT NULL,
        bytes BIGINT NOT NULL,
        rows BIGINT NOT NULL,
        sha256 VARCHAR(64) NOT NULL,
        as_of BIGINT,
        warnings_json TEXT DEFAULT '[]' NOT NULL,
        created_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        deleted_at BIGINT,
        details_json TEXT DEFAULT '{}' NOT NULL,
        CONSTRAINT pk_export_results PRIMARY KEY (job_id),
        CONSTRAINT ck_export_results_counts_not_negative CHECK (bytes >= 0 AND rows >= 0),
        CONSTRAINT ck_export_results_digest_whole CHECK (length(sha256) = 64),
        CONSTRAINT fk_export_results_job_id FOREIGN KEY(job_id) REFERENCES export_jobs (id) ON DELETE CASCADE,
        CONSTRAINT uq_export_results_storage_key UNIQUE (storage_key)
)
 WITHOUT ROWID;

CREATE INDEX ix_export_results_expiry ON export_results (expires_at) WHERE deleted_at IS NULL;

CREATE TRIGGER export_jobs_transition BEFORE UPDATE OF status, attempt_count, attempt_limit, release_count, lease_token,
  lease_until, worker_id, available_at, deadline_at, started_at, finished_at, error_code, error_detail, progress_rows,
  progress_bytes, estimated_rows, estimate_source ON export_jobs FOR EACH ROW WHEN NOT COALESCE((OLD.status IN
  ('queued') AND NEW.status = 'running' AND NEW.attempt_count = OLD.attempt_count + 1 AND NEW.lease_token IS NOT NULL
  AND (OLD.lease_token IS NULL OR NEW.lease_token <> OLD.lease_token) AND NEW.attempt_limit = OLD.attempt_limit AND
  NEW.release_count = OLD.release_count AND NEW.deadline_at = OLD.deadline_at) OR (OLD.status IN ('running') AND
  NEW.status = 'running' AND NEW.attempt_count = OLD.attempt_count + 1 AND NEW.lease_token IS NOT NULL AND
  (OLD.lease_token IS NULL OR NEW.lease_token <> OLD.lease_token) AND NEW.attempt_limit = OLD.attempt_limit AND
  NEW.release_count = OLD.release_count AND NEW.deadline_at = OLD.deadline_at) OR (OLD.status IN ('running') AND
  NEW.status = 'running' AND NEW.attempt_count = OLD.attempt_count + 0 AND NEW.lease_token = OLD.lease_token AND
  NEW.worker_id = OLD.worker_id AND NEW.attempt_limit = OLD.attempt_limit AND NEW.release_count = OLD.release_count AND
  NEW.deadline_at = OLD.deadline_at) OR (OLD.status IN ('running') AND NEW.status = 'succeeded' AND NEW.attempt_count =
  OLD.attempt_count + 0 AND NEW.lease_token IS NULL AND NEW.attempt_limit = OLD.attempt_limit AND NEW.release_count =
  OLD.release_count AND NEW.deadline_at = OLD.deadline_at) OR (OLD.status IN ('running') AND NEW.status = 'queued' AND
  NEW.attempt_count = OLD.attempt_count + 0 AND NEW.lease_token IS NULL AND NEW.attempt_limit = OLD.attempt_limit AND
  NEW.release_count = OLD.release_count AND NEW.deadline_at = OLD.deadline_at) OR (OLD.status IN ('running') AND
  NEW.status = 'queued' AND NEW.attempt_count = OLD.attempt_count + 0 AND NEW.lease_token IS NULL AND NEW.attempt_limit
  = OLD.attempt_limit + 1 AND NEW.release_count = OLD.release_count + 1 AND NEW.deadline_at = OLD.deadline_at) OR
  (OLD.status IN ('running') AND NEW.status = 'failed' AND NEW.attempt_count = OLD.attempt_count + 0 AND NEW.lease_token
  IS NULL AND NEW.attempt_limit = OLD.attempt_limit AND NEW.release_count = OLD.release_count AND NEW.deadline_at =
  OLD.deadline_at) OR (OLD.status IN ('queued', 'running') AND NEW.status = 'failed' AND NEW.attempt_count =
  OLD.attempt_count + 0 AND NEW.lease_token IS NULL AND NEW.attempt_limit = OLD.attempt_limit AND NEW.release_count =
  OLD.release_count AND NEW.deadline_at = OLD.deadline_at) OR (OLD.status IN ('queued', 'running') AND NEW.status =
  'cancelled' AND NEW.attempt_count = OLD.attempt_count + 0 AND NEW.lease_token IS NULL AND NEW.attempt_limit =
  OLD.attempt_limit AND NEW.release_count = OLD.release_count AND NEW.deadline_at = OLD.deadline_at) OR (OLD.status IN
  ('failed') AND NEW.status = 'queued' AND NEW.attempt_count = OLD.attempt_count + 0 AND NEW.lease_token IS NULL AND
  NEW.attempt_limit > NEW.attempt_count AND NEW.release_count = OLD.release_count), FALSE) BEGIN SELECT RAISE(ABORT,
  'not a transition of a job'); END;

CREATE TRIGGER export_jobs_immutable BEFORE UPDATE OF id, tenant, owner, request_key, request_fingerprint,
  parameters_fingerprint, export, parameters_json, format, columns_json, created_at, request_id, trace_context,
  regenerated_from ON export_jobs FOR EACH ROW WHEN NEW.id IS NOT OLD.id OR NEW.tenant IS NOT OLD.tenant OR NEW.owner IS
  NOT OLD.owner OR NEW.request_key IS NOT OLD.request_key OR NEW.request_fingerprint IS NOT OLD.request_fingerprint OR
  NEW.parameters_fingerprint IS NOT OLD.parameters_fingerprint OR NEW.export IS NOT OLD.export OR NEW.parameters_json IS
  NOT OLD.parameters_json OR NEW.format IS NOT OLD.format OR NEW.columns_json IS NOT OLD.columns_json OR NEW.created_at
  IS NOT OLD.created_at OR NEW.request_id IS NOT OLD.request_id OR NEW.trace_context IS NOT OLD.trace_context OR
  NEW.regenerated_from IS NOT OLD.regenerated_from BEGIN SELECT RAISE(ABORT, 'what was asked for never changes'); END;

CREATE TRIGGER export_jobs_begin BEFORE INSERT ON export_jobs FOR EACH ROW WHEN NEW.status <> 'queued' OR
  NEW.attempt_count <> 0 OR NEW.release_count <> 0 BEGIN SELECT RAISE(ABORT, 'a job begins queued and without
  attempts'); END;

CREATE TRIGGER export_jobs_success BEFORE UPDATE OF status ON export_jobs FOR EACH ROW WHEN (NEW.status = 'succeeded')
  <> EXISTS (SELECT 1 FROM export_results WHERE job_id = NEW.id) BEGIN SELECT RAISE(ABORT, 'success needs its result,
  and only success has one'); END;

CREATE TRIGGER export_jobs_erased BEFORE UPDATE OF erased_at ON export_jobs FOR EACH ROW WHEN OLD.erased_at IS NOT NULL
  AND NEW.erased_at IS NOT OLD.erased_at BEGIN SELECT RAISE(ABORT, 'erased is for good'); END;

CREATE TRIGGER export_jobs_delete BEFORE DELETE ON export_jobs FOR EACH ROW WHEN OLD.status NOT IN ('cancelled',
  'failed', 'succeeded') BEGIN SELECT RAISE(ABORT, 'only an ended job may be purged'); END;

CREATE TRIGGER export_attempts_open BEFORE INSERT ON export_attempts FOR EACH ROW WHEN NOT EXISTS (SELECT 1 FROM
  export_jobs WHERE id = NEW.job_id AND status = 'running' AND attempt_count = NEW.number) BEGIN SELECT RAISE(ABORT, 'an
  attempt is opened by its claim'); END;

CREATE TRIGGER export_attempts_closed BEFORE UPDATE ON export_attempts FOR EACH ROW WHEN OLD.ended_at IS NOT NULL OR
  NEW.job_id <> OLD.job_id OR NEW.number <> OLD.number OR NEW.worker_id <> OLD.worker_id OR NEW.claimed_at <>
  OLD.claimed_at OR NEW.storage_key <> OLD.storage_key BEGIN SELECT RAISE(ABORT, 'an ended attempt never changes, and no
  attempt becomes another'); END;

CREATE TRIGGER export_results_running BEFORE INSERT ON export_results FOR EACH ROW WHEN NOT EXISTS (SELECT 1 FROM
  export_jobs WHERE id = NEW.job_id AND status = 'running') BEGIN SELECT RAISE(ABORT, 'a result needs a running job');
  END;

CREATE TRIGGER export_results_committed BEFORE UPDATE ON export_results FOR EACH ROW WHEN NEW.job_id <> OLD.job_id OR
  NEW.storage <> OLD.storage OR NEW.storage_key <> OLD.storage_key OR NEW.sha256 <> OLD.sha256 OR NEW.bytes <> OLD.bytes
  OR NEW.rows <> OLD.rows OR OLD.deleted_at IS NOT NULL OR NEW.details_json <> OLD.details_json OR NEW.warnings_json <>
  OLD.warnings_json BEGIN SELECT RAISE(ABORT, 'a committed result never changes'); END;

CREATE TRIGGER export_attempts_kept BEFORE DELETE ON export_attempts FOR EACH ROW WHEN EXISTS (SELECT 1 FROM export_jobs
  WHERE id = OLD.job_id) BEGIN SELECT RAISE(ABORT, 'what became of a job goes only with the job'); END;

CREATE TRIGGER export_results_kept BEFORE DELETE ON export_results FOR EACH ROW WHEN EXISTS (SELECT 1 FROM export_jobs
  WHERE id = OLD.job_id) BEGIN SELECT RAISE(ABORT, 'what became of a job goes only with the job'); END;

CREATE TRIGGER export_results_count AFTER INSERT ON export_results FOR EACH ROW WHEN NEW.deleted_at IS NULL BEGIN UPDATE
  counters SET value = value + NEW.bytes WHERE name = 'live_result_bytes'; END;

CREATE TRIGGER export_results_uncount AFTER UPDATE OF deleted_at ON export_results FOR EACH ROW WHEN NEW.deleted_at IS
  NOT NULL AND OLD.deleted_at IS NULL BEGIN UPDATE counters SET value = value + (0 - OLD.bytes) WHERE name =
  'live_result_bytes'; END;

CREATE TRIGGER export_results_gone AFTER DELETE ON export_results FOR EACH ROW WHEN OLD.deleted_at IS NULL BEGIN UPDATE
  counters SET value = value + (0 - OLD.bytes) WHERE name = 'live_result_bytes'; END;

CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log FOR EACH ROW BEGIN SELECT RAISE(ABORT, 'the audit log is
  append-only'); END;

CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log FOR EACH ROW BEGIN SELECT RAISE(ABORT, 'the audit log is
  append-only'); END;

