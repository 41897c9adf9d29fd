-- tokens.by_digest
SELECT api_tokens.id, api_tokens.token_sha256, api_tokens.tenant, api_tokens.owner, api_tokens.roles_json,
  api_tokens.label, api_tokens.created_at, api_tokens.expires_at, api_tokens.revoked_at
FROM api_tokens
WHERE api_tokens.token_sha256 = :digest AND api_tokens.revoked_at IS NULL AND (api_tokens.expires_at IS NULL OR
  api_tokens.expires_at > CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER));

-- tokens.by_id
SELECT api_tokens.id, api_tokens.token_sha256, api_tokens.tenant, api_tokens.owner, api_tokens.roles_json,
  api_tokens.label, api_tokens.created_at, api_tokens.expires_at, api_tokens.revoked_at
FROM api_tokens
WHERE api_tokens.id = :token_id;

-- tokens.insert
INSERT INTO api_tokens (id, token_sha256, tenant, owner, roles_json, label, created_at, expires_at) VALUES (:id,
  :token_sha256, :tenant, :owner, :roles_json, :label, CAST(round((julianday('now') - 2440587.5) * 86400000.0)
  AS INTEGER), CASE WHEN (CAST(:lifetime_seconds AS FLOAT) IS NULL) THEN NULL ELSE (CAST(round((julianday('now') -
  2440587.5) * 86400000.0) AS INTEGER) + CAST(round(CAST(:lifetime_seconds AS FLOAT) * 1000.0) AS INTEGER)) END)
  RETURNING id, token_sha256, tenant, owner, roles_json, label, created_at, expires_at, revoked_at;

-- tokens.listed
--   :param_1 is 1000
--   :param_2 is 0
SELECT api_tokens.id, api_tokens.token_sha256, api_tokens.tenant, api_tokens.owner, api_tokens.roles_json,
  api_tokens.label, api_tokens.created_at, api_tokens.expires_at, api_tokens.revoked_at
FROM api_tokens ORDER BY api_tokens.created_at, api_tokens.id
 LIMIT :param_1 OFFSET :param_2;

-- tokens.revoke
UPDATE api_tokens SET revoked_at=CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) WHERE api_tokens.id
  = :token_id AND api_tokens.revoked_at IS NULL;
