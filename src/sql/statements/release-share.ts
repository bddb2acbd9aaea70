/**
 * Gives a share back and grants to as many in line as fit now.
 *
 * $1 key, $2 grant id, $3 token or null, $4 accept ms, $5 may commit without waiting for the disk → released
 */
export function releaseShareStatement(schema: string): string {
  return `
select ${schema}.lease_release_share($1::text, $2::text, $3::bigint, $4::float8, $5::boolean) as released`;
}
