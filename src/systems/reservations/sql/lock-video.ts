/** $1 id → 0 or 1 row, locked */
export function lockVideoStatement(schema: string): string {
  return `
select v.id, v.user_id as "userId", v.status, v.attempt, v.tries, v.failure, v.version, v.title
from ${schema}.videos v where v.id = $1::bigint for update`;
}
