CREATE TABLE api_tokens (
        id VARCHAR(36) NOT NULL,
        token_sha256 VARCHAR(64) NOT NULL,
        tenant VARCHAR(255) NOT NULL,
        owner VARCHAR(255) NOT NULL,
        roles_json TEXT DEFAULT '[]' NOT NULL,
        label VARCHAR(255),
        created_at TIMESTAMP WITH TIME ZONE NOT NULL,
        expires_at TIMESTAMP WITH TIME ZONE,
        revoked_at TIMESTAMP WITH TIME ZONE,
        CONSTRAINT pk_api_tokens PRIMARY KEY (id),
        CONSTRAINT uq_api_tokens_token_sha256 UNIQUE (token_sha256)
);

CREATE TABLE audit_log (
        id VARCHAR(36) NOT NULL,
        at TIMESTAMP WITH TIME ZONE NOT NULL,
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
        created_at TIMESTAMP WITH TIME ZONE NOT NULL,
        available_at TIMESTAMP WITH TIME ZONE NOT NULL,
        deadline_at TIMESTAMP WITH TIME ZONE NOT NULL,
        started_at TIMESTAMP WITH TIME ZONE,
        finished_at TIMESTAMP WITH TIME ZONE,
        attempt_count INTEGER DEFAULT '0' NOT NULL,
        attempt_limit INTEGER NOT NULL,
        release_count INTEGER DEFAULT '0' NOT NULL,
        lease_token VARCHAR(64),
        lease_until TIMESTAMP WITH TIME ZONE,
        worker_id VARCHAR(64),
        progress_rows BIGINT DEFAULT '0' NOT NULL,
        progress_bytes BIGINT DEFAULT '0' NOT NULL,
        estimated_rows BIGINT,
        error_code VARCHAR(40),
        error_detail TEXT,
        request_id VARCHAR(128),
        trace_context VARCHAR(512),
        regenerated_from VARCHAR(36),
        erased_at TIMESTAMP WITH TIME ZONE,
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
        data BYTEA NOT NULL,
        CONSTRAINT pk_result_chunks PRIMARY KEY (storage_key, position),
        CONSTRAINT ck_result_chunks_chunk_bounded CHECK (length(data) <= 262144)
);

CREATE TABLE spent_keys (
        tenant VARCHAR(255) NOT NULL,
        owner VARCHAR(255) NOT NULL,
        request_key VARCHAR(255) NOT NULL,
        request_fingerprint VARCHAR(80) NOT NULL,
        parameters_fingerprint VARCHAR(80) NOT NULL,
        keep_until TIMESTAMP WITH TIME ZONE NOT NULL,
        CONSTRAINT pk_spent_keys PRIMARY KEY (tenant, owner, request_key)
);

CREATE INDEX ix_spent_keys_keep_until ON spent_keys (keep_until);

CREATE TABLE workers (
        id VARCHAR(64) NOT NULL,
        host VARCHAR(255) NOT NULL,
        pid INTEGER NOT NULL,
        exports_json TEXT NOT NULL,
        started_at TIMESTAMP WITH TIME ZONE NOT NULL,
        seen_at TIMESTAMP WITH TIME ZONE NOT NULL,
        stopped_at TIMESTAMP WITH TIME ZONE,
        CONSTRAINT pk_workers PRIMARY KEY (id)
);

CREATE INDEX ix_workers_seen_at ON workers (seen_at);

CREATE TABLE export_attempts (
        job_id VARCHAR(36) NOT NULL,
        number INTEGER NOT NULL,
        worker_id VARCHAR(64) NOT NULL,
        claimed_at TIMESTAMP WITH TIME ZONE NOT NULL,
        ended_at TIMESTAMP WITH TIME ZONE,
        lease_until TIMESTAMP WITH TIME ZONE,
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
);

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
        as_of TIMESTAMP WITH TIME ZONE,
        warnings_json TEXT DEFAULT '[]' NOT NULL,
        created_at TIMESTAMP WITH TIME ZONE NOT NULL,
        expires_at TIMESTAMP WITH TIME ZONE NOT NULL,
        deleted_at TIMESTAMP WITH TIME ZONE,
        details_json TEXT DEFAULT '{}' NOT NULL,
        CONSTRAINT pk_export_results PRIMARY KEY (job_id),
        CONSTRAINT ck_export_results_counts_not_negative CHECK (bytes >= 0 AND rows >= 0),
        CONSTRAINT ck_export_results_digest_whole CHECK (length(sha256) = 64),
        CONSTRAINT fk_export_results_job_id FOREIGN KEY(job_id) REFERENCES export_jobs (id) ON DELETE CASCADE,
        CONSTRAINT uq_export_results_storage_key UNIQUE (storage_key)
);

CREATE INDEX ix_export_results_expiry ON export_results (expires_at) WHERE deleted_at IS NULL;

