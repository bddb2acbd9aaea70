const ms = (column: string): string => `floor(extract(epoch from ${column}) * 1000)::float8`;

/** The columns of a token as `ApiTokenInfo` has them; `t` is the table's alias. */
export const tokenColumns = `t.id, t.name, t.role, t.created_by as "createdBy",
  ${ms('t.created_at')} as "createdAtMs", ${ms('t.expires_at')} as "expiresAtMs",
  ${ms('t.last_used_at')} as "lastUsedAtMs", ${ms('t.revoked_at')} as "revokedAtMs"`;
