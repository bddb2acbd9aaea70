/**
 * Leader: workers whose row is older than a while: they may have been heard in Redis.
 *
 * $1 seconds
 */
export function listQuietStatement(schema: string): string {
  return `
select id from ${schema}.workers
where state <> 'STOPPED' and seen_at < now() - make_interval(secs => $1::float8)`;
}
