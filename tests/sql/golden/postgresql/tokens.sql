-- tokens.by_digest
SELECT api_tokens.id, api_tokens.token_sha256, api_tokens.tenant, api_tokens.owner, api_tokens.roles_json,
  api_tokens.label, api_tokens.created_at, api_tokens.expires_at, api_tokens.revoked_at
FROM api_tokens
WHERE api_tokens.token_sha256 = :digest::VARCHAR AND api_tokens.revoked_at IS NULL AND (api_tokens.expires_at IS NULL
  OR api_tokens.expires_at > (SELECT clock_timestamp()));

-- tokens.by_id
SELECT api_tokens.id, api_tokens.token_sha256, api_tokens.tenant, api_tokens.owner, api_tokens.roles_json,
  api_tokens.label, api_tokens.created_at, api_tokens.expires_at, api_tokens.revoked_at
FROM api_tokens
WHERE api_tokens.id = :token_id::VARCHAR;

-- tokens.insert
INSERT INTO api_tokens (id, token_sha256, tenant, owner, roles_json, label, created_at, expires_at) VALUES
  (:id::VARCHAR, :token_sha256::VARCHAR, :tenant::VARCHAR, :owner::VARCHAR, :roles_json::VARCHAR,
  :label::VARCHAR, (SELECT clock_timestamp()), CASE WHEN (:lifetime_seconds IS NULL) THEN NULL ELSE ((SELECT
  clock_timestamp()) + :lifetime_seconds * interval '1 second') END) RETURNING api_tokens.id, api_tokens.token_sha256,
  api_tokens.tenant, api_tokens.owner, api_tokens.roles_json, api_tokens.label, api_tokens.created_at,
  api_tokens.expires_at, api_tokens.revoked_at;

-- tokens.listed
--   :param_1 is 1000
SELECT api_tokens.id, api_tokens.token_sha256, api_tokens.tenant, api_tokens.owner, api_tokens.roles_json,
  api_tokens.label, api_tokens.created_at, api_tokens.expires_at, api_tokens.revoked_at
FROM api_tokens ORDER BY api_tokens.created_at, api_tokens.id
 LIMIT :param_1::INTEGER;

-- tokens.revoke
UPDATE api_tokens SET revoked_at=(SELECT clock_timestamp()) WHERE api_tokens.id = :token_id::VARCHAR AND
  api_tokens.revoked_at IS NULL;
