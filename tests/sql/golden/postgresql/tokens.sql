-- tokens.by_digest
SELECT outlast.api_tokens.id, outlast.api_tokens.token_sha256, outlast.api_tokens.tenant, outlast.api_tokens.owner,
  outlast.api_tokens.roles_json, outlast.api_tokens.label, outlast.api_tokens.created_at, outlast.api_tokens.expires_at,
  outlast.api_tokens.revoked_at
FROM outlast.api_tokens
WHERE outlast.api_tokens.token_sha256 = :digest::VARCHAR AND outlast.api_tokens.revoked_at IS NULL AND
  (outlast.api_tokens.expires_at IS NULL OR outlast.api_tokens.expires_at > date_trunc('milliseconds',
  statement_timestamp()));

-- tokens.by_id
SELECT outlast.api_tokens.id, outlast.api_tokens.token_sha256, outlast.api_tokens.tenant, outlast.api_tokens.owner,
  outlast.api_tokens.roles_json, outlast.api_tokens.label, outlast.api_tokens.created_at, outlast.api_tokens.expires_at,
  outlast.api_tokens.revoked_at
FROM outlast.api_tokens
WHERE outlast.api_tokens.id = :token_id::VARCHAR;

-- tokens.insert
INSERT INTO outlast.api_tokens (id, token_sha256, tenant, owner, roles_json, label, created_at, expires_at) VALUES
  (:id::VARCHAR, :token_sha256::VARCHAR, :tenant::VARCHAR, :owner::VARCHAR, :roles_json::VARCHAR,
  :label::VARCHAR, date_trunc('milliseconds', statement_timestamp()), CASE WHEN (CAST(:lifetime_seconds AS FLOAT) IS
  NULL) THEN NULL ELSE (date_trunc('milliseconds', statement_timestamp()) + round(CAST(CAST(:lifetime_seconds AS
  FLOAT) AS DOUBLE PRECISION) * 1000.0) * interval '1 millisecond') END) RETURNING outlast.api_tokens.id,
  outlast.api_tokens.token_sha256, outlast.api_tokens.tenant, outlast.api_tokens.owner, outlast.api_tokens.roles_json,
  outlast.api_tokens.label, outlast.api_tokens.created_at, outlast.api_tokens.expires_at, outlast.api_tokens.revoked_at;

-- tokens.listed
--   :param_1 is 1000
SELECT outlast.api_tokens.id, outlast.api_tokens.token_sha256, outlast.api_tokens.tenant, outlast.api_tokens.owner,
  outlast.api_tokens.roles_json, outlast.api_tokens.label, outlast.api_tokens.created_at, outlast.api_tokens.expires_at,
  outlast.api_tokens.revoked_at
FROM outlast.api_tokens ORDER BY outlast.api_tokens.created_at, outlast.api_tokens.id
 LIMIT :param_1::INTEGER;

-- tokens.revoke
UPDATE outlast.api_tokens SET revoked_at=date_trunc('milliseconds', statement_timestamp()) WHERE outlast.api_tokens.id =
  :token_id::VARCHAR AND outlast.api_tokens.revoked_at IS NULL;
