/**
 * Removes rows that nobody has used for a day. Whoever still waits asks about once a second, so a line on such a row
 * is one of dead processes. The clock in the token keeps it rising although the row is gone; a row whose token is
 * ahead of the clock stays. Rows in use by others at this moment are passed over.
 */
import { clockUs } from '../clock-us.ts';

export function sweepStatement(schema: string): string {
  return `
with idle as (
  select l.key
  from ${schema}.leases l
  where l.expires_at < statement_timestamp() - interval '1 day' and l.token < ${clockUs}
  limit 20000
  for update skip locked
), swept as (
  delete from ${schema}.leases l using idle where l.key = idle.key
)
delete from ${schema}.lease_breaks b where b.at < statement_timestamp() - interval '7 days'`;
}
