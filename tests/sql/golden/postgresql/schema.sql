CREATE TABLE outlast.api_tokens (
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

CREATE TABLE outlast.audit_log (
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

CREATE INDEX ix_audit_log_job_id ON outlast.audit_log (job_id);

CREATE TABLE outlast.counters (
        name VARCHAR(40) NOT NULL,
        value BIGINT NOT NULL,
        CONSTRAINT pk_counters PRIMARY KEY (name)
);

CREATE TABLE outlast.export_jobs (
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

CREATE INDEX ix_export_jobs_deadline ON outlast.export_jobs (deadline_at) WHERE finished_at IS NULL;

CREATE INDEX ix_export_jobs_due ON outlast.export_jobs (export, available_at, id) WHERE status = 'queued';

CREATE INDEX ix_export_jobs_finished ON outlast.export_jobs (finished_at) WHERE finished_at IS NOT NULL;

CREATE INDEX ix_export_jobs_history ON outlast.export_jobs (tenant, owner, created_at, id);

CREATE INDEX ix_export_jobs_lease ON outlast.export_jobs (lease_until) WHERE status = 'running';

CREATE INDEX ix_export_jobs_owner_due ON outlast.export_jobs (tenant, owner, export, available_at) WHERE status =
  'queued';

CREATE INDEX ix_export_jobs_owner_running ON outlast.export_jobs (tenant, owner) WHERE status = 'running';

CREATE INDEX ix_export_jobs_request ON outlast.export_jobs (request_id) WHERE request_id IS NOT NULL;

CREATE INDEX ix_export_jobs_source ON outlast.export_jobs (regenerated_from) WHERE regenerated_from IS NOT NULL;

CREATE TABLE outlast.result_chunks (
        storage_key VARCHAR(255) NOT NULL,
        position INTEGER NOT NULL,
        data BYTEA NOT NULL,
        CONSTRAINT pk_result_chunks PRIMARY KEY (storage_key, position),
        CONSTRAINT ck_result_chunks_chunk_bounded CHECK (length(data) <= 262144)
);

CREATE TABLE outlast.spent_keys (
        tenant VARCHAR(255) NOT NULL,
        owner VARCHAR(255) NOT NULL,
        request_key VARCHAR(255) NOT NULL,
        request_fingerprint VARCHAR(80) NOT NULL,
        parameters_fingerprint VARCHAR(80) NOT NULL,
        keep_until TIMESTAMP WITH TIME ZONE NOT NULL,
        CONSTRAINT pk_spent_keys PRIMARY KEY (tenant, owner, request_key)
);

CREATE INDEX ix_spent_keys_keep_until ON outlast.spent_keys (keep_until);

CREATE TABLE outlast.workers (
        id VARCHAR(64) NOT NULL,
        host VARCHAR(255) NOT NULL,
        pid INTEGER NOT NULL,
        exports_json TEXT NOT NULL,
        started_at TIMESTAMP WITH TIME ZONE NOT NULL,
        seen_at TIMESTAMP WITH TIME ZONE NOT NULL,
        stopped_at TIMESTAMP WITH TIME ZONE,
        CONSTRAINT pk_workers PRIMARY KEY (id)
);

CREATE INDEX ix_workers_seen_at ON outlast.workers (seen_at);

CREATE TABLE outlast.export_attempts (
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
        CONSTRAINT fk_export_attempts_job_id FOREIGN KEY(job_id) REFERENCES outlast.export_jobs (id) ON DELETE CASCADE,
        CONSTRAINT uq_export_attempts_storage_key UNIQUE (storage_key)
);

CREATE UNIQUE INDEX ix_export_attempts_open ON outlast.export_attempts (job_id) WHERE ended_at IS NULL;

CREATE TABLE outlast.export_results (
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
        CONSTRAINT fk_export_results_job_id FOREIGN KEY(job_id) REFERENCES outlast.export_jobs (id) ON DELETE CASCADE,
        CONSTRAINT uq_export_results_storage_key UNIQUE (storage_key)
);

CREATE INDEX ix_export_results_expiry ON outlast.export_results (expires_at) WHERE deleted_at IS NULL;

CREATE OR REPLACE FUNCTION outlast.export_jobs_transition() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NOT
  COALESCE((OLD.status IN ('queued') AND NEW.status = 'running' AND NEW.attempt_count = OLD.attempt_count + 1 AND
  NEW.lease_token IS NOT NULL AND (OLD.lease_token IS NULL OR NEW.lease_token <> OLD.lease_token) AND NEW.attempt_limit
  = OLD.attempt_limit AND NEW.release_count = OLD.release_count AND NEW.deadline_at = OLD.deadline_at) OR (OLD.status IN
  ('running') AND NEW.status = 'running' AND NEW.attempt_count = OLD.attempt_count + 1 AND NEW.lease_token IS NOT NULL
  AND (OLD.lease_token IS NULL OR NEW.lease_token <> OLD.lease_token) AND NEW.attempt_limit = OLD.attempt_limit AND
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
  NEW.attempt_limit > NEW.attempt_count AND NEW.release_count = OLD.release_count), FALSE) THEN RAISE EXCEPTION 'not a
  transition of a job' USING ERRCODE = 'check_violation'; END IF; RETURN NEW; END $$;
CREATE TRIGGER export_jobs_transition BEFORE UPDATE OF status, attempt_count, attempt_limit, release_count, lease_token,
  lease_until, worker_id, available_at, deadline_at, started_at, finished_at, error_code, error_detail, progress_rows,
  progress_bytes, estimated_rows, estimate_source ON outlast.export_jobs FOR EACH ROW EXECUTE FUNCTION
  outlast.export_jobs_transition();

CREATE OR REPLACE FUNCTION outlast.export_jobs_immutable() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.id IS
  DISTINCT FROM OLD.id OR NEW.tenant IS DISTINCT FROM OLD.tenant OR NEW.owner IS DISTINCT FROM OLD.owner OR
  NEW.request_key IS DISTINCT FROM OLD.request_key OR NEW.request_fingerprint IS DISTINCT FROM OLD.request_fingerprint
  OR NEW.parameters_fingerprint IS DISTINCT FROM OLD.parameters_fingerprint OR NEW.export IS DISTINCT FROM OLD.export OR
  NEW.parameters_json IS DISTINCT FROM OLD.parameters_json OR NEW.format IS DISTINCT FROM OLD.format OR NEW.columns_json
  IS DISTINCT FROM OLD.columns_json OR NEW.created_at IS DISTINCT FROM OLD.created_at OR NEW.request_id IS DISTINCT FROM
  OLD.request_id OR NEW.trace_context IS DISTINCT FROM OLD.trace_context OR NEW.regenerated_from IS DISTINCT FROM
  OLD.regenerated_from THEN RAISE EXCEPTION 'what was asked for never changes' USING ERRCODE = 'check_violation'; END
  IF; RETURN NEW; END $$;
CREATE TRIGGER export_jobs_immutable BEFORE UPDATE OF id, tenant, owner, request_key, request_fingerprint,
  parameters_fingerprint, export, parameters_json, format, columns_json, created_at, request_id, trace_context,
  regenerated_from ON outlast.export_jobs FOR EACH ROW EXECUTE FUNCTION outlast.export_jobs_immutable();

CREATE OR REPLACE FUNCTION outlast.export_jobs_begin() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.status <>
  'queued' OR NEW.attempt_count <> 0 OR NEW.release_count <> 0 THEN RAISE EXCEPTION 'a job begins queued and without
  attempts' USING ERRCODE = 'check_violation'; END IF; RETURN NEW; END $$;
CREATE TRIGGER export_jobs_begin BEFORE INSERT ON outlast.export_jobs FOR EACH ROW EXECUTE FUNCTION
  outlast.export_jobs_begin();

CREATE OR REPLACE FUNCTION outlast.export_jobs_success() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF (NEW.status =
  'succeeded') <> EXISTS (SELECT 1 FROM outlast.export_results WHERE job_id = NEW.id) THEN RAISE EXCEPTION 'success
  needs its result, and only success has one' USING ERRCODE = 'check_violation'; END IF; RETURN NEW; END $$;
CREATE TRIGGER export_jobs_success BEFORE UPDATE OF status ON outlast.export_jobs FOR EACH ROW EXECUTE FUNCTION
  outlast.export_jobs_success();

CREATE OR REPLACE FUNCTION outlast.export_jobs_erased() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.erased_at IS
  NOT NULL AND NEW.erased_at IS DISTINCT FROM OLD.erased_at THEN RAISE EXCEPTION 'erased is for good' USING ERRCODE =
  'check_violation'; END IF; RETURN NEW; END $$;
CREATE TRIGGER export_jobs_erased BEFORE UPDATE OF erased_at ON outlast.export_jobs FOR EACH ROW EXECUTE FUNCTION
  outlast.export_jobs_erased();

CREATE OR REPLACE FUNCTION outlast.export_jobs_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.status NOT
  IN ('cancelled', 'failed', 'succeeded') THEN RAISE EXCEPTION 'only an ended job may be purged' USING ERRCODE =
  'check_violation'; END IF; RETURN OLD; END $$;
CREATE TRIGGER export_jobs_delete BEFORE DELETE ON outlast.export_jobs FOR EACH ROW EXECUTE FUNCTION
  outlast.export_jobs_delete();

CREATE OR REPLACE FUNCTION outlast.export_attempts_open() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NOT EXISTS
  (SELECT 1 FROM outlast.export_jobs WHERE id = NEW.job_id AND status = 'running' AND attempt_count = NEW.number) THEN
  RAISE EXCEPTION 'an attempt is opened by its claim' USING ERRCODE = 'check_violation'; END IF; RETURN NEW; END $$;
CREATE TRIGGER export_attempts_open BEFORE INSERT ON outlast.export_attempts FOR EACH ROW EXECUTE FUNCTION
  outlast.export_attempts_open();

CREATE OR REPLACE FUNCTION outlast.export_attempts_closed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.ended_at
  IS NOT NULL OR NEW.job_id <> OLD.job_id OR NEW.number <> OLD.number OR NEW.worker_id <> OLD.worker_id OR
  NEW.claimed_at <> OLD.claimed_at OR NEW.storage_key <> OLD.storage_key THEN RAISE EXCEPTION 'an ended attempt never
  changes, and no attempt becomes another' USING ERRCODE = 'check_violation'; END IF; RETURN NEW; END $$;
CREATE TRIGGER export_attempts_closed BEFORE UPDATE ON outlast.export_attempts FOR EACH ROW EXECUTE FUNCTION
  outlast.export_attempts_closed();

CREATE OR REPLACE FUNCTION outlast.export_results_running() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NOT EXISTS
  (SELECT 1 FROM outlast.export_jobs WHERE id = NEW.job_id AND status = 'running') THEN RAISE EXCEPTION 'a result needs
  a running job' USING ERRCODE = 'check_violation'; END IF; RETURN NEW; END $$;
CREATE TRIGGER export_results_running BEFORE INSERT ON outlast.export_results FOR EACH ROW EXECUTE FUNCTION
  outlast.export_results_running();

CREATE OR REPLACE FUNCTION outlast.export_results_committed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.job_id
  <> OLD.job_id OR NEW.storage <> OLD.storage OR NEW.storage_key <> OLD.storage_key OR NEW.sha256 <> OLD.sha256 OR
  NEW.bytes <> OLD.bytes OR NEW.rows <> OLD.rows OR OLD.deleted_at IS NOT NULL OR NEW.details_json <> OLD.details_json
  OR NEW.warnings_json <> OLD.warnings_json THEN RAISE EXCEPTION 'a committed result never changes' USING ERRCODE =
  'check_violation'; END IF; RETURN NEW; END $$;
CREATE TRIGGER export_results_committed BEFORE UPDATE ON outlast.export_results FOR EACH ROW EXECUTE FUNCTION
  outlast.export_results_committed();

CREATE OR REPLACE FUNCTION outlast.export_attempts_kept() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF EXISTS (SELECT
  1 FROM outlast.export_jobs WHERE id = OLD.job_id) THEN RAISE EXCEPTION 'what became of a job goes only with the job'
  USING ERRCODE = 'check_violation'; END IF; RETURN OLD; END $$;
CREATE TRIGGER export_attempts_kept BEFORE DELETE ON outlast.export_attempts FOR EACH ROW EXECUTE FUNCTION
  outlast.export_attempts_kept();

CREATE OR REPLACE FUNCTION outlast.export_results_kept() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF EXISTS (SELECT
  1 FROM outlast.export_jobs WHERE id = OLD.job_id) THEN RAISE EXCEPTION 'what became of a job goes only with the job'
  USING ERRCODE = 'check_violation'; END IF; RETURN OLD; END $$;
CREATE TRIGGER export_results_kept BEFORE DELETE ON outlast.export_results FOR EACH ROW EXECUTE FUNCTION
  outlast.export_results_kept();

CREATE OR REPLACE FUNCTION outlast.export_results_count() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.deleted_at
  IS NULL THEN UPDATE outlast.counters SET value = value + NEW.bytes WHERE name = 'live_result_bytes'; END IF; RETURN
  NEW; END $$;
CREATE TRIGGER export_results_count AFTER INSERT ON outlast.export_results FOR EACH ROW EXECUTE FUNCTION
  outlast.export_results_count();

CREATE OR REPLACE FUNCTION outlast.export_results_uncount() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF
  NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL THEN UPDATE outlast.counters SET value = value + (0 - OLD.bytes)
  WHERE name = 'live_result_bytes'; END IF; RETURN NEW; END $$;
CREATE TRIGGER export_results_uncount AFTER UPDATE OF deleted_at ON outlast.export_results FOR EACH ROW EXECUTE FUNCTION
  outlast.export_results_uncount();

CREATE OR REPLACE FUNCTION outlast.export_results_gone() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.deleted_at
  IS NULL THEN UPDATE outlast.counters SET value = value + (0 - OLD.bytes) WHERE name = 'live_result_bytes'; END IF;
  RETURN OLD; END $$;
CREATE TRIGGER export_results_gone AFTER DELETE ON outlast.export_results FOR EACH ROW EXECUTE FUNCTION
  outlast.export_results_gone();

CREATE OR REPLACE FUNCTION outlast.audit_log_no_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF TRUE THEN RAISE
  EXCEPTION 'the audit log is append-only' USING ERRCODE = 'check_violation'; END IF; RETURN NEW; END $$;
CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON outlast.audit_log FOR EACH ROW EXECUTE FUNCTION
  outlast.audit_log_no_update();

CREATE OR REPLACE FUNCTION outlast.audit_log_no_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF TRUE THEN RAISE
  EXCEPTION 'the audit log is append-only' USING ERRCODE = 'check_violation'; END IF; RETURN OLD; END $$;
CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON outlast.audit_log FOR EACH ROW EXECUTE FUNCTION
  outlast.audit_log_no_delete();

